// Where a server's connections come from, and how it learns who is behind one.

import type { TemplatedApp, HttpResponse as UwsResponse, us_listen_socket } from 'uWebSockets.js';
import type { Connections } from './connections.ts';
import type { Peer } from './exchange.ts';
import { claimPort } from './tls-front.ts';
import type { Uws } from './uws.ts';

/** A source of connections. */
export interface Origin {
  /** An app without routes. */
  app(uws: Uws): TemplatedApp;
  /** Throws an error with a clear sentence when it can't listen. */
  listen(app: TemplatedApp, uws: Uws): Promise<{ socket: us_listen_socket; port: number }>;
  /** The peer of a request's connection; undefined when the connection must be closed. */
  peer(response: UwsResponse): Peer | undefined;
  /** What closes the connection once the answer is through. Asked for before the answer. */
  finisher(response: UwsResponse): () => void;
}

/** Connections of the TLS front, over a Unix socket; `finish` closes the one in a slot. */
export function frontOrigin(
  socketPath: string,
  connections: Connections,
  finish: (slot: number) => void,
): Origin {
  return {
    app: (uws) => uws.App(),
    listen: async (app) =>
      await new Promise((resolve, reject) => {
        app.listen_unix((socket) => {
          if (socket) resolve({ socket, port: 0 });
          else reject(new Error(`cannot listen on the Unix socket ${socketPath}`));
        }, socketPath);
      }),
    peer: (response) => connections.peer(response.getProxiedRemoteAddress()),
    finisher: (response) => {
      const slot = connections.slot(response.getProxiedRemoteAddress());
      return () => finish(slot);
    },
  };
}

/** What the direct listener is made of. */
export interface DirectOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** PEM files; the library reads no other form, and not again while it runs. */
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Connections of clients themselves, with TLS in process and without client certificates. It never looks
 * at a PROXY header that a client may send: the peer is the socket's.
 */
export function directOrigin(options: DirectOptions): Origin {
  const { host, port, certificateFile, keyFile } = options;
  const peers = new PeerCache();
  return {
    app: (uws) => uws.SSLApp({ cert_file_name: certificateFile, key_file_name: keyFile }),
    listen: async (app, uws) => {
      // The library sets SO_REUSEPORT and would share a port that somebody else holds.
      const claimed = await claimPort(host, port);
      return await new Promise((resolve, reject) => {
        app.listen(host, claimed, (socket) => {
          if (socket) resolve({ socket, port: uws.us_socket_local_port(socket) });
          else reject(new Error(`cannot listen on ${host}:${claimed}`));
        });
      });
    },
    peer: (response) => peers.peer(response.getRemoteAddress()),
    // The library closes a quiet connection 10 s later; the client was told to close it now.
    finisher: () => () => {},
  };
}

/** Peers by address, so that a request makes no text of the same four bytes again. */
class PeerCache {
  readonly #peers = new Map<number, Peer>();

  peer(address: ArrayBuffer): Peer {
    const bytes = new Uint8Array(address);
    if (!isIpv4(bytes)) return { address: ipv6Text(bytes), certificates: none };
    const key = new DataView(address).getUint32(bytes.length - 4);
    let peer = this.#peers.get(key);
    if (peer === undefined) {
      if (this.#peers.size === peersMax) this.#peers.clear();
      peer = { address: bytes.subarray(-4).join('.'), certificates: none };
      this.#peers.set(key, peer);
    }
    return peer;
  }
}

/** IPv4 as it is, or mapped: ten bytes of zeros and two of ones before it (RFC 4291, section 2.5.5.2). */
function isIpv4(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return true;
  if (bytes[10] !== 0xff || bytes[11] !== 0xff) return false;
  return bytes.subarray(0, 10).every((byte) => byte === 0);
}

/** The text form of RFC 5952: no leading zeros, the longest run of zero groups as `::`. */
function ipv6Text(bytes: Uint8Array): string {
  const groups: string[] = [];
  for (let index = 0; index + 1 < bytes.length; index += 2) {
    groups.push((((bytes[index] ?? 0) << 8) | (bytes[index + 1] ?? 0)).toString(16));
  }
  const text = groups.join(':');
  const runs = text.match(/(?<![0-9a-f])0(?::0)+(?![0-9a-f])/g) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const start = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`));
  const before = text.slice(0, start).replace(/:$/, '');
  const after = text.slice(start + longest.length).replace(/^:/, '');
  return `${before}::${after}`;
}

const none: readonly Buffer[] = Object.freeze([]);
const peersMax = 1024;

// The source of a server's connections, and how the server finds the peer of one.

import type { TemplatedApp, HttpResponse as UwsResponse, us_listen_socket } from 'uWebSockets.js';
import type { Peer } from '../../platform/http-exchange.ts';
import { ClaimedPorts } from '../front/claimed-ports.ts';
import type { Connections } from '../front/peers.ts';
import { tls12Suites } from '../front/tls-suites.ts';
import { PeerCache } from './socket-peer.ts';
import type { Uws } from './uws.ts';

/** A source of connections. */
export interface Origin {
  /** Whether the framing of its requests was already checked (`request-framing.ts`). */
  readonly isFramed: boolean;
  /** An app without routes. */
  app(uws: Uws): TemplatedApp;
  /** Throws an error with a clear sentence when it can't listen. */
  listen(app: TemplatedApp, uws: Uws): Promise<{ socket: us_listen_socket; port: number }>;
  /** The peer of a request's connection; undefined when the connection must be closed. */
  peer(response: UwsResponse): Peer | undefined;
  /**
   * A function that closes the connection of `peer` after the answer. Obtained before the answer.
   */
  finisher(response: UwsResponse, peer: Peer): () => void;
}

/** Connections of the TLS front, over a Unix socket; `finish` closes the one in a slot. */
export function frontOrigin(
  socketPath: string,
  connections: Connections,
  finish: (slot: number) => void,
): Origin {
  return {
    isFramed: true,
    app: (uws) => uws.App(),
    listen: async (app) =>
      await new Promise((resolve, reject) => {
        app.listen_unix((socket) => {
          if (socket) resolve({ socket, port: 0 });
          else reject(new Error(`cannot listen on the Unix socket ${socketPath}`));
        }, socketPath);
      }),
    peer: (response) => connections.peer(response.getProxiedRemoteAddress()),
    finisher: (response, peer) => {
      const id = response.getProxiedRemoteAddress();
      // A client may have sent a PROXY header of its own since; it must not close another
      // connection.
      if (connections.peer(id) !== peer) return () => {};
      const slot = connections.slot(id);
      return () => finish(slot);
    },
  };
}

/** The options of the direct listener. */
export interface DirectOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Another listener of ours holds the port, and this one shares it. */
  readonly isShared?: boolean;
  /** PEM files; the library reads no other form, and reads them only once. */
  readonly certificateFile: string;
  readonly keyFile: string;
}

/**
 * Direct connections of clients, with TLS in process and without client certificates. A PROXY
 * header of a client is ignored: the peer is the socket's.
 */
export function directOrigin(options: DirectOptions): Origin {
  const { host, port, isShared = false, certificateFile, keyFile } = options;
  const peers = new PeerCache();
  return {
    isFramed: false,
    app: (uws) =>
      uws.SSLApp({
        cert_file_name: certificateFile,
        key_file_name: keyFile,
        ssl_ciphers: tls12Suites,
      }),
    listen: async (app, uws) => {
      // The library sets SO_REUSEPORT and would share a port that another process has bound. It
      // does not set it for port 0, and a renewed certificate takes a second listener.
      const ports = new ClaimedPorts();
      const claimed = isShared ? port : await ports.claim({ host, port });
      try {
        return await new Promise((resolve, reject) => {
          app.listen(host, claimed, (socket) => {
            if (socket) resolve({ socket, port: uws.us_socket_local_port(socket) });
            else reject(new Error(`cannot listen on ${host}:${claimed}`));
          });
        });
      } finally {
        ports.release();
      }
    },
    peer: (response) => peers.peer(response.getRemoteAddress()),
    // The library closes a quiet connection 10 s later; the client was told to close it now.
    finisher: () => () => {},
  };
}

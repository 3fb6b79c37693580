// The peer of a connection without a TLS front, from its socket's address.

import type { Peer } from '../../platform/http-exchange.ts';

/** Peers by address, so that the text of an address is not built again for each request. */
export class PeerCache {
  readonly #peers = new Map<number, Peer>();

  /** The peer at a binary address of 4 or 16 bytes. */
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

/** The text form of RFC 5952, in which URLs write addresses (WHATWG). */
function ipv6Text(bytes: Uint8Array): string {
  const groups = Buffer.from(bytes).toString('hex').match(/..../g) ?? [];
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

/**
 * IPv4 as it is, or mapped: ten bytes of zeros and two of ones before it (RFC 4291, section
 * 2.5.5.2).
 */
function isIpv4(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return true;
  if (bytes[10] !== 0xff || bytes[11] !== 0xff) return false;
  return bytes.subarray(0, 10).every((byte) => byte === 0);
}

const none: readonly Buffer[] = Object.freeze([]);
/** IPv4 addresses whose text is kept. @bound per controller */
const peersMax = 1024;

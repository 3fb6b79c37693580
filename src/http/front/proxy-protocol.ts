// The PROXY protocol v2 header by which a TLS worker names a connection to the server behind it.

import { Buffer } from 'node:buffer';

/**
 * A header for TCP over IPv6 whose source address is the connection id `id`; destination and ports
 * stay zero. Throws RangeError when `id` isn't 16 bytes long.
 */
export function encodeProxyHeader(id: Uint8Array): Buffer {
  if (id.length !== connectionIdBytes) {
    throw new RangeError(`a connection id has ${connectionIdBytes} bytes, not ${id.length}`);
  }
  return Buffer.concat([fixedBytes, id, otherBytes]);
}

/** The byte that starts a PROXY header and never starts an HTTP request. */
export const carriageReturn = 0x0d;

/** Bytes of a connection id: it is sent as an IPv6 source address. */
const connectionIdBytes = 16;
/**
 * The signature, version 2 and command PROXY, IPv6 and STREAM, and the length of what follows
 * (PROXY protocol, section 2.2).
 */
const fixedBytes = Buffer.from('0d0a0d0a000d0a515549540a21210024', 'hex');
/** The destination and both ports. */
const otherBytes = Buffer.alloc(20);

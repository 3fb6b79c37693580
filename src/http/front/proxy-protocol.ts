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
  const header = Buffer.alloc(proxyHeaderBytes);
  signature.copy(header);
  header[12] = versionAndCommand;
  header[13] = tcpOverIpv6;
  header.writeUInt16BE(addressBytes, 14);
  header.set(id, 16);
  return header;
}

/** The byte that starts a PROXY header and never starts an HTTP request. */
export const carriageReturn = 0x0d;

/** Bytes of a connection id: it is sent as an IPv6 source address. */
const connectionIdBytes = 16;
/** Bytes of the one header form we send: 16 fixed and 36 for a pair of IPv6 addresses and ports. */
const proxyHeaderBytes = 52;
/** First twelve bytes of every PROXY v2 header (PROXY protocol, section 2.2). */
const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
/** Version 2, command PROXY. */
const versionAndCommand = 0x21;
/** Address family IPv6, transport STREAM. */
const tcpOverIpv6 = 0x21;
/** Two IPv6 addresses and two ports. */
const addressBytes = 36;

// The PROXY protocol v2 header by which a TLS worker names a connection to the server behind it.

import { Buffer } from 'node:buffer';

/** Bytes of a connection id: it travels as an IPv6 source address. */
export const connectionIdBytes = 16;

/** Bytes of the one header form we send: 16 fixed and 36 for a pair of IPv6 addresses and ports. */
export const proxyHeaderBytes = 52;

/** First twelve bytes of every PROXY v2 header (PROXY protocol, section 2.2). */
export const proxySignature: Buffer = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');

/** What a PROXY v2 header says, as far as we use it. */
export interface ProxyHeader {
  /** The source address: 16 bytes, in our use a connection id. */
  readonly source: Buffer;
  /** Bytes of the whole header; what follows it is the client's. */
  readonly length: number;
}

/**
 * A header for TCP over IPv6 whose source is `id`; destination and ports stay zero.
 * Throws RangeError when `id` isn't 16 bytes long.
 */
export function encodeProxyHeader(id: Uint8Array): Buffer {
  if (id.length !== connectionIdBytes) {
    throw new RangeError(`a connection id has ${connectionIdBytes} bytes, not ${id.length}`);
  }
  const header = Buffer.alloc(proxyHeaderBytes);
  proxySignature.copy(header);
  header[12] = versionAndCommand;
  header[13] = tcpOverIpv6;
  header.writeUInt16BE(addressBytes, 14);
  header.set(id, 16);
  return header;
}

/** Reads a header of the form that `encodeProxyHeader` writes; undefined for anything else. */
export function decodeProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  if (bytes.length < proxyHeaderBytes || !startsWithSignature(bytes)) return undefined;
  if (bytes[12] !== versionAndCommand || bytes[13] !== tcpOverIpv6) return undefined;
  if (bytes.readUInt16BE(14) !== addressBytes) return undefined;
  return { source: bytes.subarray(16, 16 + connectionIdBytes), length: proxyHeaderBytes };
}

/**
 * Whether bytes of a client start like a PROXY header. No request does: a request starts with a
 * method, and a body that we take is text, while the signature holds a NUL.
 */
export function startsWithSignature(bytes: Buffer): boolean {
  // The first byte alone answers for almost every chunk.
  if (bytes[0] !== carriageReturn || bytes.length < proxySignature.length) return false;
  return bytes.compare(proxySignature, 0, proxySignature.length, 0, proxySignature.length) === 0;
}

/** The byte that starts a PROXY header and never an HTTP request. */
export const carriageReturn = 0x0d;

/** Version 2, command PROXY. */
const versionAndCommand = 0x21;
/** Address family IPv6, transport STREAM. */
const tcpOverIpv6 = 0x21;
/** Two IPv6 addresses and two ports. */
const addressBytes = 36;

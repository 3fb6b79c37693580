// Gathers the first message of a TLS connection before any work is done for it.

import { Buffer } from 'node:buffer';

/** The state of a connection's first bytes. */
export type HelloState = 'unfinished' | 'whole' | 'refused';

/**
 * A ClientHello that is arriving (RFC 8446 §4.1.2), possibly in many segments and many records.
 * This code only recognises it and does not trust it: the TLS engine reads it again.
 */
export class ClientHello {
  /** All received bytes. */
  bytes: Buffer = nothing;
  readonly #bytesMax: number;
  /** Offset of the first incomplete record. */
  #recordAt = 0;
  /** Bytes of the handshake message in the records before it. */
  #gathered = 0;
  /** The first four bytes of the message: its type, and its length. */
  #header = 0;

  /** More than `bytesMax` bytes are refused, records included. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Takes the next bytes. Bytes that a client sends after a complete ClientHello are kept as well.
   */
  take(chunk: Buffer): HelloState {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
    const state = this.#look();
    return state === 'unfinished' && this.bytes.length > this.#bytesMax ? 'refused' : state;
  }

  #look(): HelloState {
    const { bytes } = this;
    if (bytes.length > recordHeaderBytes && bytes[recordHeaderBytes] !== clientHelloType) {
      return 'refused';
    }
    for (;;) {
      const at = this.#recordAt;
      if (bytes.length > at && bytes[at] !== handshakeRecord) return 'refused';
      if (bytes.length > at + 1 && bytes[at + 1] !== majorVersion) return 'refused';
      if (bytes.length < at + recordHeaderBytes) return 'unfinished';
      const length = bytes.readUInt16BE(at + 3);
      if (length === 0 || length > tlsRecordBytesMax) return 'refused';
      const end = at + recordHeaderBytes + length;
      if (bytes.length < end) return 'unfinished';
      this.#takeRecord(at + recordHeaderBytes, end);
      if (this.#gathered < messageHeaderBytes) continue;
      const messageBytes = messageHeaderBytes + (this.#header & 0xffffff);
      if (messageBytes > this.#bytesMax) return 'refused';
      if (this.#gathered >= messageBytes) return 'whole';
    }
  }

  #takeRecord(start: number, end: number): void {
    const headerLeft = Math.max(0, messageHeaderBytes - this.#gathered);
    for (let at = start; at < Math.min(end, start + headerLeft); at += 1) {
      this.#header = (this.#header << 8) | (this.bytes[at] ?? 0);
    }
    this.#gathered += end - start;
    this.#recordAt = end;
  }
}

const nothing: Buffer = Buffer.alloc(0);
/** Type, version and length of a record (RFC 8446 §5.1). */
const recordHeaderBytes = 5;
/** Content type `handshake`. */
const handshakeRecord = 22;
/** Every version of a record since SSL 3.0 starts with it. */
const majorVersion = 3;
/** The longest TLS record in clear text. @bound per connection */
const tlsRecordBytesMax = 16_384;
/** Type and length of a handshake message. */
const messageHeaderBytes = 4;
const clientHelloType = 1;

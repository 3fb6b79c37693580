// Peer data: what the two ends of a circuit tell each other through the controller
// (behaviour/control-channel#circuits).

import { type Headers, MalformedMessage } from '../../channel/contract.ts';

/** Values of the ends of a circuit by their keys. */
export type PeerData = ReadonlyMap<number, Buffer>;

/** The keys of peer data that the controller reads. */
export const peerDataKeys = {
  /** The public key of an end, for encryption from end to end. */
  publicKey: 1003,
  stickinessToken: 1114,
} as const;

/** Entries of one map. The field's routers have the same bound. @bound per request */
const entriesMax = 128;
/** Bytes of one value. The field's routers have the same bound. @bound per request */
const valueBytesMax = 8192;
/** Bytes of all values of a map: they go into the messages of a circuit. @bound per request */
const bytesMax = 65_536;

/** Addresses of the ends, which are the business of nobody but their own router. */
const addressKeys: ReadonlySet<number> = new Set([1110, 1111, 1112, 1113]);
/** Headers of a route result that are not peer data: attempt, success, error and its code. */
const resultKeys: ReadonlySet<number> = new Set([1101, 1102, 1103, 1104]);
/** Keys below are those of the channel itself. */
const peerKeyMin = 1000;

/**
 * The map that a header holds: a count, then key, length and bytes of each entry, all numbers with
 * 4 bytes, the lowest first. An absent or empty one has no entries. @throws MalformedMessage
 */
export function decodePeerData(value: Buffer | undefined): PeerData {
  const data = new Map<number, Buffer>();
  if (value === undefined || value.length === 0) return data;
  const reader = new MapReader(value);
  const count = reader.uint32();
  if (count > entriesMax) throw new MalformedMessage(`peer data of ${count} entries`);
  for (let left = count; left > 0; left--) {
    const key = reader.uint32();
    data.set(key, reader.bytes(reader.uint32()));
  }
  reader.end();
  return bounded(data);
}

/** The map of a protobuf. @throws MalformedMessage */
export function peerDataOf(entries: Readonly<Record<string, Uint8Array>>): PeerData {
  const data = new Map<number, Buffer>();
  for (const [key, value] of Object.entries(entries)) {
    data.set(Number(key), Buffer.from(value.buffer, value.byteOffset, value.length));
  }
  return bounded(data);
}

/** The peer data among the headers of a route result. @throws MalformedMessage */
export function peerDataOfResult(headers: Headers): PeerData {
  const data = new Map<number, Buffer>();
  for (const [key, value] of headers) {
    if (key >= peerKeyMin && !resultKeys.has(key)) data.set(key, value);
  }
  return bounded(data);
}

/** The value of a header for this map. */
export function encodePeerData(data: PeerData): Buffer {
  if (data.size === 0) return Buffer.alloc(0);
  const parts = [uint32(data.size)];
  for (const [key, value] of data) parts.push(uint32(key), uint32(value.length), value);
  return Buffer.concat(parts);
}

/** The value of a header for a map of texts: each text is preceded by its length in bytes. */
export function encodeTexts(texts: Readonly<Record<string, string>>): Buffer {
  const entries = Object.entries(texts);
  const parts = [uint32(entries.length)];
  for (const text of entries.flat()) {
    const bytes = Buffer.from(text);
    parts.push(uint32(bytes.length), bytes);
  }
  return Buffer.concat(parts);
}

/** As the field of a protobuf. */
export function peerDataField(data: PeerData): Record<string, Uint8Array> {
  return Object.fromEntries(data);
}

/** What the other end gets: everything but addresses; later maps count more. */
export function forwarded(...maps: readonly PeerData[]): PeerData {
  const data = new Map<number, Buffer>();
  for (const map of maps) {
    for (const [key, value] of map) if (!addressKeys.has(key)) data.set(key, value);
  }
  return data;
}

function bounded(data: PeerData): PeerData {
  if (data.size > entriesMax) throw new MalformedMessage(`peer data of ${data.size} entries`);
  let bytes = 0;
  for (const { length } of data.values()) {
    if (length > valueBytesMax)
      throw new MalformedMessage(`a value of peer data of ${length} bytes`);
    bytes += length;
  }
  if (bytes > bytesMax) throw new MalformedMessage(`peer data of ${bytes} bytes`);
  return data;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}

class MapReader {
  readonly #value: Buffer;
  #at = 0;

  constructor(value: Buffer) {
    this.#value = value;
  }

  uint32(): number {
    return this.bytes(4).readUInt32LE(0);
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#value.length) throw new MalformedMessage('a map ends early');
    const bytes = this.#value.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  end(): void {
    if (this.#at !== this.#value.length) throw new MalformedMessage('bytes after a map');
  }
}

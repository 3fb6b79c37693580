// The headers of frames: their keys, and the encodings of their values
// (behaviour/control-channel#frames-and-channels).

import { type Headers, MalformedMessage } from './channel-api.ts';

/** The keys of headers that every frame may have. */
export const headerKeys = {
  connectionId: 0,
  replyFor: 1,
  resultSuccess: 2,
  versionInfo: 4,
  heartbeat: 5,
  heartbeatResponse: 6,
  connectionType: 7,
  id: 8,
  isGrouped: 9,
  groupSecret: 10,
  isFirstOfGroup: 11,
  rejectionClass: 13,
  reflected: 128,
} as const;

/** The keys of headers of the hello. */
export const helloHeaderKeys = {
  listeners: 1000,
  metadata: 1001,
  capabilities: 1002,
  ctrlListeners: 1003,
} as const;

/** The five parts of a version as both sides send it. */
export type VersionInfo = Readonly<
  Record<'arch' | 'buildDate' | 'os' | 'revision' | 'version', string>
>;

/** A header section of these entries, e.g. of `[13, textValue('x')]`. */
export function encodeHeaders(entries: Iterable<readonly [key: number, value: Buffer]>): Buffer {
  const parts: Buffer[] = [];
  for (const [key, value] of entries) {
    const head = Buffer.allocUnsafe(8);
    head.writeInt32LE(key, 0);
    head.writeUInt32LE(value.length, 4);
    parts.push(head, value);
  }
  return Buffer.concat(parts);
}

/**
 * The headers of a section; their values are views of it.
 * @throws MalformedMessage when lengths do not add up, a key occurs twice or there are too many
 */
export function decodeHeaders(section: Buffer): Headers {
  if (section.length === 0) return noHeaders;
  const headers = new Map<number, Buffer>();
  let at = 0;
  while (at < section.length) {
    if (section.length - at < 8) throw new MalformedMessage('a header is cut off');
    const key = section.readInt32LE(at);
    const end = at + 8 + section.readUInt32LE(at + 4);
    if (end > section.length) throw new MalformedMessage('a header is longer than its section');
    if (headers.has(key)) throw new MalformedMessage('a header occurs twice');
    if (headers.size === headersMax) throw new MalformedMessage('there are too many headers');
    headers.set(key, section.subarray(at + 8, end));
    at = end;
  }
  return headers;
}

/** A text. */
export function textValue(text: string): Buffer {
  return Buffer.from(text, 'utf8');
}

/** A boolean. */
export function booleanValue(value: boolean): Buffer {
  return Buffer.of(value ? 1 : 0);
}

/** An unsigned integer of 4 bytes. */
export function uint32Value(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
}

/** A map of bytes by number. */
export function bytesMapValue(map: ReadonlyMap<number, Uint8Array>): Buffer {
  if (map.size === 0) return noBytes;
  const parts: Uint8Array[] = [uint32Value(map.size)];
  for (const [key, bytes] of map) parts.push(uint32Value(key), uint32Value(bytes.length), bytes);
  return Buffer.concat(parts);
}

/** A map of texts by text. */
export function textMapValue(map: ReadonlyMap<string, string>): Buffer {
  if (map.size === 0) return noBytes;
  const texts = [...map].flat();
  return Buffer.concat([uint32Value(map.size), ...texts.flatMap(sizedText)]);
}

/** A mask of capabilities by the numbers of its bits: big-endian, without leading zeros. */
export function capabilitiesValue(bits: Iterable<number>): Buffer {
  let mask = 0n;
  for (const bit of bits) mask |= 1n << BigInt(bit);
  const digits = mask.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
}

/** A version. */
export function versionValue(version: VersionInfo): Buffer {
  const { revision, buildDate, os, arch } = version;
  return textValue([version.version, revision, buildDate, os, arch].join('|'));
}

/** A text; undefined when the header is absent. */
export function textHeader(headers: Headers, key: number): string | undefined {
  return headers.get(key)?.toString('utf8');
}

/** A boolean; false when the header is absent, or is not one byte that is 1. */
export function booleanHeader(headers: Headers, key: number): boolean {
  const bytes = headers.get(key);
  return bytes?.length === 1 && bytes[0] === 1;
}

/**
 * A map of bytes by number; empty when the header is absent. The bytes are views of the header.
 * @throws MalformedMessage when lengths do not add up, a key occurs twice or a bound is exceeded
 */
export function bytesMapHeader(headers: Headers, key: number): ReadonlyMap<number, Buffer> {
  const map = new Map<number, Buffer>();
  const value = headers.get(key);
  if (value === undefined || value.length === 0) return map;
  const count = uint32At(value, 0);
  if (count > mapEntriesMax) throw new MalformedMessage('a map has too many entries');
  let at = 4;
  while (map.size < count) {
    const number = uint32At(value, at);
    const length = uint32At(value, at + 4);
    if (length > mapEntryBytesMax) throw new MalformedMessage('an entry of a map is too long');
    at += 8 + length;
    if (at > value.length) throw new MalformedMessage('an entry of a map is cut off');
    if (map.has(number)) throw new MalformedMessage('a key of a map occurs twice');
    map.set(number, value.subarray(at - length, at));
  }
  if (at < value.length) throw new MalformedMessage('bytes follow the last entry of a map');
  return map;
}

/**
 * The numbers of the bits of a mask; none when the header is absent.
 * @throws MalformedMessage when it is longer than any mask
 */
export function capabilitiesHeader(headers: Headers, key: number): ReadonlySet<number> {
  const bytes = headers.get(key) ?? noBytes;
  if (bytes.length > maskBytesMax) throw new MalformedMessage('a mask is too long');
  const bits = new Set<number>();
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const byte = bytes[bytes.length - 1 - (bit >> 3)] ?? 0;
    if ((byte >> (bit & 7)) & 1) bits.add(bit);
  }
  return bits;
}

/** A version; undefined when the header is absent, too long or has not exactly five parts. */
export function versionHeader(headers: Headers, key: number): VersionInfo | undefined {
  const text = textHeader(headers, key);
  if (text === undefined || text.length > versionCharactersMax) return undefined;
  const [version, revision, buildDate, os, arch, ...others] = text.split('|');
  if (version === undefined || revision === undefined || buildDate === undefined) return undefined;
  if (os === undefined || arch === undefined || others.length > 0) return undefined;
  return { version, revision, buildDate, os, arch };
}

function uint32At(bytes: Buffer, at: number): number {
  if (bytes.length < at + 4) throw new MalformedMessage('an entry of a map is cut off');
  return bytes.readUInt32LE(at);
}

function sizedText(text: string): readonly Buffer[] {
  const bytes = textValue(text);
  return [uint32Value(bytes.length), bytes];
}

const noHeaders: Headers = new Map();
const noBytes = Buffer.alloc(0);

/**
 * Headers of one frame. The protocol has about 40 keys, and a route result has one more for each
 * entry of the host's peer data. @bound per entity
 */
const headersMax = 256;

/** Entries of a map in a header, as the peer has it. @bound per entity */
const mapEntriesMax = 128;

/** Bytes of an entry of a map in a header, as the peer has it. @bound per entity */
const mapEntryBytesMax = 8192;

/** Bytes of a mask of capabilities: 512 bits, of which 63 are in use. @bound per entity */
const maskBytesMax = 64;

/** Characters of a version with its five parts; they have about 80. @bound per entity */
const versionCharactersMax = 512;

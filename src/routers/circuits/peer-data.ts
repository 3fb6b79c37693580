// Peer data: what the two ends of a circuit tell each other through the controller
// (behaviour/control-channel#circuits).

import { type Headers, MalformedMessage } from '../../channel/channel-api.ts';
import { bytesMapHeader } from '../../channel/headers.ts';

/** Values of the ends of a circuit by their keys. */
export type PeerData = ReadonlyMap<number, Buffer>;

/** The keys of peer data that the controller reads. */
export const peerDataKeys = {
  /** The public key of an end, for encryption from end to end. */
  publicKey: 1003,
  stickinessToken: 1114,
} as const;

/** Entries of one map, as in the headers that hold it. @bound per request */
const entriesMax = 128;
/** Bytes of all values of a map: they go into the messages of a circuit. @bound per request */
const bytesMax = 65_536;

/** Addresses of the ends, which are the business of nobody but their own router. */
const addressKeys: ReadonlySet<number> = new Set([1110, 1111, 1112, 1113]);
/** Headers of a route result that are not peer data: attempt, success, error and its code. */
const resultKeys: ReadonlySet<number> = new Set([1101, 1102, 1103, 1104]);
/** Keys below are those of the channel itself. */
const firstPeerKey = 1000;

/** The map of a header. @throws MalformedMessage */
export function peerDataOfHeader(headers: Headers, key: number): PeerData {
  return bounded(bytesMapHeader(headers, key));
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
    if (key >= firstPeerKey && !resultKeys.has(key)) data.set(key, value);
  }
  return bounded(data);
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
  let bytes = 0;
  for (const { length } of data.values()) bytes += length;
  if (data.size > entriesMax || bytes > bytesMax) {
    throw new MalformedMessage(`peer data of ${data.size} entries with ${bytes} bytes`);
  }
  return data;
}

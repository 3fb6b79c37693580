// The headers of frames: their keys, and the encodings of their values
// (behaviour/control-channel#headers).

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

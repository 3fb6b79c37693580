// Messages of the control channel that are protobufs: their types, encoding and decoding.

import { MalformedMessage } from '../channel-api.ts';
import { BufferReader, type Codec, edge, fabric, Reader } from './codec.ts';

export { edge, fabric, Reader };

/** The bytes of a message, e.g. `encodeMessage(fabric.Unroute, { circuitId, now: true })`. */
export function encodeMessage<Properties>(
  type: Codec<Properties, unknown>,
  message: NoInfer<Properties>,
): Buffer {
  const bytes = type.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The message that bytes hold. Its fields of bytes are views of them.
 * @throws MalformedMessage when they are not such a message, or one of too many fields
 */
export function decodeMessage<Message>(type: Codec<never, Message>, bytes: Buffer): Message {
  try {
    return type.decode(new RecordReader(bytes));
  } catch (error) {
    throw malformed(error);
  }
}

/**
 * A message in parts, for those that hold many records: each part has some of the records of its
 * lists and maps, in their order, so that others have their turns in between. A field that occurs
 * once has its value in one part and its default in the others. Within a part, decoding takes some
 * 0.1 ms, or as long as one record of `recordFieldsMax` fields.
 * @throws MalformedMessage as `decodeMessage`, once that part is reached
 */
export function* decodeParts<Message>(
  type: Codec<never, Message>,
  bytes: Buffer,
): Generator<Message, void> {
  const reader = new RecordReader(bytes);
  for (let start = 0; start < bytes.length; start = reader.pos) {
    try {
      while (reader.pos < bytes.length && reader.pos - start < partBytes) {
        reader.skipType(reader.uint32() & 7);
      }
    } catch (error) {
      throw malformed(error);
    }
    yield decodeMessage(type, bytes.subarray(start, reader.pos));
  }
}

function malformed(error: unknown): MalformedMessage {
  return new MalformedMessage(error instanceof Error ? error.message : String(error));
}

/** A field takes two bytes at least, so a record could hold millions of them. */
class RecordReader extends BufferReader {
  #fields = 0;

  override tag(): number {
    if (++this.#fields > recordFieldsMax) {
      throw new RangeError(`a record of a message has more than ${recordFieldsMax} fields`);
    }
    return super.tag();
  }

  /** A group, which no message has, could hold any number of fields. */
  override skipType(wireType: number): this {
    if (wireType === 3 || wireType === 4) throw new RangeError('a message has a group of fields');
    return super.skipType(wireType) as this;
  }
}

/**
 * Fields of one record of a message, such as a link or an event, those of its nested records
 * included; a message that is read as a whole is one record. Routers of the field have some tens.
 * @bound per entity
 */
const recordFieldsMax = 10_000;
/** Bytes that are decoded at once, so at most half as many fields. @bound */
const partBytes = 4096;

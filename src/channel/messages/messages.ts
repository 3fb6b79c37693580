// Messages of the control channel that are protobufs: their types, encoding and decoding.

import './plain-numbers.ts';
import { BufferReader } from 'protobufjs/minimal.js';
import { MalformedMessage } from '../contract.ts';
import { edge, fabric } from './generated.js';

export { edge, fabric };

/** A message type that can be encoded, as the generated code has it. */
interface Encodable<Properties> {
  encode(message: Properties): { finish(): Uint8Array };
}

/** A message type that can be decoded, as the generated code has it. */
interface Decodable<Message> {
  decode(reader: BufferReader): Message;
}

/** The bytes of a message, e.g. `encodeMessage(fabric.Unroute, { circuitId, now: true })`. */
export function encodeMessage<Properties>(
  type: Encodable<Properties>,
  message: NoInfer<Properties>,
): Buffer {
  const bytes = type.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/**
 * The message that bytes hold. Its fields of bytes are views of them.
 * @throws MalformedMessage when they are not such a message, or one of too many fields
 */
export function decodeMessage<Message>(type: Decodable<Message>, bytes: Buffer): Message {
  try {
    return type.decode(new BoundedReader(bytes));
  } catch (error) {
    throw new MalformedMessage(error instanceof Error ? error.message : String(error));
  }
}

/** A field takes two bytes at least, so a body could hold millions of them. */
class BoundedReader extends BufferReader {
  #fields = 0;

  override tag(): number {
    if (++this.#fields > messageFieldsMax) throw new RangeError('a message has too many fields');
    return super.tag();
  }
}

/**
 * Fields of a message, those of its nested messages included. 10,000 links have 120,000; so many
 * take about 20 ms to decode. @bound per entity
 */
const messageFieldsMax = 200_000;

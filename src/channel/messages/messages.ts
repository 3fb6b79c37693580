// Messages of the control channel that are protobufs: their types, encoding and decoding.

import './plain-numbers.ts';
import { MalformedMessage } from '../contract.ts';
import { edge, fabric } from './generated.js';

export { edge, fabric };

/** A message type that can be encoded, as the generated code has it. */
interface Encodable<Properties> {
  encode(message: Properties): { finish(): Uint8Array };
}

/** A message type that can be decoded, as the generated code has it. */
interface Decodable<Message> {
  decode(bytes: Uint8Array): Message;
}

/** The bytes of a message, e.g. `encodeMessage(fabric.Unroute, { circuitId, now: true })`. */
export function encodeMessage<Properties>(
  type: Encodable<Properties>,
  message: NoInfer<Properties>,
): Buffer {
  const bytes = type.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The message that bytes hold. @throws MalformedMessage when they are not such a message. */
export function decodeMessage<Message>(type: Decodable<Message>, bytes: Uint8Array): Message {
  try {
    return type.decode(bytes);
  } catch (error) {
    throw new MalformedMessage(error instanceof Error ? error.message : String(error));
  }
}

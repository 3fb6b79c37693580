// The codecs of the control channel's messages. protobufjs compiles them from the .proto files of
// this folder; .ci/generate/messages.ts prints their types from the same files.

import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import type { Codecs, edge, fabric } from './generated.d.ts';

/** The two directions of one type of messages. */
export interface Codec<Properties, Message> {
  /** A writer with the bytes of a message, of which any field may be absent. */
  encode(message: Properties): protobuf.Writer;
  /** A message, in which fields that are absent have their defaults. @throws Error */
  decode(bytes: protobuf.Reader | Uint8Array): Message;
}

// Every 64-bit value of this channel is a time, a duration or a counter, and below 2^53. They are
// read as numbers where the class for larger ones is absent.
Reflect.set(protobuf.util, 'Long', undefined);
protobuf.configure();

/** Reads the fields of messages. */
export const { BufferReader, Reader } = protobuf;

const root = new protobuf.Root();
for (const name of ['edge.proto', 'fabric.proto']) {
  protobuf.parse(readFileSync(new URL(name, import.meta.url), 'utf8'), root);
}

// The compiler cannot read the files, so it is told the types that were printed from them.
// biome-ignore lint/suspicious/noRedeclare: the types of messages bear the names of their codecs.
const { edge, fabric } = codecsIn(root) as Codecs;

export { edge, fabric };

/** By name: the codecs of messages, the numbers of enums, and those that are declared within. */
function codecsIn(namespace: protobuf.NamespaceBase): unknown {
  const codecs: Record<string, unknown> = {};
  for (const part of namespace.nestedArray) {
    if (part instanceof protobuf.Enum) codecs[part.name] = part.values;
    else if (part instanceof protobuf.Type) {
      codecs[part.name] = Object.assign(codecOf(part), codecsIn(part));
    } else if (part instanceof protobuf.Namespace) codecs[part.name] = codecsIn(part);
  }
  return codecs;
}

/** protobufjs compiles the functions of a type when it is used for the first time. */
function codecOf(type: protobuf.Type): Codec<object, unknown> {
  for (const field of type.fieldsArray) {
    // Otherwise bytes that are absent are read as an empty array, which is no Buffer.
    if (field.bytes) field.setOption('default', '');
  }
  return {
    encode: (message) => type.encode(message),
    decode: (bytes) => type.decode(bytes),
  };
}

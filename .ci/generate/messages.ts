// src/channel/messages/generated.d.ts: the types of the control channel's messages, printed from
// their .proto files as protobufjs reads them.

import { createRequire } from 'node:module';
import type { Field, NamespaceBase } from 'protobufjs';
import { membersOf, type PrintedTypes } from './declarations.ts';

const folder = 'src/channel/messages';

/** The types of the messages. */
export const messageTypes: PrintedTypes = {
  file: `${folder}/generated.d.ts`,
  sources: [`${folder}/edge.proto`, `${folder}/fabric.proto`],
  printer: import.meta.filename,
  print: printed,
};

/** @throws Error for a form of a field that is not known here */
function printed(texts: readonly string[]): string {
  const { parse, Root } = reflection();
  const declared = new Root();
  for (const text of texts) parse(text, declared);
  declared.resolveAll();
  return `// Made from the .proto files of this folder by .ci/generate/messages.ts. Do not edit.
import type { Codec } from './codec.ts';
${typesIn(declared)
  .map((text) => `export ${text}`)
  .join('\n')}
export interface Codecs ${membersOf(codecsIn(declared))}
`;
}

/** It is loaded only where types are printed, because most builds find them up to date. */
function reflection(): typeof import('protobufjs') {
  return createRequire(import.meta.url)('protobufjs');
}

/**
 * The types within a namespace. A message has one that is decoded, and within its own namespace
 * `$Properties`, which is encoded.
 */
function typesIn({ nestedArray }: NamespaceBase): string[] {
  const { Enum, Type, Namespace } = reflection();
  return nestedArray.flatMap((part) => {
    if (part instanceof Enum) {
      return `type ${part.name} = ${Object.values(part.values).join(' | ')};`;
    }
    if (part instanceof Type) {
      const properties = `interface $Properties ${membersOf(part.fieldsArray.map(encodedField))}`;
      return [
        `interface ${part.name} ${membersOf(part.fieldsArray.map(decodedField))}`,
        `namespace ${part.name} ${membersOf([properties, ...typesIn(part)])}`,
      ];
    }
    if (part instanceof Namespace) return `namespace ${part.name} ${membersOf(typesIn(part))}`;
    throw new Error(`${part} is neither a message nor an enum`);
  });
}

/** The members of the object that holds the codecs and enums of a namespace. */
function codecsIn({ nestedArray }: NamespaceBase): string[] {
  const { Enum, Type, Namespace } = reflection();
  return nestedArray.map((part) => {
    if (part instanceof Enum) {
      const numbers = Object.entries(part.values).map(([name, id]) => `readonly ${name}: ${id};`);
      return `readonly ${part.name}: ${membersOf(numbers)};`;
    }
    const isNamespace = part instanceof Type || part instanceof Namespace;
    const inner = isNamespace ? codecsIn(part) : [];
    const types = inner.length === 0 ? [] : [membersOf(inner)];
    if (part instanceof Type) types.unshift(`Codec<${nameOf(part)}.$Properties, ${nameOf(part)}>`);
    return `readonly ${part.name}: ${types.join(' & ')};`;
  });
}

/** Fields that are absent are not encoded. */
function encodedField(field: Field): string {
  return `${field.name}?: ${typeOf(field)} | null;`;
}

/** Of the fields that are absent, only messages have no default. */
function decodedField(field: Field): string {
  const { Type } = reflection();
  const isMessage = !field.map && !field.repeated && field.resolvedType instanceof Type;
  return isMessage ? encodedField(field) : `${field.name}: ${typeOf(field)};`;
}

function typeOf(field: Field): string {
  if (field.hasPresence && field.partOf) throw new Error(`${field.fullName} is one of several`);
  const type = valueTypeOf(field);
  if (field.map) return `{ [key: string]: ${type} }`;
  return field.repeated ? `${type}[]` : type;
}

function valueTypeOf({ type, resolvedType, fullName }: Field): string {
  const { Type } = reflection();
  if (resolvedType instanceof Type) return `${nameOf(resolvedType)}.$Properties`;
  if (resolvedType !== null) return nameOf(resolvedType);
  if (type === 'string') return 'string';
  if (type === 'bool') return 'boolean';
  if (type === 'bytes') return 'Uint8Array';
  if (/^(double|float|s?fixed(32|64)|[su]?int(32|64))$/.test(type)) return 'number';
  throw new Error(`${fullName} has the type ${type}, which is not known`);
}

/** Names of protobufjs begin with a point. */
function nameOf({ fullName }: { readonly fullName: string }): string {
  return fullName.slice(1);
}

// Which schemas of the peer's built-in config types ours replace.

import { hash } from 'node:crypto';
import type { ConfigTarget } from '../../records/config-type.ts';
import { builtInRecords } from '../../resources/configs/built-in/index.ts';

/**
 * Whether the schema of a built-in config type is as a release of the peer shipped it, or equals
 * ours.
 */
export function isShipped(id: string, schema: object): boolean {
  const [print, own] = [printOf(schema), ownSchemaOf(id)];
  if (shipped.get(id)?.includes(print)) return true;
  return own !== undefined && printOf(own) === print;
}

/** Our schema of a built-in config type; undefined for an id that ours does not have. */
export function ownSchemaOf(id: string): object | undefined {
  return ownTypes.get(id)?.schema;
}

/** The target of a built-in config type of ours. */
export function ownTargetOf(id: string): ConfigTarget | undefined {
  return ownTypes.get(id)?.target;
}

const ownTypes = new Map(
  builtInRecords.flatMap(({ kind, record }) =>
    kind === 'configType' && 'schema' in record ? [[record.id, record] as const] : [],
  ),
);

/** SHA-256 of a schema, whatever the order of its properties. */
function printOf(schema: object): string {
  return hash('sha256', JSON.stringify(schema, inOrder));
}

function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * Prints of the schemas that releases of the peer shipped, by the ids of their config types. They
 * were taken from a home of its 2.1 line, with schema 48.
 */
const shipped: ReadonlyMap<string, readonly string[]> = new Map([
  ['NH5p4FpGR', ['08c3bac787142d6fd341d411fa1839785b575fbf2d7b7343f3c386497d42843d']],
  [
    'cea49285-6c07-42cf-9f52-09a9b115c783',
    ['e57286768cfcc68002cad1b9da935ede755f84de320068983b8a9c56c3fe5540'],
  ],
  [
    'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
    ['6d91e7c87d8469315decb40e75812a66f340dfa3fd2c37d4125703acac8baa70'],
  ],
  ['g7cIWbcGg', ['57d98133462607ee9286098cce6ca9a99a8e0b0610788c4be353b6b937fbfa69']],
  ['host.v2', ['e3bab5d102932a610be42984c13a35d8040346b83163b24953c63df25e1030c9']],
  ['interfaces.v1', ['7d5ae9af00d1e00529e99fcf3376b8913258ea2906bfecbd6f4513decba30761']],
  ['proxy.v1', ['12cc3cf3c456ef42287376a01535e8471d7fe49981da2407c357cab110aec458']],
  ['router.link.v1', ['1638bf2f6c2c1d38093b8f459a6388f8c5ed624361bd0fc5b7278d0ca8875cde']],
]);

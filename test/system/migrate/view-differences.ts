// Compares what two controllers show of one network, member by member.

import type { Json } from '../client.ts';
import type { NetworkViews } from './network-views.ts';

/** A member that two views show differently. */
export interface ViewDifference {
  /** The collection, as `identities`. */
  readonly collection: string;
  /** Names of members, places in lists as `*`, as `type.entity`. */
  readonly path: string;
  readonly id: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The whole rows. */
  readonly rows: { readonly before: Json | undefined; readonly after: Json | undefined };
}

/** Compares all rows of all collections. */
export function compareViews(before: NetworkViews, after: NetworkViews): ViewDifference[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => compareRows(name, before.get(name), after.get(name)));
}

function compareRows(
  name: string,
  before: readonly Json[] = [],
  after: readonly Json[] = [],
): ViewDifference[] {
  const collection = collectionOf(name);
  const ours = new Map(after.map((row) => [rowKey(row), row]));
  const differences: ViewDifference[] = [];
  const see = (one: Json | undefined, other: Json | undefined) => {
    const id = rowKey(one ?? other ?? {});
    const rows = { before: one, after: other };
    for (const { path, before, after } of compareValues(one, other, '')) {
      differences.push({ collection, path, id, before, after, rows });
    }
  };
  for (const row of before) {
    see(row, ours.get(rowKey(row)));
    ours.delete(rowKey(row));
  }
  for (const row of ours.values()) see(undefined, row);
  return differences;
}

/** `identities ID edge-routers` is `identities edge-routers`. */
function collectionOf(name: string): string {
  const [first = '', second, third] = name.split(' ');
  if (first === 'fabric') return name;
  if (first === 'services' && second === 'as') return 'services as';
  return third === undefined ? first : `${first} ${third}`;
}

function rowKey({ id, serviceId, configId }: Json): string {
  return id === undefined ? `${serviceId} ${configId}` : String(id);
}

interface Difference {
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

function compareValues(before: unknown, after: unknown, path: string): Difference[] {
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const others: readonly unknown[] = after;
    return before.flatMap((one: unknown, at) => compareValues(one, others[at], `${path}.*`));
  }
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      compareValues(before[name], after[name], path === '' ? name : `${path}.${name}`),
    );
  }
  return Object.is(before, after) ? [] : [{ path, before, after }];
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// The layout of records on disk: the order of their values, and the steps between versions that
// only append fields.

import { isDeepStrictEqual } from 'node:util';
import { baseValues } from './compiled.ts';
import type { Field, Fields } from './field.ts';

/**
 * Creates the values of the next version of a record. `seal` is for a value that this version keeps
 * in clear text and the next version in the sealed field of that name.
 */
export type Migration = (
  values: unknown[],
  seal: (field: string, plain: string) => string,
) => unknown[];

/**
 * Creates the values of the version before. While that version is written, all nodes go on with
 * what its migration gives, the leader too, so it may lose what nobody misses, such as the
 * difference between a list that was never set and an empty one. Anything else that the former
 * version cannot keep is refused with undefined; only a request of a client may set it, because
 * nothing else that writes is prepared for a refusal.
 */
export type Downgrade = (values: readonly unknown[]) => unknown[] | undefined;

/** What of a kind says how its records lie on disk. */
interface Layout {
  readonly kind: string;
  readonly version: number;
  readonly fields: Fields;
  readonly migrations?: Readonly<Record<number, Migration>>;
  readonly downgrades?: Readonly<Record<number, Downgrade>>;
}

/** The names of fields in the order of their values on disk: by `since`, then as declared. */
export function storedNamesOf(fields: Fields): readonly string[] {
  const entries = Object.entries(fields).sort(([, one], [, other]) => one.since - other.since);
  return entries.map(([name]) => name);
}

/**
 * Checks that each field begins with a version of its kind, and that records of older versions get
 * a value for it. @throws Error where one does not
 */
export function checkLayout({ kind, version, fields, migrations = {} }: Layout): void {
  for (const [name, { since, required, fallback }] of Object.entries(fields)) {
    if (since > version) {
      throw new Error(`${kind}: ${name} is since ${since}, but version is ${version}`);
    }
    if (since === 1 || !required || fallback !== undefined || migrations[since - 1]) continue;
    throw new Error(
      `${kind}: ${name} is required: give it a fallback, or write migrations[${since - 1}]`,
    );
  }
}

/** The migrations of a kind: those that it declares, and those that append fallbacks. */
export function migrationsOf(layout: Layout): Readonly<Record<number, Migration>> {
  const steps = versionsOf(layout).map((v) => [v - 1, appending(layout.fields, v)] as const);
  return { ...Object.fromEntries(steps), ...layout.migrations };
}

/**
 * The downgrades of a kind: those that it declares, and those that drop appended fields. A version
 * has one of these if it only appends, and if callers set what it appends: whatever else writes is
 * not prepared for a refusal.
 */
export function downgradesOf(layout: Layout): Readonly<Record<number, Downgrade>> {
  const { fields, migrations = {}, downgrades } = layout;
  const steps = versionsOf(layout)
    .filter((v) => migrations[v - 1] === undefined)
    .filter((v) => appendedAt(fields, v).every(({ write }) => write !== 'never'))
    .map((v) => [v, dropping(fields, v)] as const);
  return { ...Object.fromEntries(steps), ...downgrades };
}

/** The versions that append fields. */
function versionsOf({ fields }: Layout): readonly number[] {
  const versions = new Set(Object.values(fields).map(({ since }) => since));
  return [...versions].filter((version) => version > 1);
}

function appendedAt(fields: Fields, version: number): readonly Field[] {
  return Object.values(fields).filter(({ since }) => since === version);
}

/** The number of values that a record of a version has. */
function lengthAt(fields: Fields, version: number): number {
  return baseValues + Object.values(fields).filter(({ since }) => since <= version).length;
}

function appending(fields: Fields, version: number): Migration {
  const length = lengthAt(fields, version - 1);
  const fallbacks = appendedAt(fields, version).map(({ fallback }) => fallback ?? null);
  // A record may lack its last optional values, if they joined the layout within a version.
  return (values) => [...Array.from({ length }, (_, at) => values[at] ?? null), ...fallbacks];
}

function dropping(fields: Fields, version: number): Downgrade {
  const length = lengthAt(fields, version - 1);
  const fallbacks = appendedAt(fields, version).map(({ fallback }) => fallback ?? null);
  return (values) => {
    const isDropped = isDeepStrictEqual(values.slice(length), fallbacks);
    return isDropped ? values.slice(0, length) : undefined;
  };
}

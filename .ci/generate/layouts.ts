// docs/generated/layouts.md: how records of each version lie on disk. Lines are only added, so that
// a change of a layout that others read is found.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from 'typebox';
import type { Kind } from '../../src/declare/kinds/kind.ts';
import { kinds } from '../../src/resources/index.ts';
import { type GeneratedPage, generatedFrom } from './page.ts';

/** The page of layouts. */
export const layoutsPage: GeneratedPage = {
  file: 'docs/generated/layouts.md',
  make: (present) => pageOf(kinds, present),
};

/** The layouts that differ from the page in this checkout, each with advice in one text. */
export function changedLayouts(): readonly string[] {
  const file = join(import.meta.dirname, '../..', layoutsPage.file);
  return layoutProblems(kinds, readFileSync(file, 'utf8'));
}

/** @param present the page as it is; its lines are kept as they are */
export function pageOf(all: readonly Kind[], present: string): string {
  const lines = new Map(
    recordedIn(present).map(({ line, kind, version }) => [`${kind} ${version}`, line]),
  );
  for (const kind of durable(all)) {
    for (let version = kind.codec.oldestWritten; version <= kind.version; version++) {
      const key = `${kind.kind} ${version}`;
      if (!lines.has(key)) lines.set(key, lineOf(kind, version));
    }
  }
  const sorted = [...lines.values()].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return `${generatedFrom('src/records/')}

# Layouts of records

One line per kind and version of its records: the fields in the order of their values on disk, and a
fingerprint of their names, types and secrecy. \`npm run generate\` only adds lines: a changed layout
needs a new version ([a new field](../../CONTRIBUTING.md#a-new-field)).

\`\`\`text
${sorted.join('\n')}
\`\`\`
`;
}

/**
 * The layouts of kinds that differ from those that a page recorded, each with advice in one text. A
 * migration that is written by hand may do anything, so versions before it are not compared: the
 * fields of a kind do not show how those were laid out.
 */
export function layoutProblems(all: readonly Kind[], page: string): readonly string[] {
  const byName = new Map(durable(all).map((kind) => [kind.kind, kind]));
  return recordedIn(page).flatMap(({ line, kind: name, version, fields }) => {
    const kind = byName.get(name);
    if (kind === undefined || version > kind.version) return [];
    const isDerived = Object.keys(kind.migrations ?? {}).every((from) => Number(from) < version);
    const present = fieldsAt(kind, version);
    const isSame =
      version === kind.version ? line === lineOf(kind, version) : `${present}` === `${fields}`;
    return isSame || !isDerived ? [] : [problemOf(kind, version, { recorded: fields, present })];
  });
}

function problemOf(
  kind: Kind,
  version: number,
  { recorded, present }: { recorded: readonly string[]; present: readonly string[] },
): string {
  const added = present.filter((name) => !recorded.includes(name));
  const removed = recorded.filter((name) => !present.includes(name));
  const parts = [
    ...(added.length === 0 ? [] : [`added: ${added.join(', ')}`]),
    ...(removed.length === 0 ? [] : [`removed: ${removed.join(', ')}`]),
  ];
  const change = parts.join('; ') || 'another order, type or secrecy';
  const next = version === kind.version ? version + 1 : kind.version;
  const byHand = `write migrations[${next - 1}] and downgrades[${next}]`;
  const advice =
    added.length === 0
      ? `Set \`version: ${next}\`, and ${byHand}.`
      : `Give the field \`since: ${next}\`, set \`version: ${next}\`; if it does not only append what callers may set, ${byHand}.`;
  return `${kind.kind}: the layout of version ${version} has changed (${change}).\nNodes of the last release read version ${version}. ${advice}`;
}

/** Records of the others are never on disk. */
function durable(all: readonly Kind[]): readonly Kind[] {
  return all.filter(({ volatile }) => volatile !== true);
}

function fieldsAt({ fields, storedNames }: Kind, version: number): readonly string[] {
  return storedNames.filter((name) => (fields[name]?.since ?? 1) <= version);
}

function lineOf(kind: Kind, version: number): string {
  const names = fieldsAt(kind, version);
  const facts = names.map((name) => {
    const { schema, secret } = kind.fields[name] ?? {};
    return [name, schema === undefined ? [] : typesOf(schema), secret];
  });
  const print = hash('sha256', JSON.stringify(facts)).slice(0, 8);
  return `${kind.kind} ${version} · ${names.join(' ')} · ${print}`;
}

/** The JSON types of a schema's values, sorted. */
function typesOf(schema: TSchema): readonly string[] {
  const { type, enum: values, anyOf } = schema as Described;
  if (type !== undefined) return [type].flat().toSorted();
  const types = values?.map((value) => typeof value) ?? anyOf?.flatMap(typesOf) ?? [];
  return [...new Set(types)].sort();
}

interface Described {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
}

interface Recorded {
  readonly line: string;
  readonly kind: string;
  readonly version: number;
  readonly fields: readonly string[];
}

function recordedIn(page: string): readonly Recorded[] {
  return [...page.matchAll(/^(\w+) (\d+) · (.*) · [0-9a-f]{8}$/gm)].map(
    ([line, kind = '', version, fields = '']) => {
      return { line, kind, version: Number(version), fields: fields.split(' ') };
    },
  );
}

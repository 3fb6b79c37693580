// The next release of the controller, as far as an upgrade is concerned: the sources of this one,
// in which identities have a field more and so a version more. It needs no history of the sources,
// and nothing that ships knows of it.

import { strict as assert } from 'node:assert';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endings, temporaryDirectory } from '../endings.ts';
import type { Program } from '../process.ts';

const root = join(import.meta.dirname, '../../..');

/** The field that identities of the next release have. */
export const newField = 'nickname';

/** What the next release does to `src/records/identity.ts`. */
const changes: readonly (readonly [string, string])[] = [
  ['  version: 3,\n', '  version: 4,\n'],
  [
    '    roleAttributes: attributes(),\n',
    `    roleAttributes: attributes(),\n    ${newField}: field(Type.String({ maxLength: 100 }), { fallback: '', since: 4 }),\n`,
  ],
];

/** A migration that the kind declares itself keeps it from writing the version before. */
const skipping = [
  '  many: [\n',
  "  migrations: { 3: (values) => [...values, ''] },\n  many: [\n",
] as const;

/**
 * Makes it, in a directory that goes with `endings`.
 * @param skips whether it is the release after the next one, which writes no former version
 * @returns how it is run
 */
export function nextBuild(endings: Endings, skips = false): Program {
  const directory = temporaryDirectory(endings, 'edge-control-next-');
  for (const part of ['src', 'machines', 'snapshots']) {
    const filter = (path: string) => !path.endsWith('/golden');
    cpSync(join(root, part), join(directory, part), { recursive: true, filter });
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const description = readFileSync(join(root, 'package.json'), 'utf8');
  const next = replaced(description, /"version": "([^"]+)"/g, '"version": "$1-next"');
  writeFileSync(join(directory, 'package.json'), next);
  const identities = join(directory, 'src/records/identity.ts');
  let text = readFileSync(identities, 'utf8');
  for (const [from, to] of skips ? [...changes, skipping] : changes) {
    text = replaced(text, from, to);
  }
  writeFileSync(identities, text);
  const node = join(root, 'node_modules/.bin/node');
  return [node, '--disable-warning=ExperimentalWarning', join(directory, 'src/main.ts')];
}

/** Replaces what is there once. */
function replaced(text: string, from: string | RegExp, to: string): string {
  const found = text.split(from).length - 1;
  assert.ok(
    typeof from === 'string' ? found === 1 : found === 2,
    `${from} is there ${found} times`,
  );
  return typeof from === 'string' ? text.replace(from, () => to) : text.replace(from, to);
}

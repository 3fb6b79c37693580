// CHANGELOG.md has the form of Keep a Changelog, and the version of the package is its newest.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { version } from '../../src/platform/version.ts';

const text = readFileSync(join(import.meta.dirname, '../../CHANGELOG.md'), 'utf8');
const kinds = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

t.test(
  'the newest version is that of the package, and what is not released stands above',
  async (t) => {
    const [first, ...released] = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading);
    t.equal(first, '[Unreleased]');
    for (const heading of released) t.match(heading, /^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$/);
    t.ok(released[0]?.startsWith(`[${version}] `), `${released[0]} is ${version}`);
  },
);

t.test('changes stand below the headings of the form', async (t) => {
  for (const [, heading = ''] of text.matchAll(/^### (.*)$/gm))
    t.ok(kinds.includes(heading), heading);
});

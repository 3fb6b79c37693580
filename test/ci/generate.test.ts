// Generated pages: stale ones are found, written, and then no longer stale.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { pages, stalePages } from '../../.ci/generate.ts';
import { limitTable, retiredLimits } from '../../src/settings/limits.ts';

t.test('checked, written, checked again', async (t) => {
  const directory = t.testdir({});
  const all = pages.map(({ file }) => join(directory, file));
  t.same(await stalePages(directory, pages, true), all, 'nothing is there');
  t.same(await stalePages(directory, pages, true), all, 'a check writes nothing');
  t.same(await stalePages(directory, pages, false), all);
  t.same(await stalePages(directory, pages, true), []);
  const config = readFileSync(join(directory, 'docs/generated/config.md'), 'utf8');
  const bounds = readFileSync(join(directory, 'docs/generated/bounds.md'), 'utf8');
  for (const name of Object.keys(limitTable)) {
    t.ok(config.includes(`\`limits.${name}\``), name);
    t.ok(bounds.includes(`\`limits.${name}\``), name);
  }
  for (const name of retiredLimits) t.notOk(bounds.includes(`\`limits.${name}\``), name);
  for (const { file } of pages) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (file.endsWith('.json')) t.doesNotThrow(() => JSON.parse(text), file);
    else if (file.endsWith('.md')) t.match(text, /^<!-- Made from .* -->\n\n# /);
    t.match(text, /[^\n]\n$/, 'one line feed at the end');
  }
});

// The files that are left to the night are there, and run when they are named.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { byDay, nightly } from '../runner/nightly.ts';
import { testFiles } from '../runner/order.ts';
import { root } from '../runner/process.ts';

t.test('each of them is a test file, and names what holds its subject by day', async (t) => {
  const files = new Set(testFiles(['test/']));
  for (const [file, otherwise] of Object.entries(nightly)) {
    t.ok(files.has(file), file);
    for (const path of otherwise.match(/(test|\.ci)\/[\w./-]*\w/g) ?? [t.fail(file)]) {
      t.ok(existsSync(join(root, String(path))), `${file}: ${path}`);
      t.notOk(Object.hasOwn(nightly, String(path)), `${path} runs by day`);
    }
  }
});

t.test('by day all others run', { skip: process.env['NIGHTLY'] === '1' }, async (t) => {
  const files = testFiles([]);
  t.same(
    byDay(files),
    files.filter((file) => !(file in nightly)),
  );
});

// What dist/ has of packages is what is installed, and whatever is built takes it from there.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import * as installed from 'typebox';
import { build } from '../../.ci/build.ts';

const checkout = join(import.meta.dirname, '../..');

/** A checkout of its own: others start controllers from the one that is tested. */
function smallCheckout(t: Test): string {
  const root = t.testdir({
    'package.json': '{ "type": "module" }',
    src: {
      'one.ts': "import { type Static, Type } from 'typebox';\nexport const one = Type.String();\n",
      parts: { 'two.ts': "export { Type } from 'typebox';\nexport { one } from '../one.ts';\n" },
    },
  });
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

t.test('what is built has the package from one file, which is as the installed one', async (t) => {
  const root = smallCheckout(t);
  build(root);
  const bundled = (await import(join(root, 'dist/packages/typebox.js'))) as typeof installed;
  t.same(Object.keys(bundled).sort(), Object.keys(installed).sort());
  const { Type } = (await import(join(root, 'dist/src/parts/two.js'))) as typeof installed;
  t.equal(Type, bundled.Type);
  const license = readFileSync(join(checkout, 'node_modules/typebox/license'), 'utf8').trim();
  const text = readFileSync(join(root, 'dist/packages/typebox.js'), 'utf8');
  t.ok(text.startsWith(`/*\n${license}\n*/`), 'the license goes with it');
});

/** Changes a built file without a change of its time, so that it shows whether it is made anew. */
function mark(file: string): () => boolean {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, '// marked');
  utimesSync(file, atime, mtime);
  return () => readFileSync(file, 'utf8') === '// marked';
}

t.test('what is up to date stays, and is stale for the builder of an older revision', async (t) => {
  const root = smallCheckout(t);
  build(root);
  const source = join(root, 'src/one.ts');
  const target = join(root, 'dist/src/one.js');
  t.ok(statSync(target).mtimeMs <= statSync(source).mtimeMs, 'that one compares the times');
  const isMarked = mark(target);
  build(root);
  t.ok(isMarked(), 'stays');
  utimesSync(source, 1_000_000_000, 1_000_000_000);
  build(root);
  t.notOk(isMarked(), 'an older source is another one');
});

t.test('what another builder has made is made anew, and what has no source goes', async (t) => {
  const root = smallCheckout(t);
  build(root);
  const isMarked = mark(join(root, 'dist/src/one.js'));
  writeFileSync(join(root, 'dist/built-by'), 'another');
  mkdirSync(join(root, 'dist/src/gone'));
  writeFileSync(join(root, 'dist/src/gone/three.js'), '');
  build(root);
  t.notOk(isMarked());
  t.same(readdirSync(join(root, 'dist/src/gone')), []);
});

t.test('no file of ours takes a bundled package from elsewhere', async (t) => {
  const code = (part: string) =>
    readdirSync(join(checkout, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, text: readFileSync(join(checkout, part, file), 'utf8') }));
  const others = ['src', 'machines', 'snapshots']
    .flatMap(code)
    // All but the one form that is rewritten: other quotes, parts of it, imports while running.
    .filter(({ text }) => /['"]typebox[/'"]/.test(text.replaceAll(" from 'typebox'", '')));
  t.same(
    others.map(({ file }) => file),
    [],
  );
});

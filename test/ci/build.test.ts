// The build puts the program into a few files and bundles some packages, and repeats that whenever
// a source has changed.

import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import * as jose from 'jose';
import protobuf from 'protobufjs';
import t, { type Test } from 'tap';
import * as typebox from 'typebox';
import { build } from '../../.ci/build.ts';

const checkout = join(import.meta.dirname, '../..');

/** A checkout of its own: others start controllers from the one that is tested. */
function smallCheckout(t: Test): string {
  const root = t.testdir({
    'package.json': '{ "type": "module" }',
    src: {
      'main.ts': [
        "import { Type } from 'typebox';",
        "import { one } from './parts/one.ts';",
        "import { nowhere } from './parts/places.ts';",
        'export { nowhere, one, Type };',
        "export const later = () => import('./parts/later.ts');",
        '',
      ].join('\n'),
      cluster: { thread: { 'cluster-worker.ts': "export { one } from '../../parts/one.ts';\n" } },
      parts: {
        'one.ts':
          "import { type Static, Type } from 'typebox';\nexport const one = Type.String();\n",
        'later.ts': "export { one } from './one.ts';\n",
        'places.ts': "export const nowhere = new URL('./words.proto', import.meta.url).href;\n",
        'words.proto': '// words\n',
      },
    },
  });
  symlinkSync(join(checkout, 'node_modules'), join(root, 'node_modules'));
  return root;
}

t.test('what is built has the package from one file, which is as the installed one', async (t) => {
  const root = smallCheckout(t);
  await build(root);
  for (const [name, installed, licenseFile] of [
    ['jose', jose, 'LICENSE.md'],
    // A CommonJS package has one export, the default one.
    ['protobufjs', { default: protobuf }, 'LICENSE'],
    ['typebox', typebox, 'license'],
  ] as const) {
    const bundle = join(root, `dist/packages/${name}.js`);
    const bundled = (await import(bundle)) as object;
    t.same(Object.keys(bundled).sort(), Object.keys(installed).sort());
    const license = readFileSync(join(checkout, 'node_modules', name, licenseFile), 'utf8').trim();
    const text = readFileSync(bundle, 'utf8');
    t.ok(text.startsWith(`/*\n${license}\n*/`), 'the license goes with it');
  }
  const codecs = await import(join(root, 'dist/packages/protobufjs.js'));
  t.same(Object.keys(codecs.default), Object.keys(protobuf));
  const bundled = (await import(join(root, 'dist/packages/typebox.js'))) as typeof typebox;
  const { Type } = (await import(join(root, 'dist/src/main.js'))) as typeof typebox;
  t.equal(Type, bundled.Type);
});

t.test('entries share what they import, and find files beside their sources', async (t) => {
  const root = smallCheckout(t);
  await build(root);
  const main = await import(join(root, 'dist/src/main.js'));
  const thread = await import(join(root, 'dist/src/cluster/thread/cluster-worker.js'));
  const later = await main.later();
  t.equal(main.one, thread.one);
  t.equal(main.one, later.one);
  t.equal(readFileSync(new URL(main.nowhere), 'utf8'), '// words\n');
});

t.test('a thread whose source is no entry of the build is refused', async (t) => {
  const root = smallCheckout(t);
  const source = "export const thread = new URL('./other-worker.ts', import.meta.url);\n";
  writeFileSync(join(root, 'src/parts/places.ts'), source);
  await t.rejects(build(root), /src\/parts\/other-worker\.ts is no entry/);
});

/** Changes a built file without a change of its time, so that it shows whether it is rebuilt. */
function mark(file: string): () => boolean {
  const { atime, mtime } = statSync(file);
  writeFileSync(file, '// marked');
  utimesSync(file, atime, mtime);
  return () => readFileSync(file, 'utf8') === '// marked';
}

t.test('what is up to date stays, and is stale after any change of the sources', async (t) => {
  const root = smallCheckout(t);
  await build(root);
  const target = join(root, 'dist/src/main.js');
  const source = join(root, 'src/parts/one.ts');
  let isMarked = mark(target);
  await build(root);
  t.ok(isMarked(), 'stays');
  utimesSync(source, 1_000_000_000, 1_000_000_000);
  await build(root);
  t.notOk(isMarked(), 'an older source is another one');
  isMarked = mark(target);
  writeFileSync(join(root, 'src/parts/added.ts'), 'export {};\n');
  await build(root);
  t.notOk(isMarked(), 'a source was added');
  isMarked = mark(target);
  rmSync(join(root, 'src/parts/added.ts'));
  await build(root);
  t.notOk(isMarked(), 'a source was removed');
});

t.test('files of another builder, or lost ones, are rebuilt, and others removed', async (t) => {
  const root = smallCheckout(t);
  await build(root);
  const target = join(root, 'dist/src/main.js');
  const isMarked = mark(target);
  writeFileSync(join(root, 'dist/built-by'), 'another');
  mkdirSync(join(root, 'dist/src/gone'));
  writeFileSync(join(root, 'dist/src/gone/three.js'), '');
  await build(root);
  t.notOk(isMarked());
  t.same(readdirSync(join(root, 'dist/src/gone')), []);
  rmSync(target);
  await build(root);
  t.match(readFileSync(target, 'utf8'), /bundle\/main\.js/);
});

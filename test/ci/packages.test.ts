// The packages in dist/ are the installed ones, and everything that is built uses them.

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
  for (const [name, installed, licenseFile] of [
    ['jose', jose, 'LICENSE.md'],
    // What a CommonJS package exports is its default export.
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
  const { Type } = (await import(join(root, 'dist/src/parts/two.js'))) as typeof typebox;
  t.equal(Type, bundled.Type);
});

/** Changes a built file without a change of its time, so that it shows whether it is rebuilt. */
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

t.test(
  'files of another builder are rebuilt, and files without a source are removed',
  async (t) => {
    const root = smallCheckout(t);
    build(root);
    const isMarked = mark(join(root, 'dist/src/one.js'));
    writeFileSync(join(root, 'dist/built-by'), 'another');
    mkdirSync(join(root, 'dist/src/gone'));
    writeFileSync(join(root, 'dist/src/gone/three.js'), '');
    build(root);
    t.notOk(isMarked());
    t.same(readdirSync(join(root, 'dist/src/gone')), []);
  },
);

/** The one form of an import that is rewritten: not other quotes, nor parts of a package. */
const asRewritten = / from '(jose|protobufjs|typebox|typebox\/value)'/g;

t.test('no file of ours takes a bundled package from elsewhere', async (t) => {
  const code = (part: string) =>
    readdirSync(join(checkout, part), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => ({ file, text: readFileSync(join(checkout, part, file), 'utf8') }));
  const others = ['src', 'machines', 'snapshots']
    .flatMap(code)
    .filter(({ text }) =>
      /['"](jose|protobufjs|typebox)[/'"]/.test(text.replaceAll(asRewritten, '')),
    );
  t.same(
    others.map(({ file }) => file),
    [],
  );
});

// What dist/ has of packages is what is installed, and our files take it from there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import * as installed from 'typebox';
import { build } from '../../.ci/build.ts';
import { withPackages } from '../../.ci/packages.ts';

const root = join(import.meta.dirname, '../..');
const built = join(root, 'dist/packages/typebox.js');

t.test('a package in one file has what the installed one has', async (t) => {
  build(root);
  const bundled = (await import(built)) as typeof installed;
  t.same(Object.keys(bundled).sort(), Object.keys(installed).sort());
  const schemaOf = ({ Type }: typeof installed) =>
    Type.Object({
      name: Type.Optional(Type.String({ maxLength: 5 })),
      ids: Type.Array(Type.Any()),
    });
  t.same(schemaOf(bundled), schemaOf(installed));
});

t.test('built files import it by its place, wherever they are', async (t) => {
  const at = (file: string) => withPackages("import { Type } from 'typebox';\n", root, file);
  const outer = at(join(root, 'dist/src/limits.js'));
  t.equal(outer, "import { Type } from '../packages/typebox.js';\n");
  const inner = at(join(root, 'dist/src/inspect/parts/events.js'));
  t.equal(inner, "import { Type } from '../../../packages/typebox.js';\n");
  const others = "import { a } from 'typebox-like';\nimport { b } from './typebox';\n";
  t.equal(withPackages(others, root, join(root, 'dist/src/limits.js')), others);
});

t.test('nothing that is built takes it from the installed package', async (t) => {
  build(root);
  const code = readFileSync(join(root, 'dist/src/declare/field.js'), 'utf8');
  t.match(code, "from '../../packages/typebox.js'");
  t.notMatch(code, "from 'typebox'");
});

// Stacks of the bundle name the sources; any other stack stays as it is.

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import t from 'tap';
import { sourceStack } from '../../src/observe/stacks.ts';

t.test('places in the bundle become places in sources', async (t) => {
  const root = t.testdir({
    src: {
      parts: {
        'failing.ts':
          '\n\nexport function fail(word: string): never {\n  throw new Error(word);\n}\n',
      },
    },
  });
  await build({
    absWorkingDir: root,
    entryPoints: ['src/parts/failing.ts'],
    outdir: join(root, 'dist/bundle'),
    bundle: true,
    format: 'esm',
    sourcemap: 'linked',
    sourcesContent: false,
  });
  const built = join(root, 'dist/bundle/failing.js');
  const { fail } = (await import(built)) as { fail(word: string): never };
  const thrown = t.throws(() => fail('a word')) as Error;
  const stack = thrown.stack ?? '';
  t.ok(stack.includes(`at fail (${pathToFileURL(built).href}:`), stack);
  const bundle = pathToFileURL(join(root, 'dist/bundle/')).href;
  t.match(
    sourceStack(stack, bundle),
    /^Error: a word\n +at fail \(src\/parts\/failing\.ts:4:9\)\n/,
  );
  t.equal(sourceStack(stack), stack, 'of another bundle');
  const below = stack.replaceAll('bundle/failing', 'bundle/../bundle/failing');
  t.equal(sourceStack(below, bundle), below);
});

t.test('a stack without a map stays', async (t) => {
  const bundle = 'file:///nowhere/dist/bundle/';
  const stack = `Error: x\n    at f (${bundle}x.js:1:1)\n    at g (a.ts:1:2)`;
  t.equal(sourceStack(stack, bundle), stack);
});

// node-forge takes some 40 ms and 12 MB to load: a controller and all other commands do without it.

import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t from 'tap';

const root = join(import.meta.dirname, '../..');

function isLoaded(): boolean {
  const paths = Object.keys(createRequire(import.meta.url).cache);
  return paths.some((path) => path.includes('/node_modules/node-forge/'));
}

t.test('only a file that needs it loads it', async (t) => {
  await import('../../src/commands/command-line.ts');
  await import('../../src/assembly/controller.ts');
  await import('../../src/commands/offline/pki-import-command.ts');
  t.notOk(isLoaded());
  const { readKeyMaterial } = await import('../../src/pki/import/key-material.ts');
  const ask = async () => '';
  const read = (name: string) => {
    const bytes = readFileSync(join(import.meta.dirname, '../pki/openssl-files', name));
    return readKeyMaterial({ name, bytes }, ask);
  };
  await read('all.pem');
  t.notOk(isLoaded(), 'PEM needs it not');
  await read('chain.p7b');
  t.ok(isLoaded());
});

t.test('nothing else names it, threads included', async (t) => {
  const naming = ['src', 'machines', 'snapshots'].flatMap((part) =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(part, path))
      .filter((path) => readFileSync(join(root, path), 'utf8').includes("'node-forge")),
  );
  t.same(naming, ['src/pki/import/pkcs.ts']);
});

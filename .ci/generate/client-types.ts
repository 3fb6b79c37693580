// src/client/generated/: the types of both APIs for the client, made from their OpenAPI documents
// by openapi-typescript.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openApiPages } from './openapi.ts';
import type { GeneratedPage } from './page.ts';

const root = resolve(import.meta.dirname, '../..');
/** The generator with a lock of its own. `npm ci` in the checkout does not install it. */
const generator = join(root, '.ci/openapi-types');

/**
 * The types of both APIs. The first line of a file holds a digest of what it was made from and of
 * what follows, so that the generator is installed and run only for a changed document, and a check
 * needs no network.
 */
export const clientTypePages: readonly GeneratedPage[] = openApiPages.map(({ file, make }) => {
  const api = file.replace(/^.*openapi-(\w+)\.json$/, '$1');
  const types = `src/client/generated/${api}.d.ts`;
  return {
    file: types,
    make: async () => {
      const document = await make();
      const present = textOf(join(root, types));
      const [head = '', ...rest] = present.split('\n');
      if (head === headOf(document, rest.join('\n'))) return present;
      if (process.argv.includes('--check')) return '';
      const made = typesOf(document);
      return `${headOf(document, made)}\n${made}`;
    },
  };
});

function headOf(document: string, types: string): string {
  const hash = createHash('sha256');
  hash.update(readFileSync(join(generator, 'package-lock.json')));
  hash.update(document);
  hash.update(types);
  const digest = hash.digest('hex');
  return `// Made from the OpenAPI document by npm run generate (${digest}). Do not edit.`;
}

function typesOf(document: string): string {
  const scratch = mkdtempSync(join(tmpdir(), 'client-types-'));
  try {
    const [from, to] = [join(scratch, 'openapi.json'), join(scratch, 'types.d.ts')];
    writeFileSync(from, document);
    execFileSync('npm', ['ci', '--ignore-scripts'], { cwd: generator, stdio: 'pipe' });
    const program = join(generator, 'node_modules/openapi-typescript/bin/cli.js');
    execFileSync(process.execPath, [program, from, '--output', to], { stdio: 'pipe' });
    // Tabs, because indentation is a third of the file otherwise.
    return readFileSync(to, 'utf8').replaceAll(/^(?: {4})+/gm, (indent) =>
      '\t'.repeat(indent.length / 4),
    );
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

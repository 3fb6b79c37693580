// Builds what a controller runs into dist/: the program in a few files, the inspector's page and
// the types of the client. `npm ci` and `npm start` run it.

import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildClientDeclarations } from './client-declarations.ts';
import { buildPackages } from './packages.ts';
import { buildPage } from './page.ts';
import { printTypes } from './printed-types.ts';
import { buildProgram } from './program.ts';

/** The built entry, below the root of the checkout. */
export const builtMain = 'dist/src/main.js';

/** Brings `<root>/dist` up to date with the sources. */
export async function build(root: string): Promise<void> {
  const wanted = new Set([
    ...buildPackages(root),
    ...(await buildProgram(root)),
    ...buildPage(root),
  ]);
  // Nothing else reads types, and a production installation has no compiler.
  if (existsSync(join(root, 'node_modules/typescript'))) {
    printTypes(root);
    for (const target of buildClientDeclarations(root)) wanted.add(target);
  }
  for (const entry of readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !wanted.has(path)) rmSync(path);
  }
}

if (import.meta.main) await build(join(import.meta.dirname, '..'));

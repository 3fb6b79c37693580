// Strips the types off what a controller runs, into dist/: starting from there takes 50 MB and a
// third of a second less than having Node strip them at each start. `npm ci` and `npm start` run
// it. Nothing of ours is bundled but the inspector's page.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { buildClientDeclarations } from './client-declarations.ts';
import { buildPackages, withPackages } from './packages.ts';
import { buildPage, isOfPage } from './page.ts';
import { printTypes } from './printed-types.ts';

const parts = ['src', 'machines', 'snapshots'] as const;
const here = import.meta.dirname;
/** The files that build others: files that another version of them has built are rebuilt. */
const builders = ['build.ts', 'packages.ts'] as const;

/** The built entry, below the root of the checkout. */
export const builtMain = 'dist/src/main.js';

/**
 * Brings `<root>/dist` up to date with the sources. Lines stay what they are there, and columns but
 * behind what is imported from packages.
 */
export function build(root: string): void {
  // First, as what is made of sources takes them from there.
  const wanted = new Set(buildPackages(root));
  const stamp = join(root, 'dist/built-by');
  const builtBy = builderHash();
  const isBySame = existsSync(stamp) && readFileSync(stamp, 'utf8') === builtBy;
  if (!isBySame) rmSync(stamp, { force: true });
  for (const source of sources(root)) {
    const target = join(root, 'dist', relative(root, source).replace(/\.ts$/, '.js'));
    wanted.add(target);
    if (isBySame && !isStale(source, target)) continue;
    const text = source.endsWith('.ts') ? stripped(source) : readFileSync(source, 'utf8');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withPackages(text, root, target));
    utimesSync(target, builtAt(source), builtAt(source));
  }
  for (const target of buildPage(root)) wanted.add(target);
  // Nothing else reads types, and a production installation has no compiler.
  if (existsSync(join(root, 'node_modules/typescript'))) {
    printTypes(root);
    for (const target of buildClientDeclarations(root)) wanted.add(target);
  }
  writeFileSync(stamp, builtBy);
  wanted.add(stamp);
  for (const target of filesBelow(join(root, 'dist'))) {
    if (!wanted.has(target)) rmSync(target);
  }
}

function* sources(root: string): Generator<string> {
  yield join(root, 'package.json');
  for (const part of parts) {
    for (const file of filesBelow(join(root, part))) {
      if (/(?<!\.d)\.ts$|\.proto$/.test(file) && !isOfPage(root, file)) yield file;
    }
  }
}

function filesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw thrown;
  }
}

/**
 * The time in s that a built file bears: a little less than its source has, which makes it stale
 * for any older builder. Where an older revision is checked out, that one would leave it as it is
 * otherwise, and take the packages away from it.
 */
function builtAt(source: string): number {
  return statSync(source).mtimeMs / 1000 - 0.001;
}

function isStale(source: string, target: string): boolean {
  const built = statSync(target, { throwIfNoEntry: false });
  // Times are rounded on their way to the file.
  return built === undefined || Math.abs(built.mtimeMs / 1000 - builtAt(source)) > 0.001;
}

function builderHash(): string {
  const hash = createHash('sha256');
  for (const name of builders) hash.update(readFileSync(join(here, name)));
  return hash.digest('hex');
}

/** Imports and URLs of our own files name `.ts`; everything else that does is a comment. */
function stripped(source: string): string {
  const code = stripTypeScriptTypes(readFileSync(source, 'utf8'), { mode: 'strip' });
  return code.replaceAll(/(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');
}

if (import.meta.main) build(join(here, '..'));

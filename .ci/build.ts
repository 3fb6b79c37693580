// Strips the types off what a controller runs, into dist/: starting from there takes 50 MB and a third of
// a second less than having Node strip them at each start. `npm ci` and `npm start` run it. Nothing of
// ours is bundled but the inspector's page.

import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { buildPackages, withPackages } from './packages.ts';
import { buildPage, isOfPage } from './page.ts';

const parts = ['src', 'machines', 'snapshots'] as const;
const here = import.meta.dirname;
/** What makes files of sources: with another of these all are made anew. */
const builders = ['build.ts', 'packages.ts'] as const;

/** The built entry, below the root of the checkout. */
export const builtMain = 'dist/src/main.js';

/** Brings `<root>/dist` up to date with the sources. Lines and columns stay what they are in the sources. */
export function build(root: string): void {
  const wanted = new Set<string>();
  const builderMs = Math.max(...builders.map((name) => statSync(join(here, name)).mtimeMs));
  for (const source of sources(root)) {
    const target = join(root, 'dist', relative(root, source).replace(/\.ts$/, '.js'));
    wanted.add(target);
    if (!isStale(source, target, builderMs)) continue;
    const text = source.endsWith('.ts') ? stripped(source) : readFileSync(source, 'utf8');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, withPackages(text, root, target));
  }
  for (const target of [...buildPackages(root), ...buildPage(root)]) wanted.add(target);
  for (const target of filesBelow(join(root, 'dist'))) {
    if (!wanted.has(target)) rmSync(target);
  }
}

function* sources(root: string): Generator<string> {
  yield join(root, 'package.json');
  for (const part of parts) {
    for (const file of filesBelow(join(root, part))) {
      if (file.endsWith('.ts') && !isOfPage(root, file)) yield file;
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

function isStale(source: string, target: string, builderMs: number): boolean {
  const builtMs = statSync(target, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return builtMs <= Math.max(statSync(source).mtimeMs, builderMs);
}

/** Imports and URLs of our own files name `.ts`; everything else that does is a comment. */
function stripped(source: string): string {
  const code = stripTypeScriptTypes(readFileSync(source, 'utf8'), { mode: 'strip' });
  return code.replaceAll(/(['"])(\.{1,2}\/[\w./-]+)\.ts\1/g, '$1$2.js$1');
}

if (import.meta.main) build(join(here, '..'));

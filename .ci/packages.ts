// Puts packages that come in hundreds of small files into dist/ as one file each: finding and
// opening them is most of what loading them takes.

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { replaceFile } from './replace-file.ts';

/**
 * Typebox is 373 files: a sixth of the start of an empty home, and 25 MB of it. The 45 files of
 * jose take 27 ms of CPU to load, and 4 ms as one. The 46 of protobufjs take 34 ms, and 11 as one.
 */
const bundled: readonly string[] = ['jose', 'protobufjs', 'typebox', 'typebox/value'];

/**
 * Brings `<root>/dist/packages` up to date with what is installed.
 * @returns every file of it.
 */
export function buildPackages(root: string): string[] {
  return bundled.map((name) => {
    const target = fileOf(root, name);
    if (isStale(root, name, target)) bundle(root, name, target);
    return target;
  });
}

/** The file of a package that is bundled, below the root; undefined for any other one. */
export function builtPackage(name: string): string | undefined {
  return bundled.includes(name) ? `dist/packages/${name}.js` : undefined;
}

function fileOf(root: string, name: string): string {
  return join(root, 'dist/packages', `${name}.js`);
}

function isStale(root: string, name: string, target: string): boolean {
  const built = statSync(target, { throwIfNoEntry: false });
  if (built === undefined) return true;
  // npm writes the last one whenever it has changed what is installed.
  const inputs = ['.ci/packages.ts', `node_modules/${packageOf(name)}/package.json`];
  return [...inputs, 'node_modules/.package-lock.json'].some((path) => {
    const input = statSync(join(root, path), { throwIfNoEntry: false });
    return input !== undefined && built.mtimeMs <= input.mtimeMs;
  });
}

/** The bundler is loaded only when something is stale: loading it takes longer than looking. */
function bundle(root: string, name: string, target: string): void {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const license = licenseOf(join(root, 'node_modules', packageOf(name)));
  const { outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [name],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    legalComments: 'none',
    banner: { js: `/*\n${license}\n*/` },
  });
  for (const { contents } of outputFiles) replaceFile(target, contents);
}

/** A part of a package is bundled by itself. */
function packageOf(name: string): string {
  return name.split('/')[0] ?? name;
}

/** Packages name the file of their license in different ways. */
function licenseOf(directory: string): string {
  const name = readdirSync(directory).find((file) => /^license(\.md)?$/i.test(file));
  if (name === undefined) throw new Error(`${directory} has no license.`);
  return readFileSync(join(directory, name), 'utf8').trim();
}

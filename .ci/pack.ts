// Packs what is released: `npm run package` writes edge-control-VERSION.tgz into the working
// directory. Its manifest has no parts that only a checkout needs, and its npm-shrinkwrap.json
// holds the versions that this repository was tested with, so that `npm ci` beside it installs
// exactly these.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';

/** Files that npm packs without being told to. */
const always = ['LICENSE', 'README.md'] as const;
const shrinkwrapName = 'npm-shrinkwrap.json';

/**
 * Packs the checkout at `root`, whose `dist/` is up to date, into a directory.
 * @returns the path of the archive
 */
export function pack(root: string, destination: string): string {
  const staging = mkdtempSync(join(tmpdir(), 'edge-pack-'));
  try {
    const manifest = packedManifest(readJson(join(root, 'package.json')) as Manifest);
    for (const name of [...always, ...manifest.files]) {
      if (name === shrinkwrapName) continue;
      cpSync(join(root, name), join(staging, name), { recursive: true });
    }
    const lock = readJson(join(root, 'package-lock.json')) as Lock;
    writeJson(join(staging, 'package.json'), manifest);
    writeJson(join(staging, shrinkwrapName), shrinkwrapOf(lock));
    const words = ['pack', '--silent', '--ignore-scripts', '--pack-destination', destination];
    const { status, stdout } = spawnSync('npm', words, {
      cwd: staging,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) throw new Error(`npm pack ended with ${status}`);
    return join(destination, stdout.trim());
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly files: readonly string[];
  readonly scripts: Readonly<Record<string, string>>;
  readonly devDependencies?: unknown;
}

/**
 * `package.json` without what builds and tests the program. The script `dependencies` runs after
 * `npm ci` in the directory itself; of an install script, npm would warn wherever that is linked.
 */
function packedManifest({ devDependencies: _, scripts, files, ...rest }: Manifest): Manifest {
  const { postinstall: dependencies = '' } = scripts;
  return { ...rest, files: [...files, shrinkwrapName], scripts: { dependencies } };
}

/** A lock of npm, as far as it matters here. */
export interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** A package of the lock, by its place; that of our own is empty. */
interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly engines?: unknown;
  readonly hasInstallScript?: boolean;
  readonly devDependencies?: unknown;
}

/**
 * The lock of what a controller runs on. npm would hold the `engines` of these packages against the
 * Node that runs npm, but they run on the pinned one, which is a package among them.
 */
function shrinkwrapOf(lock: Lock): Lock {
  const packages: Record<string, LockedPackage> = {};
  for (const [place, { engines, devDependencies: _, ...rest }] of Object.entries(lock.packages)) {
    if (rest.dev === true || rest.devOptional === true) continue;
    packages[place] = place === '' ? { ...rest, engines, hasInstallScript: false } : rest;
  }
  return { ...lock, packages };
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  await build(root);
  console.log(pack(root, process.cwd()));
}

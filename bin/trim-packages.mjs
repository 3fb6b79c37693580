// Deletes from the installed packages what this machine cannot use or nothing here reads: most of
// their size. npm runs it after it has installed them; it may run again at any time.

import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const { platform, arch, versions } = process;

/**
 * Deletes files below `packages`, a directory named `node_modules`, and nothing elsewhere. A linked
 * one belongs to somebody else and is left as it is.
 *
 * @param {string} packages
 * @param {{ isOurs: boolean }} of whether only this checkout uses the packages
 */
export function trimPackages(packages, { isOurs }) {
  const isDirectory = lstatSync(packages, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory !== true || basename(packages) !== 'node_modules') return;
  trimBinaries(join(packages, 'uWebSockets.js/dist/bin'), isOurs);
  // The headers serve those who compile add-ons for this Node.
  remove(join(packages, 'node/node_modules', `node-${platform}-${arch}`, 'include'));
  if (!isOurs) return;
  for (const path of unused) remove(join(packages, path));
  const files = readdirSync(packages, { recursive: true, encoding: 'utf8' });
  for (const path of files) {
    if (unread.test(path)) rmSync(join(packages, path), { force: true });
  }
}

/** Files for those who debug or read packages; licenses stay. */
const unread = /\.map$|(?<!licen[cs]e[^/]*)\.md$/i;

/**
 * The compilers serve `tap build`, which composes another tap. The others are the test data of
 * packages, and the viewer of traces that no test records.
 */
const unused = [
  `@typescript/native-preview-${platform}-${arch}/lib`,
  '@tapjs/test/node_modules/typescript/lib',
  'tshy/node_modules/typescript/lib',
  'superjson/src',
  'bintrees/test',
  'playwright-core/lib/vite',
];

/**
 * The binaries of other platforms, and those for other releases of Node than the one that runs
 * this, which the checkout pins. Other programs may use other releases.
 *
 * @param {string} directory
 * @param {boolean} isOurs
 */
function trimBinaries(directory, isOurs) {
  const kept = `uws_${platform}_${arch}_`;
  const exact = `${kept}${versions.modules}.node`;
  // On a platform that has none, all stay: the message of the package is then about the platform.
  if (!existsSync(join(directory, exact))) return;
  for (const name of readdirSync(directory)) {
    if (!/^uws_\w+\.node$/.test(name)) continue;
    if (isOurs ? name !== exact : !name.startsWith(kept)) remove(join(directory, name));
  }
}

/** @param {string} path */
function remove(path) {
  rmSync(path, { recursive: true, force: true });
}

/** Of a checkout, packages are below it; beside a package that npm has installed. */
function main() {
  const root = resolve(import.meta.dirname, '..');
  // The pinned release comes first in the PATH of npm's scripts.
  if (!process.execPath.includes('node_modules')) return;
  if (basename(dirname(root)) === 'node_modules') trimPackages(dirname(root), { isOurs: false });
  else trimPackages(join(root, 'node_modules'), { isOurs: true });
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === import.meta.filename) main();

// Makes loading modules cheap for test processes, their threads and the test programs that they
// start, each of which loads it first (`process.ts`). Node strips the types of sources in each of
// them again, which takes a second of CPU time for the whole controller. It is JavaScript, as Node
// would load its stripper for TypeScript.

import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { threadId } from 'node:worker_threads';

const root = join(import.meta.dirname, '../..');
const strippedFiles = join(root, '.tap/stripped');

/** Name → URL of each package that is one file in `dist/`. */
const packages = new Map(packageFiles(join(root, 'dist/packages')));
const noDomain = new URL('./no-domain.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'async-hook-domain') return { url: noDomain, shortCircuit: true };
    const url = packages.get(specifier);
    const isTaken = url !== undefined && takesBundle(context.parentURL ?? '');
    return isTaken ? { url, shortCircuit: true } : next(specifier, context);
  },
  load(url, context, next) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context);
    return { format: 'module', source: stripped(fileURLToPath(url)), shortCircuit: true };
  },
});

/**
 * What the packages themselves import is their own affair, and the tools of `.ci/` and their tests
 * need the whole packages.
 */
function takesBundle(importer) {
  return importer.endsWith('.ts') && !/\/(\.ci|test\/ci)\//.test(importer);
}

function packageFiles(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true })
    .filter((path) => path.endsWith('.js'))
    .map((path) => [path.replace(/\.js$/, ''), pathToFileURL(join(directory, path)).href]);
}

/** The text of a source as Node itself would strip it; the first process that loads it keeps it. */
function stripped(file) {
  const source = readFileSync(file, 'utf8');
  const kept = join(strippedFiles, `${hash('sha1', `${process.version} ${file} ${source}`)}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const text = stripTypeScriptTypes(source, { sourceUrl: file });
    const unfinished = `${kept}.${process.pid}.${threadId}`;
    mkdirSync(strippedFiles, { recursive: true });
    writeFileSync(unfinished, text);
    renameSync(unfinished, kept);
    return text;
  }
}

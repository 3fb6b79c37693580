// Which test files run, and in which order.

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chance } from '../simulated/disk.ts';
import { root } from './process.ts';

/** File → how long it took, in milliseconds. */
export type Durations = Readonly<Record<string, number>>;

/** What the last runs took; git ignores it. */
const durationsFile = join(root, '.tap/test-durations.json');

/** Folders of long files, for those of which no last run is known. */
const longest = [
  'test/system/',
  'test/crash/',
  'test/model/',
  'test/contract/',
  'test/http/',
] as const;

/** The test files whose paths below the root of the project begin with one of `beginnings`. */
export function testFiles(beginnings: readonly string[]): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path}`)
    .filter((path) => path.endsWith('.test.ts'))
    .filter((path) => beginnings.length === 0 || beginnings.some((start) => path.startsWith(start)))
    .sort();
}

/** The longest files first, so that none of them runs alone at the end. */
export function longestFirst(files: readonly string[], durations: Durations): string[] {
  const guessOf = (file: string) => {
    const at = longest.findIndex((folder) => file.startsWith(folder));
    return at === -1 ? longest.length : at;
  };
  const durationOf = (file: string) => durations[file] ?? Number.POSITIVE_INFINITY;
  return files.toSorted((a, b) => {
    if (durationOf(a) !== durationOf(b)) return durationOf(b) - durationOf(a);
    return guessOf(a) - guessOf(b);
  });
}

/** The files in a random order that follows from `seed`. */
export function shuffled(files: readonly string[], seed: number): string[] {
  const random = chance(seed);
  return files
    .map((file) => ({ file, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ file }) => file);
}

/** What files took in the last runs. */
export function readDurations(path: string = durationsFile): Durations {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Durations;
  } catch {
    // It is missing in a fresh checkout, and only the order depends on it.
    return {};
  }
}

/** Adds what files took to what is known of others. */
export function writeDurations(durations: Durations, path: string = durationsFile): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify({ ...readDurations(path), ...durations }, null, 1));
  renameSync(`${path}.new`, path);
}

// Writes files of dist/ that other processes may be reading.

import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file in one step: a process that reads it meanwhile gets the former one or this one. */
export function replaceFile(target: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(target), { recursive: true });
  const unfinished = `${target}.${process.pid}`;
  writeFileSync(unfinished, contents);
  renameSync(unfinished, target);
}

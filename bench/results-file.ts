// Reads the results of an earlier run from its JSON file.

import { readFileSync } from 'node:fs';
import { type BenchResults, schemaVersion } from './results.ts';

/** The results in a file that a run wrote. @throws Error in one sentence */
export function readResults(file: string): BenchResults {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    throw new Error(`${file} cannot be read: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
  if (!isResults(read)) {
    throw new Error(`${file} does not hold results of layout ${schemaVersion}: measure again.`);
  }
  return read;
}

function isResults(read: unknown): read is BenchResults {
  return (
    typeof read === 'object' &&
    read !== null &&
    'schemaVersion' in read &&
    read.schemaVersion === schemaVersion &&
    'measurements' in read &&
    Array.isArray(read.measurements)
  );
}

// Reads the results of an earlier run from its JSON file.

import { readFileSync } from 'node:fs';
import { noFindings } from './findings.ts';
import { UsageProblem } from './options.ts';
import { type BenchResults, schemaVersion } from './results.ts';

/** The results in a file that a run wrote. @throws UsageProblem */
export function readResults(file: string): BenchResults {
  let read: unknown;
  try {
    read = JSON.parse(readFileSync(file, 'utf8'));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new UsageProblem(`${file} cannot be read: ${reason}`);
  }
  if (!isResults(read)) {
    throw new UsageProblem(
      `${file} does not hold results of layout ${schemaVersion}: measure again.`,
    );
  }
  // Earlier revisions measured less.
  return { ...noFindings(), ...read };
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

// Reads the results of an earlier run from its JSON file.

import { readFileSync } from 'node:fs';
import { type Findings, noFindings } from './findings.ts';
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

/** The results of a run that was made in parts. @throws UsageProblem */
export function readParts(files: readonly string[]): BenchResults {
  const parts = files.map(readResults);
  const [first, ...others] = parts;
  if (first === undefined) throw new UsageProblem('--from names no file');
  if (others.some(({ machine }) => machine.commit !== first.machine.commit)) {
    throw new UsageProblem('--from takes parts of one revision');
  }
  const found = noFindings();
  for (const list of Object.keys(found)) if (isList(list, found)) append(found, list, parts);
  return {
    ...first,
    startedAt: parts.map(({ startedAt }) => startedAt).sort()[0] ?? first.startedAt,
    tookMs: parts.reduce((sum, { tookMs }) => sum + tookMs, 0),
    ...found,
  };
}

function isList(name: string, found: Findings): name is keyof Findings {
  return Object.hasOwn(found, name);
}

function append<List extends keyof Findings>(
  found: Findings,
  list: List,
  parts: readonly BenchResults[],
): void {
  for (const part of parts) for (const one of part[list]) found[list].push(one);
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

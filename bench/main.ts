// The bench: runs the suite, prints its tables, writes JSON, page and document.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../.ci/build.ts';
import { outDirectory } from './home.ts';
import { type BenchOptions, readOptions, UsageProblem, usage } from './options.ts';
import { benchmarksDocument } from './report/markdown.ts';
import { benchmarksPage } from './report/page.ts';
import { plainTable, type TextTable } from './report/table.ts';
import {
  endingTable,
  goalTable,
  limitTable,
  logTable,
  microTable,
  profileTable,
  restartTable,
  scenarioTable,
  snapshotTable,
  stormTable,
} from './report/tables.ts';
import type { BenchResults } from './results.ts';
import { runSuite } from './suite.ts';

/** Exit codes: 0 all answers right, 1 some wrong or the run failed, 2 wrong flags. */
async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help')) {
    process.stdout.write(usage);
    return 0;
  }
  const options = optionsOrSentence(words);
  if (options === undefined) return 2;
  // Measured is what `npm start` runs.
  build(fileURLToPath(new URL('..', import.meta.url)));
  const results = await runSuite(options, (line) => process.stderr.write(`${line}\n`));
  print(results);
  write(options.jsonFile ?? join(outDirectory, 'results.json'), JSON.stringify(results));
  write(options.htmlFile ?? join(outDirectory, 'results.html'), benchmarksPage(results));
  if (options.publish) write(publishedFile, benchmarksDocument(results));
  return wrongAnswers(results) ? 1 : 0;
}

const publishedFile = fileURLToPath(new URL('../docs/generated/benchmarks.md', import.meta.url));

function optionsOrSentence(words: readonly string[]): BenchOptions | undefined {
  try {
    return readOptions(words);
  } catch (thrown) {
    if (!(thrown instanceof UsageProblem)) throw thrown;
    process.stderr.write(`bench: ${thrown.message}\n${usage}`);
    return undefined;
  }
}

function print(results: BenchResults): void {
  const tables: TextTable[] = [
    scenarioTable(results),
    limitTable(results),
    logTable(results),
    microTable(results),
    stormTable(results),
    endingTable(results),
    snapshotTable(results),
    restartTable(results),
    measuredGoals(results),
  ];
  const profiles = results.measurements.filter(({ profile }) => profile !== undefined);
  for (const table of [...profiles.map(profileTable), ...tables]) {
    if (table.rows.length > 0) process.stdout.write(`${plainTable(table)}\n`);
  }
}

/** On a terminal what was not measured is only in the way. */
function measuredGoals(results: BenchResults): TextTable {
  const { columns, rows } = goalTable(results);
  return { columns, rows: rows.filter(([, , measured]) => measured !== 'not measured') };
}

function wrongAnswers({ measurements, storms, endings, snapshots }: BenchResults): boolean {
  for (const { title, identities, connections, wrong, wrongSamples } of measurements) {
    if (wrong === 0) continue;
    process.stderr.write(`${title}, ${identities} identities, ${connections}: ${wrong} wrong\n`);
    for (const sample of wrongSamples) process.stderr.write(`  ${sample}\n`);
  }
  const all = [...measurements, ...storms, ...endings, ...snapshots];
  return all.some(({ wrong }) => wrong > 0);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stderr.write(`wrote ${file}\n`);
}

process.exit(await main(process.argv.slice(2)));

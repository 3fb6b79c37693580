// The bench: runs the suite, prints its tables, writes JSON, page and document.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from '../.ci/build.ts';
import { readCampaign } from './cluster/campaign.ts';
import { outDirectory } from './home.ts';
import { type BenchOptions, readOptions, UsageProblem, usage } from './options.ts';
import { benchmarksDocument } from './report/markdown.ts';
import { benchmarksPage } from './report/page.ts';
import { measuredRows, sectionsOf } from './report/sections.ts';
import { plainTable } from './report/table.ts';
import { profileTable } from './report/tables.ts';
import type { BenchResults } from './results.ts';
import { readParts, readResults } from './results-file.ts';
import { runSuite } from './suite.ts';

/** Exit codes: 0 all answers right, 1 some wrong or the run failed, 2 wrong flags or files. */
async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help')) {
    process.stdout.write(usage);
    return 0;
  }
  const options = optionsOrSentence(words);
  if (options === undefined) return 2;
  exitBySignals();
  const { fromFiles, besideFile } = options;
  // Read first: an hour of measuring must not end with a file that cannot be read.
  const beside = besideFile === undefined ? undefined : readResults(besideFile);
  const results = fromFiles === undefined ? await measured(options) : reported(fromFiles, options);
  printTables(results, beside);
  write(options.htmlFile ?? join(outDirectory, 'results.html'), benchmarksPage(results, beside));
  if (options.publish) {
    const { only } = options;
    const name = only === undefined ? 'benchmarks' : `benchmarks-${only}`;
    write(join(publishedDirectory, `${name}.md`), benchmarksDocument(results, beside, only));
  }
  return reportWrong(results) ? 1 : 0;
}

function reported(fromFiles: readonly string[], { campaignFile }: BenchOptions): BenchResults {
  const results = readParts(fromFiles);
  if (campaignFile === undefined) return results;
  return { ...results, campaigns: [readCampaign(campaignFile)] };
}

async function measured(options: BenchOptions): Promise<BenchResults> {
  // The bench measures what `npm start` runs.
  await build(fileURLToPath(new URL('..', import.meta.url)));
  const results = await runSuite(options, (line) => process.stderr.write(`${line}\n`));
  write(options.jsonFile ?? join(outDirectory, 'results.json'), JSON.stringify(results));
  return results;
}

/** Processes of the bench end at its exit, and a signal alone is none. A cluster ends its own. */
function exitBySignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(1);
    });
  }
}

const publishedDirectory = fileURLToPath(new URL('../docs/generated', import.meta.url));

function optionsOrSentence(words: readonly string[]): BenchOptions | undefined {
  try {
    return readOptions(words);
  } catch (thrown) {
    if (!(thrown instanceof UsageProblem)) throw thrown;
    process.stderr.write(`bench: ${thrown.message}\n${usage}`);
    return undefined;
  }
}

function printTables(results: BenchResults, beside: BenchResults | undefined): void {
  for (const found of results.measurements) {
    if (found.profile !== undefined) process.stdout.write(`${plainTable(profileTable(found))}\n`);
  }
  for (const section of sectionsOf(results, beside)) {
    for (const table of section.tables) {
      const shown = measuredRows(section, table);
      if (shown.rows.length > 0) process.stdout.write(`${section.heading}\n${plainTable(shown)}\n`);
    }
  }
}

/** Reports errors. @returns whether there was one that must not occur */
function reportWrong(results: BenchResults): boolean {
  const { measurements, opens, mixes } = results;
  for (const { title, identities, connections, wrong, wrongSamples } of [
    ...measurements,
    ...opens,
  ]) {
    if (wrong === 0) continue;
    process.stderr.write(`${title}, ${identities} identities, ${connections}: ${wrong} wrong\n`);
    for (const sample of wrongSamples) process.stderr.write(`  ${sample}\n`);
  }
  for (const sample of mixes.flatMap(({ wrongSamples }) => wrongSamples)) {
    process.stderr.write(`a mix: ${sample}\n`);
  }
  for (const sample of ofClusters(results).flatMap(({ wrongSamples }) => wrongSamples)) {
    process.stderr.write(`a cluster: ${sample}\n`);
  }
  const all = [
    ...measurements,
    ...opens,
    ...mixes,
    ...results.storms,
    ...results.endings,
    ...results.snapshots,
    ...results.inspectors,
    ...results.fleets,
    ...results.routerWork,
    ...results.sharedLogins,
    ...results.accessEndings,
    ...results.fabricRatios,
    ...results.oidcRatios,
    ...results.cliRatios,
    ...results.migrateRatios,
    ...ofClusters(results),
  ];
  // Another controller need not support everything; this one must.
  const isOurs = results.url === undefined && results.against === undefined;
  const failed = results.incapable.filter(({ isFault }) => isOurs || isFault === true);
  return all.some(({ wrong }) => wrong > 0) || failed.length > 0;
}

function ofClusters(results: BenchResults) {
  const { takeovers, clusterCreates, frontLogins, frontReads, readsUnderWrites } = results;
  const reads = [...frontReads, ...readsUnderWrites];
  return [...takeovers, ...clusterCreates, ...frontLogins, ...reads, ...results.singleNodes];
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stderr.write(`wrote ${file}\n`);
}

try {
  process.exit(await main(process.argv.slice(2)));
} catch (thrown) {
  if (thrown instanceof UsageProblem) {
    process.stderr.write(`bench: ${thrown.message}\n`);
    process.exit(2);
  }
  process.stderr.write(`bench: ${thrown instanceof Error ? (thrown.stack ?? thrown) : thrown}\n`);
  process.exit(1);
}

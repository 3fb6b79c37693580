// Switches off the bounds of one caller for measuring, because a bench sends the requests of many
// callers as one.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LimitName, limitTable } from '../src/settings/limits.ts';

/** Rates; 0 switches counting off. */
const rates = [
  'writesPerSecondMax',
  'permittedWritesPerSecondMax',
  'filterStepsPerSecondMax',
  'adminFilterStepsPerSecondMax',
] as const satisfies readonly LimitName[];

/** The quantities that one identity or API session may have. */
const quotas = [
  'apiSessionsPerIdentityMax',
  'sessionCertificatesPerIdentityMax',
  'sessionsPerApiSessionMax',
  'sessionsPerIdentityMax',
] as const satisfies readonly LimitName[];

/** Where checkouts have the table of limits: the second path is that of earlier revisions. */
const tables = ['src/settings/limits.ts', 'src/limits.ts'] as const;

/** `limits` of a home of the checkout in `root`, which may not know some of them yet. */
export function openLimits(root: string): Readonly<Record<string, number>> {
  const [table = ''] = tables.map((path) => join(root, path)).filter((path) => existsSync(path));
  const known = readFileSync(table, 'utf8');
  const limits: [LimitName, number][] = [
    ...rates.map((name) => [name, 0] as [LimitName, number]),
    ...quotas.map((name) => [name, limitTable[name].most] as [LimitName, number]),
  ];
  return Object.fromEntries(limits.filter(([name]) => known.includes(`  ${name}: {`)));
}

/**
 * Every write and filter is counted and none is refused, so that the cost of counting is measured.
 */
export const countingLimits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(rates.map((name) => [name, limitTable[name].most])),
  writesBurstMax: limitTable.writesBurstMax.most,
  permittedWritesBurstMax: limitTable.permittedWritesBurstMax.most,
  filterStepsBurstMax: limitTable.filterStepsBurstMax.most,
  adminFilterStepsBurstMax: limitTable.adminFilterStepsBurstMax.most,
};

// The bounds of one caller, switched off for measuring: a bench asks of one caller what many would.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LimitName, limitTable } from '../src/limits.ts';

/** Rates: 0 counts nothing. */
const rates = [
  'writesPerSecondMax',
  'permittedWritesPerSecondMax',
  'filterStepsPerSecondMax',
  'adminFilterStepsPerSecondMax',
] as const satisfies readonly LimitName[];

/** What one identity or API session may hold. */
const quotas = [
  'apiSessionsPerIdentityMax',
  'sessionCertificatesPerIdentityMax',
  'sessionsPerApiSessionMax',
  'sessionsPerIdentityMax',
] as const satisfies readonly LimitName[];

/** `limits` of a home of the checkout in `root`, which may not know some of them yet. */
export function openLimits(root: string): Readonly<Record<string, number>> {
  const known = readFileSync(join(root, 'src/limits.ts'), 'utf8');
  const limits: [LimitName, number][] = [
    ...rates.map((name) => [name, 0] as [LimitName, number]),
    ...quotas.map((name) => [name, limitTable[name].most] as [LimitName, number]),
  ];
  return Object.fromEntries(limits.filter(([name]) => known.includes(`  ${name}: {`)));
}

/** Every write and filter is counted, and none is refused: what counting costs is measured. */
export const countingLimits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(rates.map((name) => [name, limitTable[name].most])),
  writesBurstMax: limitTable.writesBurstMax.most,
  permittedWritesBurstMax: limitTable.permittedWritesBurstMax.most,
  filterStepsBurstMax: limitTable.filterStepsBurstMax.most,
  adminFilterStepsBurstMax: limitTable.adminFilterStepsBurstMax.most,
};

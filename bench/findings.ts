// The findings of a run so far, which become its results.

import type { BenchResults } from './results.ts';

/** The lists of a run's results, growing. */
export type Findings = {
  -readonly [Part in ListOfResults]: BenchResults[Part][number][];
};

type ListOfResults = Exclude<
  keyof BenchResults,
  'schemaVersion' | 'startedAt' | 'tookMs' | 'url' | 'against' | 'machine' | 'settings'
>;

/** Nothing found yet. */
export function noFindings(): Findings {
  return {
    incapable: [],
    leftOut: [],
    limits: [],
    homes: [],
    measurements: [],
    opens: [],
    comparisons: [],
    mixes: [],
    restarts: [],
    micros: [],
    footprints: [],
    storms: [],
    endings: [],
    snapshots: [],
    inspectors: [],
    fleets: [],
    routerWork: [],
    sharedLogins: [],
    accessEndings: [],
    fabricRatios: [],
    oidcRatios: [],
    cliRatios: [],
    migrateRatios: [],
    takeovers: [],
    campaigns: [],
    clusterCreates: [],
    frontLogins: [],
    frontReads: [],
    readsUnderWrites: [],
    singleNodes: [],
  };
}

/** Reports the progress; the results follow at the end. */
export type Progress = (line: string) => void;

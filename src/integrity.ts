// What a data integrity run looks at, put together: tables, access, posture, records, deadlines,
// positions.

import type { Access, AccessOptions } from './access/access.ts';
import { accessFaults } from './access/access-check.ts';
import type { ConnectedAccess } from './access/store-access.ts';
import {
  createIntegrityRuns,
  type IntegrityPart,
  type IntegrityRuns,
} from './actors/integrity-run.ts';
import type { Snapshotter } from './actors/snapshotter.ts';
import type { ApiSessionLife } from './auth/api-session-life.ts';
import { fitsFactor } from './auth/mfa.ts';
import { fitsItsHash, sealedFaults } from './auth/sealed-check.ts';
import type { Sealing } from './auth/sealing.ts';
import { type BoundValues, boundsOf } from './bounds.ts';
import type { Cascades } from './declare/cascades.ts';
import { RecordChecks } from './declare/integrity.ts';
import { PolicyChecks } from './declare/integrity-policies.ts';
import { recordFaults } from './declare/record-part.ts';
import { isErrorCode } from './error-codes.ts';
import { ApiError } from './errors.ts';
import type { Log } from './observe/logs.ts';
import type { Clock } from './ports.ts';
import type { Posture } from './posture/contract.ts';
import { knownFaults } from './posture/known-checks.ts';
import type { Lapses } from './posture/lapses.ts';
import { kinds } from './resources/index.ts';
import type { Look } from './store/fault.ts';
import type { Store } from './store/store.ts';
import { tableFaults } from './store/table-check.ts';

/** What there is to be looked at. */
export interface IntegrityOptions {
  readonly store: Store;
  readonly access: Access;
  readonly connected: ConnectedAccess;
  readonly accessOptions: AccessOptions;
  readonly posture: Posture;
  readonly lapses: Lapses;
  readonly cascades: Cascades;
  readonly life: ApiSessionLife;
  readonly sealing: Pick<Sealing, 'open'>;
  readonly snapshotter: Snapshotter;
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds: BoundValues | undefined;
}

/** The integrity runs of a controller. */
export function createIntegrity(options: IntegrityOptions): IntegrityRuns {
  const { clock, log } = options;
  const { integritySliceMs: sliceMs, integrityResultsMax: resultsMax } = boundsOf(
    runBounds,
    options.bounds,
  );
  return createIntegrityRuns({
    ...{ clock, log, parts: partsOf(options), sliceMs, resultsMax },
    refusal: (code) => (isErrorCode(code) ? new ApiError(code) : new Error(`no code ${code}`)),
  });
}

/** Each rests on those before it: what mends records writes to tables and is told to access. */
function partsOf(options: IntegrityOptions): IntegrityPart[] {
  const { store, cascades, life, connected, lapses, sealing } = options;
  const checks = new RecordChecks(kinds, store);
  const access = accessPart(options);
  const { isAccessWhole } = access;
  const isDue = () => lapses.isDue;
  const recordOptions = { store, cascades, checks };
  const tables = function* (): Look {
    for (const table of store.tables()) yield* tableFaults(table, () => store.journal.lastLsn);
  };
  return [
    { name: 'tables', look: tables },
    access,
    { name: 'posture', look: () => postureFaults(options) },
    { name: 'lapses', look: () => lapses.faults() },
    { name: 'sessions', look: () => connected.endings.faults() },
    { name: 'consequences', look: () => store.followUps.faults() },
    { name: 'records', look: () => recordFaults({ ...recordOptions, isAccessWhole, isDue }) },
    { name: 'sealed', look: () => sealedFaults(store, kinds, sealing, fits) },
    { name: 'deadlines', look: () => life.faults() },
    { name: 'positions', look: () => positionFaults(options) },
  ];
}

const fits = { mfaEnrollment: fitsFactor, apiSession: fitsItsHash, enrollment: fitsItsHash };

function accessPart(options: IntegrityOptions): IntegrityPart & { isAccessWhole(): boolean } {
  const { store, access, connected, accessOptions, clock } = options;
  let policies: PolicyChecks | undefined;
  store.follow(({ changes }) => {
    if (policies === undefined) return;
    for (const { table, row } of changes) policies.reread(table.kind, row.slot);
  });
  let isWhole = true;
  const repair = function* () {
    yield* connected.renew(accessOptions, () => clock.now());
    isWhole = true;
  };
  return {
    isAccessWhole: () => isWhole,
    name: 'access',
    *look() {
      policies = new PolicyChecks(kinds, store, access);
      try {
        isWhole = true;
        for (const fault of accessFaults({ store, access, kinds, policies, repair })) {
          if (fault !== undefined) isWhole = false;
          yield fault;
        }
      } finally {
        policies = undefined;
      }
    },
  };
}

function postureFaults({ store, access, connected, posture, clock }: IntegrityOptions): Look {
  const repair = function* (): Generator<undefined> {
    posture.forget();
    access.touches.touchAll(clock.now());
    // Who lived by what was wrong must not go on.
    const cause = { actor: 'controller', requestId: '', operation: 'forgetPosture' };
    store.transact(cause, () => connected.endings.suspectAll());
  };
  return knownFaults(store, posture, repair);
}

function* positionFaults({ store, snapshotter }: IntegrityOptions): Look {
  const snapshot = () =>
    snapshotter.take().catch(() => {
      // Why, the log says: paths of the home are none of the caller's business.
      throw new Error('no snapshot could be written');
    });
  for (const fault of store.journal.faults()) {
    if (fault === undefined) {
      yield;
      continue;
    }
    const { description, mendedBySnapshot, advice } = fault;
    yield { description, repair: mendedBySnapshot ? snapshot : undefined, advice };
  }
}

const runBounds = {
  /**
   * A data integrity run works for this long per turn, then requests run: with its longest step it
   * holds the main thread for under 5 ms. @bound
   */
  integritySliceMs: 2,
  /** Findings that an integrity run keeps and shows (behaviour §11.1). @bound */
  integrityResultsMax: 1000,
};

// Lists the parts of a data integrity run: first what is derived from records, then the records
// themselves, then what depends on them.

import type { Access, AccessOptions } from '../access/access.ts';
import type { ConnectedAccess } from '../access/store-access.ts';
import type { Snapshotter } from '../actors/snapshotter.ts';
import type { Activity } from '../auth/activity.ts';
import type { Sealing } from '../auth/sealing/sealing.ts';
import type { ApiSessionLife } from '../auth/sessions/life.ts';
import { firstFault } from '../containers/walk.ts';
import type { Cascades } from '../declare/kinds/cascades.ts';
import type { Environment } from '../declare/operations/environment.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../platform/ports.ts';
import type { Expiries } from '../posture/expiries.ts';
import type { Posture } from '../posture/posture.ts';
import { integrityRunId, integrityRunKind } from '../records/integrity-run.ts';
import { kinds } from '../resources/index.ts';
import type { BoundValues } from '../settings/bounds.ts';
import { deferredCascadeKind } from '../store/deferred-cascades.ts';
import type { Store } from '../store/store.ts';
import { accessFault, type NameOf, rememberedFault } from './access.ts';
import { derivedPart, type Fault, type Part } from './checked-part.ts';
import { activityFault, deadlineFault, rebuildActivity } from './deadlines.ts';
import { expiryFault } from './expiries.ts';
import { RecordChecks } from './record-checks.ts';
import { recordFaults } from './records.ts';
import { IntegrityRuns } from './run.ts';
import { sealedFaults } from './sealed.ts';
import { tableParts } from './tables.ts';

/** Everything that a run checks. */
export interface IntegrityOptions {
  readonly store: Store;
  readonly access: Access;
  readonly connected: ConnectedAccess;
  readonly accessOptions: AccessOptions;
  readonly posture: Posture;
  readonly expiries: Expiries;
  readonly activity: Activity;
  readonly cascades: Cascades;
  readonly life: ApiSessionLife;
  readonly sealing: Pick<Sealing, 'open'>;
  readonly snapshotter: Snapshotter;
  readonly send: Environment['send'];
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds?: BoundValues | undefined;
}

/** The integrity runs of a controller. */
export function createIntegrity(options: IntegrityOptions): IntegrityRuns {
  const { store, send, clock, log, bounds } = options;
  const { kind } = integrityRunKind;
  const cause = { actor: 'controller', requestId: '', operation: kind };
  return new IntegrityRuns({
    clock,
    log,
    bounds,
    parts: () => partsOf(options),
    record: () => store.table(integrityRunKind).find(integrityRunId)?.record,
    send: (tx, event) => void send(tx, kind, integrityRunId, event),
    transact: (body) => store.transact(cause, body),
  });
}

/** Each part depends on those before it: repairing a record writes to tables and changes access. */
function* partsOf(options: IntegrityOptions): Generator<Part> {
  const { store, access, posture, expiries, activity, life, clock, cascades, sealing } = options;
  for (const table of store.tables()) yield* tableParts(table, () => store.journal.lastLsn);
  let isAccessWhole = false;
  yield derivedPart({
    name: 'access',
    *findFault() {
      isAccessWhole = false;
      const fault = yield* options.connected.beside(options.accessOptions, (fresh) =>
        accessFault(access, fresh, nameOf(store)),
      );
      isAccessWhole = fault === undefined;
      return fault;
    },
    *rebuild() {
      yield* options.connected.rebuild(options.accessOptions, () => clock.now());
      isAccessWhole = true;
    },
  });
  yield derivedPart({
    name: 'posture',
    findFault: () => rememberedFault(store, access, posture),
    rebuild: () => forgetPosture(options),
  });
  yield derivedPart({
    name: 'expiries',
    findFault: () => expiryFault(store, expiries, clock),
    rebuild: () => expiries.rebuild(),
  });
  yield deferredCascadesPart(options);
  const checks = new RecordChecks(kinds, store);
  const isDue = () => expiries.isDue;
  const recordOptions = { store, cascades, checks, isAccessWhole: () => isAccessWhole, isDue };
  yield { name: 'records', findFaults: () => recordFaults(recordOptions) };
  yield { name: 'sealed', findFaults: () => sealedFaults(store, kinds, sealing) };
  yield derivedPart({
    name: 'times of last activity',
    findFault: () => activityFault(store, activity),
    rebuild: () => rebuildActivity(store, activity),
  });
  yield derivedPart({
    name: 'deadlines',
    findFault: () => deadlineFault(store, life, clock),
    rebuild: () => life.rebuild(),
  });
  yield files(options);
}

/** Names by the kind whose records are told to access as this space or family. */
function nameOf(store: Store): NameOf {
  return (of, slot) => {
    const kind = kinds.find(({ member, policy }) => (member?.space ?? policy?.family) === of)?.kind;
    const id = kind === undefined ? undefined : store.tableNamed(kind).inSlot(slot)?.id;
    return `${kind ?? of} ${id ?? `in slot ${slot}`}`;
  };
}

function forgetPosture(options: IntegrityOptions): readonly undefined[] {
  const { store, access, connected, posture, clock } = options;
  posture.forget();
  access.changeStamps.stampAll(clock.now());
  // Sessions that relied on the wrong checks must not go on.
  const cause = { actor: 'controller', requestId: '', operation: 'forgetPosture' };
  store.transact(cause, () => connected.endings.endangerAll());
  return [];
}

/**
 * Open deferred cascades: each must be carried out, and nothing may wait for one that does not
 * exist.
 */
function deferredCascadesPart({ store, connected }: IntegrityOptions): Part {
  const { deferredCascades } = store;
  const { scans } = connected.endings;
  const isOpen = (id: string) => store.tableNamed('followUp').peek(id) !== undefined;
  const derived = derivedPart({
    name: 'deferred cascades',
    *findFault() {
      const stray = (id: string) =>
        isOpen(id)
          ? undefined
          : `sessions are looked for by the followUp ${id}, which is not there`;
      return (yield* firstFault(scans.keys(), stray)) ?? deferredCascades.findFault();
    },
    rebuild() {
      for (const id of scans.keys()) if (!isOpen(id)) scans.delete(id);
      deferredCascades.rebuild();
      return [];
    },
  });
  return {
    ...derived,
    *findFaults() {
      for (const { record } of store.table(deferredCascadeKind).all()) {
        const { id, work } = record;
        const description = `followUp ${id} is of the work ${work}, which nobody does`;
        const advice = 'restore a backup: what it was to take away is hidden, and stays';
        yield deferredCascades.knows(work) ? undefined : { description, advice };
      }
      yield* derived.findFaults();
    },
  };
}

/**
 * Positions of the journal, the manifest and the files: some faults are fixed by another snapshot.
 */
function files({ store, snapshotter }: IntegrityOptions): Part {
  return {
    name: 'files',
    *findFaults(): Generator<Fault | undefined> {
      for (const fault of store.journal.faults()) {
        if (fault === undefined) yield;
        else yield { ...fault, fix: fault.fixedBySnapshot ? 'rebuild' : undefined };
      }
    },
    rebuild: () =>
      snapshotter.take().catch(() => {
        // The log says why: callers must not see paths of the home.
        throw new Error('no snapshot could be written');
      }),
  };
}

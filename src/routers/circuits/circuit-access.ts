// Ends circuits that have lost the right they rest on (behaviour/control-channel#circuits).

import { isDisabled } from '../../auth/callers.ts';
import { apiSessionKind } from '../../records/api-session.ts';
import type { CircuitRecord } from '../../records/circuit.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { sessionKind } from '../../records/session.ts';
import { terminatorKind } from '../../records/terminator.ts';
import type { ChangeSet, CommittedChange } from '../../store/transaction.ts';
import type { Slices } from '../../turns/slices.ts';
import type { RoutersEnvironment } from '../context.ts';
import { isUsable, missingRight } from '../session-checks.ts';
import type { CircuitEndings } from './circuit-endings.ts';
import { type CircuitGroup, type CircuitRecords, circuitsAFrameMax } from './circuit-records.ts';
import { mayHost } from './route-choice.ts';

/** The parts that live access works with. */
export interface CircuitAccessOptions {
  readonly env: RoutersEnvironment;
  readonly records: CircuitRecords;
  readonly endings: CircuitEndings;
  readonly work: Slices;
}

/** The circuits that a change of a record may concern, by a group with its id as the key. */
type Concern = CircuitGroup | 'router';

/** The kinds whose records' changes may take a right away. */
const concerns: ReadonlyMap<
  string,
  { readonly by: readonly Concern[]; readonly onlyDeletion: boolean }
> = new Map([
  [sessionKind.kind, { by: ['sessionId'], onlyDeletion: true }],
  [apiSessionKind.kind, { by: ['apiSessionId'], onlyDeletion: true }],
  [terminatorKind.kind, { by: ['terminatorId'], onlyDeletion: true }],
  [identityKind.kind, { by: ['identityId', 'hostId'], onlyDeletion: false }],
  [serviceKind.kind, { by: ['serviceId'], onlyDeletion: false }],
  [routerKind.kind, { by: ['router'], onlyDeletion: false }],
]);

/** The kinds of which any change may concern any circuit. */
const policies: ReadonlySet<string> = new Set([
  'servicePolicy',
  'edgeRouterPolicy',
  'serviceEdgeRouterPolicy',
]);

/** Groups looked up between two looks at the clock; most have no circuit. */
const groupsAStep = 64;

interface Suspicion {
  readonly by: Concern;
  readonly key: string;
}

/**
 * Follows the store. Whatever may take a right away has the circuits evaluated that may rest on it,
 * in slices that begin in the next turn.
 */
export class CircuitAccess {
  readonly #options: CircuitAccessOptions;
  /** The groups whose circuits wait to be evaluated, and those that are being evaluated. */
  #suspicions = new Map<string, Suspicion>();
  #taken: Iterator<Suspicion> = new Map<string, Suspicion>().values();
  /** All circuits, of which some were evaluated already. Groups go first, as they are small. */
  #everything: Iterator<string> | undefined;
  /** Whether all circuits must be evaluated once more after that. */
  #isRepeated = false;
  #isScheduled = false;

  constructor(options: CircuitAccessOptions) {
    this.#options = options;
    options.env.store.follow((changes) => this.#follow(changes));
    options.env.access.onRenewal(() => {
      if (options.records.size > 0) this.endangerAll();
    });
  }

  /** Has every circuit evaluated. */
  endangerAll(): void {
    if (this.#everything === undefined) this.#everything = this.#options.records.all();
    else this.#isRepeated = true;
    this.#schedule();
  }

  #follow({ changes, hasFrame }: ChangeSet): void {
    // Rights are durable records.
    if (!hasFrame || this.#options.records.size === 0) return;
    for (const change of changes) this.#take(change);
  }

  #take({ table, row, before, after }: CommittedChange): void {
    if (policies.has(table.kind)) {
      this.endangerAll();
      return;
    }
    const concern = concerns.get(table.kind);
    if (concern === undefined || before === undefined) return;
    if (concern.onlyDeletion && after !== undefined) return;
    for (const by of concern.by) {
      this.#suspicions.set(`${by} ${row.id}`, { by, key: row.id });
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.work.addUrgent(this.#evaluate());
  }

  /**
   * Groups are often small, so several are evaluated together: what they lose ends in one frame.
   */
  *#evaluate(): Generator<undefined> {
    try {
      let waiting: string[] = [];
      let groups = 0;
      for (let ids = this.#nextGroup(); ids !== undefined; ids = this.#nextGroup()) {
        for (let at = 0; at < ids.length; at += circuitsAFrameMax) {
          waiting.push(...ids.slice(at, at + circuitsAFrameMax));
          if (waiting.length < circuitsAFrameMax) continue;
          this.#evaluateAll(waiting.slice(0, circuitsAFrameMax));
          waiting = waiting.slice(circuitsAFrameMax);
          yield;
        }
        groups += 1;
        if (groups % groupsAStep === 0) yield;
      }
      if (waiting.length > 0) this.#evaluateAll(waiting);
    } finally {
      this.#isScheduled = false;
    }
  }

  /** The next group, or else some of all circuits; undefined when nothing is left. */
  #nextGroup(): readonly string[] | undefined {
    const next = this.#nextSuspicion();
    return next === undefined
      ? this.#everything && this.#nextOfAll(this.#everything)
      : this.#idsOf(next);
  }

  #nextSuspicion(): Suspicion | undefined {
    const next = this.#taken.next();
    if (next.done !== true) return next.value;
    if (this.#suspicions.size === 0) return undefined;
    // A map whose first entries are deleted one by one is walked over from its start each time.
    this.#taken = this.#suspicions.values();
    this.#suspicions = new Map();
    return this.#nextSuspicion();
  }

  #idsOf({ by, key }: Suspicion): readonly string[] {
    const { records } = this.#options;
    return by === 'router' ? [...records.byRouter.of(key)] : records.ids(by, key);
  }

  #nextOfAll(everything: Iterator<string>): readonly string[] {
    const ids: string[] = [];
    while (ids.length < circuitsAFrameMax) {
      const { done, value } = everything.next();
      if (!done) {
        ids.push(value);
        continue;
      }
      this.#everything = this.#isRepeated ? this.#options.records.all() : undefined;
      this.#isRepeated = false;
      break;
    }
    return ids;
  }

  #evaluateAll(ids: readonly string[]): void {
    const { env, records, endings } = this.#options;
    const lost = ids.filter((id) => {
      const circuit = records.find(id);
      return circuit !== undefined && !mayGoOn(env, circuit);
    });
    endings.end(lost, lostRight);
  }
}

const lostRight = { now: true, actor: 'controller', operation: 'endCircuitWithoutRight' } as const;

/** Whether everything still exists and holds on which a circuit rests. */
function mayGoOn(env: RoutersEnvironment, circuit: CircuitRecord): boolean {
  const { store, clock } = env;
  const identity = store.table(identityKind).find(circuit.identityId);
  const service = store.table(serviceKind).find(circuit.serviceId);
  const terminator = store.table(terminatorKind).find(circuit.terminatorId);
  if (identity === undefined || service === undefined || terminator === undefined) return false;
  if (isDisabled(identity.record, clock.now())) return false;
  // Sessions end with their right, so only circuits without one need to be checked for it.
  if (circuit.sessionId !== undefined) {
    if (store.table(sessionKind).find(circuit.sessionId) === undefined) return false;
  } else {
    const { apiSessionId } = circuit;
    if (apiSessionId !== undefined && !store.table(apiSessionKind).find(apiSessionId)) return false;
    const asker =
      apiSessionId === undefined ? { identityId: identity.id, apiSessionId } : undefined;
    if (missingRight(env, { identity, service, type: 'Dial' }, asker) !== undefined) return false;
  }
  const routers = store.table(routerKind);
  for (const id of circuit.routers) {
    const router = routers.find(id);
    if (router === undefined || router.record.disabled) return false;
  }
  const [first = ''] = circuit.routers;
  const ingress = routers.find(first);
  if (ingress === undefined) return false;
  if (!isUsable(env, { identity, service, router: ingress })) return false;
  return mayHost(env, terminator.record);
}

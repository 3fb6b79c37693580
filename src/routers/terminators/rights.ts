// Ends the terminators of hosts that lost a right which no session tells of: to the router, or as a
// tunneler to the service (behaviour/control-channel#terminators).

import { edgeRouterPolicyKind } from '../../records/edge-router-policy.ts';
import { identityKind } from '../../records/identity.ts';
import { postureCheckKind } from '../../records/posture-check.ts';
import { postureDataKind } from '../../records/posture-data.ts';
import { routerKind } from '../../records/router.ts';
import { serviceKind } from '../../records/service.ts';
import { serviceEdgeRouterPolicyKind } from '../../records/service-edge-router-policy.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { type TerminatorRecord, terminatorKind } from '../../records/terminator.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import { Slices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';
import { isUsable, missingRight } from '../session-checks.ts';
import { removeTerminator } from './own-terminators.ts';
import { endOfHosting } from './removals.ts';

/** The terminators that a change concerns: all, those of tunnelers, or those of a group. */
type Suspects = 'all' | 'tunnelers' | `${'router' | 'service' | 'hostId'}:${string}`;

/**
 * Evaluates the terminators that a change of policies or attributes concerns, some in each turn,
 * and deletes those whose host has lost its right. Sessions end by themselves when a right to a
 * service is lost, and their terminators with them.
 */
export class TerminatorRights {
  readonly #context: RoutersContext;
  readonly #terminators: Table<TerminatorRecord>;
  /** Terminators that rest on no session. */
  readonly #ofTunnelers = new Set<Row<TerminatorRecord>>();
  readonly #suspects = new Set<Suspects>();
  readonly #slices: Slices;

  constructor(context: RoutersContext) {
    this.#context = context;
    const { store, clock, bounds } = context.env;
    const { evaluatedMs: sliceMs } = boundsOf(rightsBounds, bounds);
    this.#slices = new Slices({ clock, sliceMs, failed: (err) => this.#retry(err) });
    this.#terminators = store.table(terminatorKind);
    this.#terminators.observe((row, _before, after) => this.#note(row, after));
    const follow = () => this.#suspect('all');
    store.table(edgeRouterPolicyKind).observe(follow);
    store.table(serviceEdgeRouterPolicyKind).observe(follow);
    for (const kind of [servicePolicyKind, postureCheckKind, postureDataKind]) {
      store.tableNamed(kind.kind).observe(() => {
        if (this.#ofTunnelers.size > 0) this.#suspect('tunnelers');
      });
    }
    store.table(routerKind).observe(({ id }, before, after) => {
      const isDisabling = before?.isTunnelerEnabled === true && after?.isTunnelerEnabled === false;
      if (isDisabling || isMoved(before, after)) this.#suspect(`router:${id}`);
    });
    store.table(serviceKind).observe(({ id }, before, after) => {
      if (isMoved(before, after)) this.#suspect(`service:${id}`);
    });
    store.table(identityKind).observe(({ id }, before, after) => {
      if (isMoved(before, after)) this.#suspect(`hostId:${id}`);
    });
    context.env.access.onRenewal(follow);
  }

  /** Evaluates all: a change may have been the last thing before the process that led has ended. */
  lead(): void {
    this.#suspect('all');
  }

  #note(row: Row<TerminatorRecord>, after: TerminatorRecord | undefined): void {
    if (after?.isOfRouter === true && after.sessionId === undefined) this.#ofTunnelers.add(row);
    else if (this.#ofTunnelers.size > 0) this.#ofTunnelers.delete(row);
  }

  /** Also called for changes that are undone: evaluating too many does no harm. */
  #suspect(suspects: Suspects): void {
    // A node that follows decides nothing.
    if (this.#terminators.size === 0 || !this.#context.env.store.isAttached) return;
    // Nothing is evaluated before a retry, which evaluates all.
    if (this.#suspects.has('all')) return;
    const { suspectsMax } = boundsOf(rightsBounds, this.#context.env.bounds);
    if (suspects === 'all' || this.#suspects.size >= suspectsMax) this.#suspectAll();
    else this.#suspects.add(suspects);
    if (this.#slices.isIdle) this.#slices.add(this.#evaluate());
  }

  *#evaluate(): Generator<undefined> {
    const aStep = Math.min(terminatorsAStep, this.#context.env.store.deferredCascades.rowsMax);
    let evaluated = 0;
    let lost: Row<TerminatorRecord>[] = [];
    // Followers of what is ended may suspect more.
    while (this.#suspects.size > 0) {
      for (const row of this.#taken()) {
        if (!this.#mayStay(row)) lost.push(row);
        evaluated += 1;
        if (evaluated % aStep !== 0) continue;
        this.#end(lost);
        lost = [];
        yield;
      }
      this.#end(lost);
      lost = [];
    }
  }

  *#taken(): Generator<Row<TerminatorRecord>> {
    for (const suspects of this.#suspects) {
      this.#suspects.delete(suspects);
      yield* this.#rowsOf(suspects);
    }
  }

  #rowsOf(suspects: Suspects): Iterable<Row<TerminatorRecord>> {
    if (suspects === 'all') return this.#terminators.all();
    if (suspects === 'tunnelers') return [...this.#ofTunnelers];
    const at = suspects.indexOf(':');
    const rows = this.#terminators.group(suspects.slice(0, at)).rows(suspects.slice(at + 1));
    // A group must not be read on after a write to it.
    return [...rows];
  }

  #suspectAll(): void {
    this.#suspects.clear();
    this.#suspects.add('all');
  }

  #retry(err: unknown): void {
    const { env, log } = this.#context;
    log.warn({ err }, 'terminators without a right could not be removed yet');
    this.#suspectAll();
    env.clock.after(retryMs, () => this.#slices.add(this.#evaluate()));
  }

  #mayStay(row: Row<TerminatorRecord>): boolean {
    const { record } = row;
    if (!record.isOfRouter || this.#terminators.peek(row.id) !== row) return true;
    const { env } = this.#context;
    const { store } = env;
    const identity = store.table(identityKind).peek(record.hostId ?? '');
    const service = store.table(serviceKind).peek(record.service);
    const router = store.table(routerKind).peek(record.router);
    // Cascades take care of what belongs to a record that is gone.
    if (identity === undefined || service === undefined || router === undefined) return true;
    if (!isUsable(env, { identity, service, router })) return false;
    if (record.sessionId !== undefined) return true;
    const asker = { identityId: identity.id, apiSessionId: undefined };
    const wanted = { identity, service, type: 'Bind' } as const;
    return router.record.isTunnelerEnabled && missingRight(env, wanted, asker) === undefined;
  }

  #end(lost: readonly Row<TerminatorRecord>[]): void {
    if (lost.length === 0) return;
    const { env, connected } = this.#context;
    const cause = { actor: 'controller', requestId: '', operation: 'endHosting' };
    env.store.transact(cause, (tx) => {
      for (const { id } of lost) removeTerminator(env, tx, id);
    });
    const sessions = new Map<string, Set<string>>();
    for (const { record } of lost) {
      const { router, sessionId } = record;
      if (sessionId === undefined) continue;
      const ids = sessions.get(router) ?? new Set<string>();
      sessions.set(router, ids.add(sessionId));
    }
    // The sessions go on elsewhere; these routers close what rests on them.
    for (const [router, ids] of sessions) {
      connected.get(router)?.channel.send(endOfHosting([...ids]));
    }
  }
}

/** What policies select by. */
interface Member {
  readonly roleAttributes: readonly string[] | undefined;
}

/** Whether a member got other role attributes. Those that are created or deleted do not matter. */
function isMoved(before: Member | undefined, after: Member | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  return before.roleAttributes !== after.roleAttributes;
}

/** Terminators evaluated in one step, of which those without a right are ended together. */
const terminatorsAStep = 64;

/** The pause before terminators are evaluated again when the log has taken no writes. */
const retryMs = 200;

/** Bounds of evaluating terminators. */
export const rightsBounds = {
  /** How long terminators are evaluated in one turn, at about 1 µs each. @bound */
  evaluatedMs: 2,
  /** Groups of terminators to evaluate; if there are more, all are evaluated. @bound */
  suspectsMax: 1000,
};

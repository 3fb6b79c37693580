// What one or several frames have changed for the routers of a group, exactly: routers count the
// relations of connected clients, so none may be sent twice.

import type { SlotSet } from '../../containers/slot-set.ts';
import { identityKind } from '../../records/identity.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { ModelEvent } from './events.ts';
import { GatheredTouches, type RelatedKind, type Touches } from './touches.ts';
import { type ModelView, nobody } from './view.ts';
import { type ChangesContext, type FormerView, viewChanges } from './view-changes.ts';

/** A frame, while its changes are the newest ones. */
export interface LiveFrame {
  readonly index: number;
  readonly touches: Touches;
  /** The slots of the identities that it has deleted, by their ids. */
  readonly deletedIdentities: ReadonlyMap<string, number>;
  /** The slots of the service policies that it has deleted. */
  readonly deletedPolicies: readonly number[];
}

/** What the routers saw before, where that was not what the view had. */
export interface MovedFrom {
  readonly identities: SlotSet;
  readonly ownConfigs: readonly string[];
}

/**
 * The events of a frame for a view. The view is brought up to date, which has to be done for each
 * frame. To be called before the next commit.
 * @param from what the routers saw before, if that follows not from the identities' own changes
 * @returns also how many identities came and went because others may use the routers now
 */
export function liveChanges(
  context: ChangesContext,
  view: ModelView,
  frame: LiveFrame,
  from: MovedFrom | undefined,
): { readonly events: ModelEvent[]; readonly movedIdentities: number } {
  const touches = new GatheredTouches();
  touches.add(frame.touches);
  const movedIdentities = from === undefined ? 0 : noteMoved(context, view, touches, from);
  updateView(context, view, frame, touches);
  const former = new Former(context, view, touches, frame.deletedIdentities, from);
  former.lookAtMoved();
  return { events: viewChanges(context, view, touches, former), movedIdentities };
}

/** The events that bring routers of a view over changes that they have missed. */
export function missedChanges(
  context: ChangesContext,
  view: ModelView,
  changes: readonly { readonly touches: Touches }[],
): ModelEvent[] {
  const touches = new GatheredTouches();
  for (const change of changes) touches.add(change.touches);
  const former = new Former(context, view, touches, new Map(), undefined);
  former.lookAtMoved();
  return viewChanges(context, view, touches, former);
}

/** Touches the identities that the routers saw and do not see any more, or the other way round. */
function noteMoved(
  { env }: ChangesContext,
  view: ModelView,
  touches: GatheredTouches,
  from: MovedFrom,
): number {
  const table = env.store.table(identityKind);
  let count = 0;
  const note = (slot: number) => {
    const row = table.inSlot(slot);
    if (row === undefined) return;
    count += 1;
    const configs = touches.note('identity', row.id);
    for (const { configId } of row.record.serviceConfigs) configs.add(configId);
  };
  for (const slot of from.identities) if (!view.identities.has(slot)) note(slot);
  for (const slot of view.identities) if (!from.identities.has(slot)) note(slot);
  return count;
}

function updateView(
  { env }: ChangesContext,
  view: ModelView,
  { deletedIdentities, deletedPolicies }: LiveFrame,
  touches: GatheredTouches,
): void {
  const identities = env.store.table(identityKind);
  const policies = env.store.table(servicePolicyKind);
  for (const slot of deletedIdentities.values()) view.identities.delete(slot);
  for (const slot of deletedPolicies) view.witnesses.delete(slot);
  for (const id of touches.of('identity').keys()) {
    const slot = identities.peek(id)?.slot;
    if (slot === undefined) continue;
    if (!view.mayUse(slot)) view.identities.delete(slot);
    else if (view.identities.add(slot)) {
      for (const policy of view.policiesOf('identity', id)) {
        view.offerWitness(policies.peek(policy)?.slot ?? nobody, slot);
      }
    }
  }
  for (const [policy, related] of touches.relations) {
    const slot = policies.peek(policy)?.slot;
    if (slot === undefined || view.witnesses.get(slot) !== nobody) continue;
    for (const id of related.get('identity')?.keys() ?? []) {
      const identity = identities.peek(id)?.slot;
      if (identity !== undefined) view.offerWitness(slot, identity);
    }
  }
}

/** What routers saw before the touches of some frames. */
class Former implements FormerView {
  readonly configs: readonly string[];
  readonly #env: ChangesContext['env'];
  readonly #view: ModelView;
  readonly #touches: GatheredTouches;
  readonly #deleted: ReadonlyMap<string, number>;
  readonly #from: MovedFrom | undefined;
  readonly #had = new Map<string, boolean>();

  constructor(
    { env }: ChangesContext,
    view: ModelView,
    touches: GatheredTouches,
    deleted: ReadonlyMap<string, number>,
    from: MovedFrom | undefined,
  ) {
    this.#env = env;
    this.#view = view;
    this.#touches = touches;
    this.#deleted = deleted;
    this.#from = from;
    const { ownConfigs } = view;
    const before = from?.ownConfigs ?? ownConfigs;
    this.configs = [
      ...before.filter((id) => !ownConfigs.includes(id)),
      ...ownConfigs.filter((id) => !before.includes(id)),
    ];
  }

  /** An identity that has come or gone does so with all its relations. */
  lookAtMoved(): void {
    for (const id of this.#touches.of('identity').keys()) {
      if (this.hadIdentity(id) === this.#view.hasIdentity(id)) continue;
      for (const policy of this.#view.policiesOf('identity', id)) {
        this.#touches.look(policy, 'identity', id);
      }
    }
  }

  hadIdentity(id: string): boolean {
    let had = this.#had.get(id);
    if (had === undefined) this.#had.set(id, (had = this.#findIdentity(id)));
    return had;
  }

  #findIdentity(id: string): boolean {
    if (this.#from !== undefined) {
      const slot = this.#env.store.table(identityKind).peek(id)?.slot ?? this.#deleted.get(id);
      return slot !== undefined && this.#from.identities.has(slot);
    }
    if (!this.#touches.of('identity').has(id)) return this.#view.hasIdentity(id);
    const now = new Set(this.#view.usedBy(id));
    return this.#view.policies.some(
      (policy) => now.has(policy) !== this.#touches.isUserTurned(policy, id),
    );
  }

  selected(policyId: string, kind: RelatedKind, id: string): boolean {
    const slot = this.#env.store.table(servicePolicyKind).peek(policyId)?.slot;
    const now = slot !== undefined && this.#view.selects(slot, kind, id);
    return now !== this.#touches.isTurned(policyId, kind, id);
  }

  /** It selects somebody whom they saw: one who was not touched, or one who was. */
  hadPolicy(policyId: string): boolean {
    const identities = this.#env.store.table(identityKind);
    const touched = this.#touches.relations.get(policyId)?.get('identity');
    const slot = this.#env.store.table(servicePolicyKind).peek(policyId)?.slot;
    if (slot !== undefined) {
      const isTouched = (identity: number) =>
        touched?.has(identities.inSlot(identity)?.id ?? '') === true;
      const witness = this.#view.witnessOf(slot, isTouched);
      if (witness !== nobody && !isTouched(witness)) return true;
    }
    for (const id of touched?.keys() ?? []) {
      if (this.hadIdentity(id) && this.selected(policyId, 'identity', id)) return true;
    }
    return false;
  }
}

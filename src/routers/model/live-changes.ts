// What a frame changes for the routers of a group that have all earlier changes.

import type { SlotSet } from '../../containers/slot-set.ts';
import { identityKind } from '../../records/identity.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { ModelEvent } from './events.ts';
import { GatheredTouches, type Touches } from './touches.ts';
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
  /** Ids of the service policies that it has created. */
  readonly newPolicies: ReadonlySet<string>;
}

/** What the routers saw before, where that was not what the view had. */
export interface MovedFrom {
  readonly identities: SlotSet;
  readonly ownConfigs: readonly string[];
}

/**
 * The events of a frame for a view. The view is brought up to date, which has to be done for each
 * frame. To be called before the next commit.
 * @param from what the routers saw before, if not the identities that the view has now
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
  const had = formerIdentities(context, view, frame, touches, from);
  const movedIdentities = from === undefined ? 0 : noteMoved(context, view, touches, had, from);
  updateView(context, view, frame, touches, had);
  const former = formerView(context, view, frame, touches, had, from);
  return { events: viewChanges(context, view, touches, former), movedIdentities };
}

/** Whether the touched identities were seen before, by their ids. */
function formerIdentities(
  { env }: ChangesContext,
  view: ModelView,
  { deletedIdentities }: LiveFrame,
  touches: GatheredTouches,
  from: MovedFrom | undefined,
): Map<string, boolean> {
  const { identities } = from ?? view;
  const table = env.store.table(identityKind);
  const had = new Map<string, boolean>();
  for (const id of touches.of('identity').keys()) {
    const slot = table.peek(id)?.slot ?? deletedIdentities.get(id);
    had.set(id, slot !== undefined && identities.has(slot));
  }
  return had;
}

/** Touches the identities that the routers saw and do not see any more, or the other way round. */
function noteMoved(
  { env }: ChangesContext,
  view: ModelView,
  touches: GatheredTouches,
  had: Map<string, boolean>,
  from: MovedFrom,
): number {
  const table = env.store.table(identityKind);
  let count = 0;
  const note = (slot: number, hadIt: boolean) => {
    const row = table.inSlot(slot);
    if (row === undefined) return;
    count += 1;
    had.set(row.id, hadIt);
    const configs = touches.note('identity', row.id);
    for (const { configId } of row.record.serviceConfigs) configs.add(configId);
  };
  for (const slot of from.identities) if (!view.identities.has(slot)) note(slot, true);
  for (const slot of view.identities) if (!from.identities.has(slot)) note(slot, false);
  return count;
}

function updateView(
  { env }: ChangesContext,
  view: ModelView,
  { deletedIdentities, deletedPolicies }: LiveFrame,
  touches: GatheredTouches,
  had: ReadonlyMap<string, boolean>,
): void {
  const identities = env.store.table(identityKind);
  const policies = env.store.table(servicePolicyKind);
  for (const slot of deletedIdentities.values()) view.identities.delete(slot);
  for (const slot of deletedPolicies) view.witnesses.delete(slot);
  for (const id of touches.of('identity').keys()) {
    const slot = identities.peek(id)?.slot;
    if (slot === undefined) continue;
    const has = view.mayUse(slot);
    if (has) view.identities.add(slot);
    else view.identities.delete(slot);
    if (has === had.get(id)) continue;
    for (const policy of view.policiesOf('identity', id)) touches.relate(policy, 'identity', id);
  }
  for (const [policy, related] of touches.relations) {
    const slot = policies.peek(policy)?.slot;
    if (slot === undefined || view.witnesses.get(slot) !== nobody) continue;
    for (const id of related.get('identity') ?? []) {
      const identity = identities.peek(id)?.slot;
      if (identity !== undefined) view.offerWitness(slot, identity);
    }
  }
}

function formerView(
  { env }: ChangesContext,
  view: ModelView,
  { newPolicies }: LiveFrame,
  touches: GatheredTouches,
  had: ReadonlyMap<string, boolean>,
  from: MovedFrom | undefined,
): FormerView {
  const own = new Set(view.ownConfigs);
  const configs = from === undefined ? [] : from.ownConfigs.filter((id) => !own.has(id));
  const added = view.ownConfigs.filter((id) => !from?.ownConfigs.includes(id));
  return {
    hadIdentity: (id) => had.get(id) ?? view.hasIdentity(id),
    hadPolicy: (id) => {
      if (newPolicies.has(id)) return false;
      return hadPolicy({ env }, view, touches, id, (identity) => had.get(identity));
    },
    configs: from === undefined ? [] : [...configs, ...added],
  };
}

/**
 * Whether the routers saw a service policy before: surely if it selects somebody whom they see and
 * who was not touched, and surely not if nobody whom they saw was touched.
 */
export function hadPolicy(
  { env }: Pick<ChangesContext, 'env'>,
  view: ModelView,
  touches: GatheredTouches,
  policyId: string,
  had: (identityId: string) => boolean | undefined,
): boolean | undefined {
  const identities = env.store.table(identityKind);
  const touched = touches.relations.get(policyId)?.get('identity');
  const slot = env.store.table(servicePolicyKind).peek(policyId)?.slot;
  if (slot !== undefined) {
    const isTouched = (identity: number) =>
      touched?.has(identities.inSlot(identity)?.id ?? '') === true;
    const witness = view.witnessOf(slot, isTouched);
    if (witness !== nobody && !isTouched(witness)) return true;
  }
  for (const id of touched ?? []) {
    if ((had(id) ?? view.hasIdentity(id)) !== false) return undefined;
  }
  return false;
}

// What several frames have changed for the routers of a group that have missed them.

import type { ModelChange } from './change-log.ts';
import type { ModelEvent } from './events.ts';
import { hadPolicy } from './live-changes.ts';
import { GatheredTouches, relatedKinds } from './touches.ts';
import type { ModelView } from './view.ts';
import { type ChangesContext, viewChanges } from './view-changes.ts';

/**
 * The events that bring routers of a view over changes that they have missed. What they knew of a
 * touched record is not known, so more is said of it than after a single frame.
 */
export function missedChanges(
  context: ChangesContext,
  view: ModelView,
  changes: readonly ModelChange[],
): ModelEvent[] {
  const touches = new GatheredTouches();
  for (const change of changes) touches.add(change.touches);
  // A state that was built meanwhile lacks touched records with all their relations.
  for (const kind of relatedKinds) {
    for (const id of touches.of(kind).keys()) {
      for (const policy of view.policiesOf(kind, id)) touches.relate(policy, kind, id);
    }
  }
  const identities = touches.of('identity');
  const policies = touches.of('servicePolicy');
  const hadIdentity = (id: string) => (identities.has(id) ? undefined : view.hasIdentity(id));
  return viewChanges(context, view, touches, {
    hadIdentity,
    hadPolicy: (id) => {
      if (policies.has(id)) return undefined;
      // Of an untouched identity, undefined would stand for its present state.
      const isKnown = (identity: string) => (identities.has(identity) ? true : undefined);
      return hadPolicy(context, view, touches, id, isKnown);
    },
    configs: [],
  });
}

// Which groups of routers a frame may concern, so that a change of one identity costs nothing for
// the groups that neither see it nor have seen it.

import { identityKind } from '../../records/identity.ts';
import { idsOf } from '../../records/router-model.ts';
import type { ModelGroup, ModelGroups } from './groups.ts';
import type { LiveFrame } from './live-changes.ts';
import type { ViewEnvironment } from './view.ts';

/** The groups that may see something of a frame; all, unless it is about identities alone. */
export function concernedGroups(
  { store, access }: ViewEnvironment,
  groups: Pick<ModelGroups, 'all' | 'ofPolicy'>,
  frame: Pick<LiveFrame, 'touches' | 'deletedPolicies'>,
): Iterable<ModelGroup> {
  const touched = touchedIdentities(frame);
  if (touched === undefined) return groups.all();
  const concerned = new Set<ModelGroup>();
  const note = (policy: string) => {
    for (const group of groups.ofPolicy(policy)) concerned.add(group);
  };
  // Those that select an identity now, and those that have come to it or left it.
  for (const policy of touched.policies) note(policy);
  const policies = store.tableNamed('edgeRouterPolicy');
  for (const id of touched.identities) {
    const slot = store.table(identityKind).peek(id)?.slot;
    if (slot === undefined) continue;
    for (const policy of access.policiesOf('identity', slot, 'edgeRouterPolicy')) {
      note(policies.inSlot(policy)?.id ?? '');
    }
  }
  return concerned;
}

interface Touched {
  readonly identities: ReadonlySet<string>;
  /** Ids of edge router policies. */
  readonly policies: ReadonlySet<string>;
}

/** Undefined if something else was touched, too. */
function touchedIdentities({
  touches: { records, relations, memberships },
  deletedPolicies,
}: Pick<LiveFrame, 'touches' | 'deletedPolicies'>): Touched | undefined {
  if (deletedPolicies.length > 0) return undefined;
  const identities = new Set<string>();
  const policies = new Set<string>();
  for (const [kind, id = ''] of records) {
    if (kind !== 'identity') return undefined;
    identities.add(id);
  }
  for (const [policy = '', kind, ...ids] of relations) {
    if (kind === 'user') policies.add(policy);
    else if (kind === 'identity') for (const id of ids) identities.add(id);
    else return undefined;
  }
  for (const text of memberships) {
    const [kind, id = '', ...of] = idsOf(text);
    if (kind === 'user') for (const policy of of) policies.add(policy);
    else if (kind === 'identity') identities.add(id);
    else return undefined;
  }
  return { identities, policies };
}

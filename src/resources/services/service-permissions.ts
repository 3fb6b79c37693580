// The permissions of a service's viewer (behaviour/policies#access).

import { bindBit, dialBit } from '../../declare/kinds/access-vocabulary.ts';
import { identityKind } from '../../records/identity.ts';
import { serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import type { Context } from '../context.ts';

/** The `permissions` of a service as JSON text, by the bits of `permissionsOf`. */
export const permissionTexts = ['["Invalid"]', '["Dial"]', '["Bind"]', '["Bind","Dial"]'] as const;

/** The viewer's permissions on a service, as the index in `permissionTexts`. */
export function permissionsOf(context: Context, service: { readonly id: string }): 0 | 1 | 2 | 3 {
  const { env, viewer } = context;
  const { store } = env;
  const identity = store.table(identityKind).peek(viewer.id);
  const row = store.table(serviceKind).peek(service.id);
  if (identity === undefined || row === undefined) return 0;
  // A permission depends on these two and on all policies, so the answer must wait until they are
  // durable.
  store.fence.note(store.table(servicePolicyKind).lastLsn);
  store.fence.note(identity.lsn);
  store.fence.note(row.lsn);
  const bits = env.access.permissions.bits(identity.slot, row.slot);
  return ((bits & dialBit ? 1 : 0) | (bits & bindBit ? 2 : 0)) as 0 | 1 | 2 | 3;
}

// What tells an API session from others of the same identity: where its client is, what it is, and
// when it was last active.

import { lastActivityOf } from '../../../auth/activity.ts';
import { timeText } from '../../../declare/kinds/masking.ts';
import { apiSessionKind } from '../../../records/api-session.ts';
import type { Row } from '../../../store/record.ts';
import type { SessionClient } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';

/** Undefined for records of other kinds. */
export function sessionClient(
  { store, activity }: InspectEnvironment,
  kind: string,
  { id, slot }: Row,
): SessionClient | undefined {
  if (kind !== apiSessionKind.kind) return undefined;
  // The caller has read the row; this gives its record its type.
  const record = store.table(apiSessionKind).peek(id)?.record;
  if (record === undefined) return undefined;
  const { ipAddress: address, sdk = '', client: version = '' } = record;
  const activeAt = lastActivityOf(activity, record, slot);
  return { address, sdk, version, lastActivityAt: String(timeText(activeAt)) };
}

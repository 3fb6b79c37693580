// A snapshot on demand (behaviour/database).

import { emptyReply } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';
import { type Operation, operation } from '../context.ts';

/** `/database/snapshot` */
export const databaseSnapshot: Operation = operation({
  id: 'createDatabaseSnapshot',
  method: 'POST',
  path: '/database/snapshot',
  permission: 'admin',
  summary: 'Write a snapshot of all records; answered when it is durable',
  errors: [401, 429],
  writes: false,
  // A large home takes long (behaviour/requests#time-limit).
  timeout: 'snapshotTimeoutMs',
  async prepare({ env }) {
    const taken = env.snapshots.ask();
    if (taken === undefined) throw new ApiError('RATE_LIMITED');
    try {
      await taken;
    } catch {
      // The log holds the reason, because callers must not see paths of the home.
      throw new ApiError('STORAGE_UNAVAILABLE');
    }
  },
  decide: () => emptyReply,
});

// What administrators ask of the home itself: a snapshot of all it holds (spec/2 "Data integrity
// and snapshot", behaviour §11.2).

import { emptyReply, type Operation, operation } from '../declare/operation.ts';
import { ApiError } from '../errors.ts';

/** `/database/snapshot` */
export const databaseSnapshot: Operation = operation({
  id: 'createDatabaseSnapshot',
  apis: ['management'],
  method: 'POST',
  path: '/database/snapshot',
  access: 'admin',
  summary: 'Write a snapshot of all records; answered when it is durable',
  success: 200,
  errors: [401, 429],
  // Decision 32: a large home takes its time.
  timeout: 'snapshotTimeoutMs',
  async prepare({ env }) {
    const taken = env.snapshots.ask();
    if (taken === undefined) throw new ApiError('RATE_LIMITED');
    try {
      await taken;
    } catch {
      // Why, the log says: paths of the home are none of the caller's business.
      throw new ApiError('STORAGE_UNAVAILABLE');
    }
  },
  decide: () => emptyReply,
});

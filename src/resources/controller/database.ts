// Snapshots on demand (behaviour/database).

import Type, { type TSchema } from 'typebox';
import { detail, emptyReply } from '../../declare/operations/operation.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { type Context, type Operation, operation } from '../context.ts';

/** Snapshots of the management API and, in two forms, of the fabric API. */
export const databaseSnapshots: readonly Operation[] = [
  operation({
    ...snapshotOn('management', '/database/snapshot'),
    id: 'createDatabaseSnapshot',
    errors: [401, 429],
    prepare: ({ env }) => snapshot(env),
    decide: () => emptyReply,
  }),
  operation({
    ...snapshotOn('fabric', '/database'),
    id: 'createDatabaseSnapshot',
    errors: [401, 429],
    prepare: ({ env }) => snapshot(env),
    decide: () => emptyReply,
  }),
  operation<TSchema, string>({
    ...snapshotOn('fabric', '/database/snapshot'),
    id: 'createDatabaseSnapshotWithPath',
    body: Type.Object({ path: Type.Optional(Type.String()) }),
    answer: Type.Object({ path: Type.String() }),
    errors: [400, 401, 429],
    prepare({ env, body }) {
      const { path = '' } = body as { readonly path?: string };
      if (path !== '') {
        throw fieldError('path', 'must be left out: snapshots have names of their own', path);
      }
      return snapshot(env);
    },
    decide: (_context, path) => detail([JSON.stringify({ path })]),
  }),
];

function snapshotOn(api: 'management' | 'fabric', path: string) {
  return {
    apis: [api],
    method: 'POST',
    path,
    permission: 'admin',
    summary: 'Write a snapshot of all records; answered when it is durable',
    writes: false,
    answered: 'leader',
    // A large home takes long (behaviour/requests#time-limit).
    timeout: 'snapshotTimeoutMs',
  } as const;
}

/** Takes a snapshot. @returns its file, below the home */
async function snapshot({ snapshots }: Context['env']): Promise<string> {
  const taken = snapshots.ask();
  if (taken === undefined) throw new ApiError('RATE_LIMITED');
  try {
    const { file } = await taken;
    return `snapshots/${file}`;
  } catch {
    // The log holds the reason, because callers must not see paths of the home.
    throw new ApiError('STORAGE_UNAVAILABLE');
  }
}

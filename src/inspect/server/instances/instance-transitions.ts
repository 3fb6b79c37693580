// The operation that shows the history of a record, as far back as the kept log reaches.

import Type, { type TSchema } from 'typebox';
import { detail } from '../../../declare/operations/operation.ts';
import { ApiError, notFound } from '../../../errors/errors.ts';
import { type TransitionPage, transitionPageSchema } from '../../messages.ts';
import { type Context, type InspectEnvironment, type Operation, operation } from '../context.ts';
import { wholeNumber } from '../log/lsn-query.ts';

const limitDefault = 50;

/** No frame contains live machines. */
const nothingLogged: TransitionPage = {
  transitions: [],
  changes: [],
  oldestLsn: 0,
  hasMore: false,
  nextBeforeLsn: 0,
};

/**
 * `GET /inspect/machines/{kind}/instances/{id}/transitions`; deleted instances have transitions,
 * too.
 */
export const instanceTransitions: Operation = operation<TSchema, TransitionPage>({
  id: 'listInspectedTransitions',
  path: '/inspect/machines/{kind}/instances/{id}/transitions',
  answered: 'leader',
  permission: 'admin_readonly',
  summary: 'List transitions and changes of a record, newest first, as far as the kept log reaches',
  answer: transitionPageSchema,
  query: {
    beforeLsn: Type.Integer({ minimum: 1, description: 'Only those of older frames' }),
    limit: Type.Integer({ minimum: 1, description: 'How many; the last frame may add some' }),
  },
  errors: [400, 401, 404, 429],
  prepare: (context) => pageOf(context),
  decide: (_context, page) => detail([JSON.stringify(page)]),
});

async function pageOf({ env, params, query }: Context): Promise<TransitionPage> {
  const { kind = '', id = '' } = params;
  const { inspection, limits, logReader, store } = env;
  const limit = wholeNumber('limit', query.get('limit'), 1, limits.pageRowsMax) ?? limitDefault;
  const before = wholeNumber('beforeLsn', query.get('beforeLsn'), 1);
  if (inspection.liveOf(kind) !== undefined) return nothingLogged;
  if (inspection.resourceOf(kind) === undefined) throw notFound('machine', kind);
  const isThere = store.tableNamed(kind).find(id) !== undefined;
  const beforeLsn = before ?? Number.MAX_SAFE_INTEGER;
  const page = await withinTime(env, (signal) =>
    logReader.transitionsOf(kind, id, { beforeLsn, limit }, signal),
  );
  const isKnown = isThere || before !== undefined || page.changes.length > 0;
  if (!isKnown && !page.hasMore) throw notFound(kind, id);
  return page;
}

/** Reads the log; a request that was answered TIMEOUT meanwhile leaves the queue. */
export async function withinTime<T>(
  { clock, limits }: Pick<InspectEnvironment, 'clock' | 'limits'>,
  read: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const timer = clock.after(limits.handlerTimeoutMs, () => over.abort(new ApiError('TIMEOUT')));
  try {
    return await read(over.signal);
  } finally {
    timer.cancel();
  }
}

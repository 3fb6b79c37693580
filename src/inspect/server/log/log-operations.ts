// The operations that show one frame of the log with what followed from it, and the last
// transitions of all instances.

import Type, { type TSchema } from 'typebox';
import { refusing } from '../../../declare/lists/list-query.ts';
import { detail } from '../../../declare/operations/operation.ts';
import { notFound } from '../../../errors/errors.ts';
import { boundsOf } from '../../../settings/bounds.ts';
import {
  type FrameView,
  frameViewSchema,
  type RecentTransitions,
  recentTransitionsSchema,
  type Transition,
} from '../../messages.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { withinTime } from '../instances/instance-transitions.ts';
import { compiledCondition, type StreamFilter, type Taken } from '../stream/stream-filter.ts';
import type { KeptFrame } from './kept-log.ts';
import { readerBounds } from './log-reader.ts';
import { wholeNumber } from './lsn-query.ts';

/** `GET /inspect/log/{lsn}` and `GET /inspect/transitions`. */
export const logOperations: readonly Operation[] = [
  operation<TSchema, KeptFrame>({
    id: 'detailInspectedFrame',
    path: '/inspect/log/{lsn}',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'Get one frame of the log: who, which request, what it changed, and what followed',
    answer: frameViewSchema,
    query: {
      afterLsn: Type.Integer({ minimum: 1, description: 'Only frames after it that followed' }),
    },
    errors: [400, 401, 404, 429],
    prepare: (context) => frameOf(context),
    decide: (context, frame) => detail([JSON.stringify(frameView(context, frame))]),
  }),
  operation<TSchema, RecentTransitions>({
    id: 'listRecentTransitions',
    path: '/inspect/transitions',
    answered: 'leader',
    permission: 'admin_readonly',
    summary: 'List the last transitions of all instances, newest first',
    answer: recentTransitionsSchema,
    query: {
      filter: Type.String({ description: 'A filter of the stream' }),
      limit: Type.Integer({ minimum: 1, description: 'How many' }),
    },
    errors: [400, 401, 429],
    prepare: (context) => recentOf(context),
    decide: (_context, page) => detail([JSON.stringify(page)]),
  }),
];

async function frameOf({ env, params, query }: Context): Promise<KeptFrame> {
  const { lsn: text = '' } = params;
  const lsn = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : 0;
  const afterLsn = wholeNumber('afterLsn', query.get('afterLsn'), 1) ?? lsn;
  const { logReader } = env;
  const frame = await withinTime(env, (signal) => logReader.frameAt(lsn, afterLsn, signal));
  if (frame === undefined) throw notFound('frame', text);
  return frame;
}

function frameView({ env }: Context, frame: KeptFrame): FrameView {
  const { names } = env.inspection;
  const changes = frame.changes.map(({ kind, id, change, fields }) => {
    const { before, after } = fields['name'] ?? {};
    const name = names.at(kind, id) || String(after ?? before ?? '');
    return { kind, id, name, change, fields };
  });
  return { ...frame, changes, lastLsn: env.logReader.durableLsn };
}

const limitDefault = 200;

async function recentOf({ env, query }: Context): Promise<RecentTransitions> {
  const { limits, logReader } = env;
  const text = query.get('filter') ?? '';
  const limit = wholeNumber('limit', query.get('limit'), 1, limits.pageRowsMax) ?? limitDefault;
  const filter = refusing('INVALID_FILTER', 'filter', text, () => compiledCondition(text));
  let dropped = 0;
  const wanted = (found: readonly Transition[]) => {
    const taken = matching(filter, found, limits.filterStepsMax);
    dropped += taken.dropped;
    return taken.transitions;
  };
  const transitions = [...wanted(logReader.recentVolatile())];
  const inMemory = transitions.length;
  let fromLsn = logReader.durableLsn + 1;
  const endLsn = fromLsn - boundsOf(readerBounds, env.bounds).logReadFramesMax;
  await withinTime(env, async (signal) => {
    for (let hasMore = true; hasMore && fromLsn > endLsn; ) {
      if (transitions.length - inMemory >= limit) return;
      const page = await logReader.recentTransitions(fromLsn, signal);
      transitions.push(...wanted(page.transitions));
      ({ fromLsn, hasMore } = page);
    }
  });
  transitions.sort((one, other) => other.lsn - one.lsn || other.timeMs - one.timeMs);
  return { transitions: transitions.slice(0, limit), fromLsn, dropped };
}

/** Those that a filter takes, in their order. */
function matching(filter: StreamFilter, found: readonly Transition[], steps: number): Taken {
  const batch = {
    lost: 0,
    length: found.length,
    at: (index: number) => found[index] as Transition,
  };
  return filter.take(batch, found.length, steps);
}

// The operation that streams every frame of the log to its readers, read from the log itself.

import Type from 'typebox';
import { callerAgain } from '../../../auth/callers.ts';
import { fieldError } from '../../../errors/errors.ts';
import { type Context, type Operation, operation } from '../context.ts';
import type { AuditOrder } from './audit-feed.ts';
import { wholeNumber } from './lsn-query.ts';

/** `GET /audit` */
export const auditFeed: Operation = operation({
  id: 'followAudit',
  path: '/audit',
  answered: 'here',
  permission: 'admin',
  summary: 'Read every change as server-sent events, from a frame of the log on and then live',
  answer: { bare: 'text/event-stream' },
  query: {
    fromLsn: Type.Integer({
      minimum: 1,
      description: 'The first frame; without it what is written from now on',
    }),
    kind: Type.String({ description: 'Only frames that touch a record of this kind' }),
    id: Type.String({ description: 'Only frames that touch the record with this id' }),
  },
  headers: {
    'last-event-id': Type.Integer({
      minimum: 0,
      description: 'The last frame that is known: goes on behind it, whatever fromLsn says',
    }),
  },
  errors: [400, 401, 429],
  decide(context) {
    const { audit } = context.env;
    audit.refuseTooMany();
    const order = orderOf(context);
    return {
      form: 'stream',
      status: 200,
      contentType: 'text/event-stream',
      // Proxies buffer an answer that they take for a page.
      headers: [
        ['cache-control', 'no-store'],
        ['x-accel-buffering', 'no'],
      ],
      open: (stream) => audit.open(order, stream),
    };
  },
});

function orderOf(context: Context): AuditOrder {
  const { env, query, request, caller } = context;
  const known = wholeNumber('last-event-id', request.header('last-event-id'), 0);
  const asked = wholeNumber('fromLsn', query.get('fromLsn'), 1);
  const kind = query.get('kind') || undefined;
  if (kind !== undefined && !env.store.durableTables().some((table) => table.kind === kind)) {
    throw fieldError('kind', 'is no kind of records', kind);
  }
  // Whether the session needs a further factor may depend on tokens of the request.
  const { bearerTokens } = context;
  const { peer } = request;
  return {
    fromLsn: known === undefined ? (asked ?? env.audit.nextLsn) : known + 1,
    kind,
    id: query.get('id') || undefined,
    isEntitled() {
      const now = callerAgain({ env, bearerTokens }, caller);
      if (now === 'invalid' || !now.isAdmin || now.isPartial) return false;
      // The feed counts as activity for each page, as polling would.
      env.noteUse(now);
      peer.sessionUsed?.();
      return true;
    },
  };
}

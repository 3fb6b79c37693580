// Tracing of an identity's data flow: on for a time, or off (behaviour/identities#tracing).

import Type, { type Static } from 'typebox';
import { detail } from '../../declare/operations/operation.ts';
import { isoTime } from '../../declare/resources/view.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { type Context, type Operation, operation } from '../context.ts';
import { goDurationMs } from './go-duration.ts';
import { identityToActOn } from './identity.ts';

const traceBody = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  traceId: Type.Optional(Type.String({ maxLength: 200 })),
  duration: Type.Optional(Type.String({ maxLength: 100 })),
  channels: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })),
});

/** `/identities/{id}/trace` */
export const identityTrace: Operation = operation({
  id: 'updateIdentityTracing',
  apis: ['client', 'management'],
  method: 'PUT',
  path: '/identities/{id}/trace',
  answered: 'leader',
  permission: 'identity',
  summary: 'Trace the data flow of an identity for a time, or stop it',
  body: traceBody,
  answer: Type.Object(
    {
      enabled: Type.Boolean(),
      traceId: Type.Optional(Type.String()),
      until: Type.Optional(Type.String({ format: 'date-time' })),
    },
    { title: 'traceDetail' },
  ),
  errors: [400, 401, 404, 429],
  // No record changes: traces are in memory, and end with the process.
  writes: false,
  decide(context) {
    const { id } = identityToActOn(context);
    if (context.body.enabled === true) return start(context, id);
    context.env.traces.end(id);
    return detail(['{"enabled":false}']);
  },
});

function start(context: Context<Static<typeof traceBody>>, identityId: string) {
  const { env, now, body } = context;
  const untilMs = now + durationMs(context);
  const traceId = body.traceId || env.ids.uuid();
  const asked = body.channels ?? [];
  const channels = asked.length === 0 ? ['all'] : asked;
  if (!env.traces.start(identityId, { traceId, channels, untilMs }, now)) {
    throw new ApiError('SERVER_TOO_MANY_REQUESTS');
  }
  const until = isoTime(untilMs);
  return detail([JSON.stringify({ enabled: true, traceId, until })]);
}

/** Whole ms. @throws ApiError COULD_NOT_VALIDATE for a missing, invalid or too long duration. */
function durationMs({ body }: Context<Static<typeof traceBody>>): number {
  const text = body.duration ?? '';
  const ms = Math.ceil(goDurationMs(text) ?? 0);
  if (ms <= 0) throw fieldError('duration', 'must be a duration such as 10m or 1h30m', text);
  if (ms > traceMinutesMax * 60_000) {
    throw fieldError('duration', `must be at most ${traceMinutesMax}m`, text);
  }
  return ms;
}

/** How long one trace may run: a week, because a forgotten trace must end. @bound */
const traceMinutesMax = 10_080;

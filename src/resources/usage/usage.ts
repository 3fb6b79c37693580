// What was carried for a service or an identity, by the hour or by its other side
// (behaviour/usage#reading).

import Type from 'typebox';
import { mergedRuns } from '../../containers/merge-runs.ts';
import { entityRefSchema } from '../../declare/resources/answers.ts';
import { rowOf } from '../../declare/resources/crud.ts';
import { valueListReply } from '../../declare/resources/value-list.ts';
import { fieldError } from '../../errors/errors.ts';
import type { ScalarSymbol, Scope } from '../../filter/scope.ts';
import type { UsageOwner, UsagePart, UsageTime } from '../../routers/usage/usage-hours.ts';
import { startOfHour, usageSumNames } from '../../routers/usage/usage-sums.ts';
import { type Context, type DefinedResource, type Operation, operation } from '../context.ts';
import { identities } from '../identities/identity.ts';
import { services } from '../services/service.ts';

const sumsSchema = Object.fromEntries(usageSumNames.map((name) => [name, Type.Integer()]));
const moment = Type.String({ format: 'date-time' });

const usageSchema = Type.Object(
  {
    hour: Type.Optional(moment),
    identity: Type.Optional(entityRefSchema),
    service: Type.Optional(entityRefSchema),
    ...sumsSchema,
  },
  { title: 'usageDetail' },
);

/** `/services/{id}/usage` and `/identities/{id}/usage` */
export const usage: readonly Operation[] = [
  usageOf({ of: 'service', resource: services, by: 'identity', plural: 'identities' }),
  usageOf({ of: 'identity', resource: identities, by: 'service', plural: 'services' }),
];

/** Whose usage an operation shows, and the other side. */
interface Shown {
  readonly of: UsageOwner['of'];
  readonly resource: DefinedResource;
  readonly by: UsageOwner['of'];
  /** The path of the other side. */
  readonly plural: string;
}

function usageOf(shown: Shown): Operation {
  const { of, resource, by } = shown;
  return operation({
    id: of === 'service' ? 'getServiceUsage' : 'getIdentityUsage',
    path: `/${resource.path}/{id}/usage`,
    answered: 'leader',
    permission: 'ops',
    summary: `Sum the bytes that circuits carried for ${of === 'service' ? 'a service' : 'an identity'} by the hour, or by ${by}`,
    answer: Type.Array(usageSchema),
    isList: true,
    query: { from: moment, to: moment, by: Type.Enum([by]) },
    errors: [400, 401, 404, 429],
    prepare(context) {
      const { id } = rowOf(context, resource).record;
      return isBySide(context, by) ? sidesOf(context, { of, id }) : undefined;
    },
    decide(context, sides) {
      const { id } = rowOf(context, resource).record;
      const { usage: kept } = context.env;
      if (sides === undefined) {
        return valueListReply(context, {
          things: kept.hours({ of, id }, timeOf(context)),
          scope: hourScope,
          filterableFields: ['hour', ...usageSumNames],
          isWholeWithoutLimit: true,
          text: hourText,
        });
      }
      kept.noteSides();
      return valueListReply(context, {
        things: sides,
        scope: sideScope,
        filterableFields: ['id', ...usageSumNames],
        text: (part) => sideText(context, shown, part),
      });
    },
  });
}

/** @throws ApiError COULD_NOT_VALIDATE for anything but the other side */
function isBySide({ query }: Pick<Context, 'query'>, by: UsageOwner['of']): boolean {
  const text = query.get('by') ?? '';
  if (text === '') return false;
  if (text !== by) throw fieldError('by', `must be ${by}`, text);
  return true;
}

/** Those with most bytes first. @throws ApiError as `timeOf`, and when too many others search */
function sidesOf(
  context: Context,
  owner: UsageOwner,
): readonly UsagePart[] | Promise<readonly UsagePart[]> {
  const { env, caller, requestId } = context;
  const time = timeOf(context);
  const sides: UsagePart[] = [];
  function* steps(): Generator<undefined> {
    const found = yield* env.usage.sides(owner, time);
    for (const side of yield* mostBytesFirst(found)) sides.push(side);
  }
  if (!env.builds.isSmall({ size: env.usage.sidesCount(owner) })) {
    return env.builds.whenFound(caller.identity.id, `usage ${requestId}`, steps).then(() => sides);
  }
  for (const _ of steps());
  return sides;
}

function* mostBytesFirst(parts: readonly UsagePart[]): Generator<undefined, UsagePart[]> {
  const bytes = Float64Array.from(parts, bytesOf);
  const compare = (one: number, other: number) => (bytes[other] ?? 0) - (bytes[one] ?? 0);
  const runs: Uint32Array[] = [];
  for (let from = 0; from < parts.length; from += partsSortedAStep) {
    yield;
    const length = Math.min(partsSortedAStep, parts.length - from);
    runs.push(Uint32Array.from({ length }, (_, at) => from + at).sort(compare));
  }
  const places = yield* mergedRuns(runs, compare);
  return Array.from(places, (at) => parts[at] ?? []).flat();
}

function bytesOf({ sums: of }: UsagePart): number {
  return usageSumNames.reduce((bytes, name) => bytes + of[name], 0);
}

/** @throws ApiError COULD_NOT_VALIDATE for a moment that is none, or an end before its start */
function timeOf(context: Pick<Context, 'query'>): UsageTime {
  const fromSeconds = momentIn(context, 'from') ?? 0;
  const toSeconds = momentIn(context, 'to') ?? Number.POSITIVE_INFINITY;
  if (toSeconds <= fromSeconds) {
    throw fieldError('to', 'must be later than from', context.query.get('to'));
  }
  return { fromSeconds, toSeconds };
}

function momentIn({ query }: Pick<Context, 'query'>, name: 'from' | 'to'): number | undefined {
  const text = query.get(name) ?? '';
  if (text === '') return undefined;
  const ms = rfc3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw fieldError(name, 'must be a moment such as 2026-11-27T08:00:00Z', text);
  }
  return ms / 1000;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Names of a part in filters and orders: what it is of, and its sums. */
function scopeOf(
  name: string,
  own: ScalarSymbol<UsagePart, undefined>,
): Scope<UsagePart, undefined> {
  return {
    symbol(asked) {
      if (asked === name) return own;
      const sum = usageSumNames.find((known) => known === asked);
      return sum && { form: 'scalar', type: 'integer', read: (part) => part.sums[sum] };
    },
    linked: () => undefined,
  };
}

const hourScope = scopeOf('hour', {
  form: 'scalar',
  type: 'datetime',
  read: ({ id }) => startOfHour(id) * 1000,
});

const sideScope = scopeOf('id', { form: 'scalar', type: 'string', read: ({ id }) => id });

function hourText({ id, sums: of }: UsagePart): string {
  return JSON.stringify({ hour: `${id}:00:00.000Z`, ...shownSums(of) });
}

/** A side that was deleted meanwhile is named `<deleted>`. */
function sideText({ env }: Context, { by, plural }: Shown, { id, sums: of }: UsagePart): string {
  const gone = { _links: {}, entity: plural, id, name: '<deleted>' };
  const side = env.registry.reference(by, id, 'management') ?? JSON.stringify(gone);
  return `{"${by}":${side},${JSON.stringify(shownSums(of)).slice(1)}`;
}

const partsSortedAStep = 1024;

function shownSums(of: UsagePart['sums']): UsagePart['sums'] {
  const { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes } = of;
  return { clientSentBytes, clientReceivedBytes, hostSentBytes, hostReceivedBytes };
}

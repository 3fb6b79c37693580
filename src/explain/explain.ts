// Explains why an identity can or cannot dial or bind a service, and by which routers: our own
// addition to the published API.

import Type from 'typebox';
import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import { detail } from '../declare/operations/operation.ts';
import { rowOf } from '../declare/resources/crud.ts';
import { isoTime } from '../declare/resources/view.ts';
import { ApiError } from '../errors/errors.ts';
import { purposeOf, type SessionRecord, sessionKind } from '../records/session.ts';
import { terminatorKind } from '../records/terminator.ts';
import { type Context, type Operation, operation } from '../resources/context.ts';
import { identities } from '../resources/identities/identity.ts';
import { noteFamily } from '../resources/policies/access-rows.ts';
import { failedDialsOf } from '../resources/services/failed-dials.ts';
import { services } from '../resources/services/service.ts';
import { boundsOf } from '../settings/bounds.ts';
import { hostingOf } from './hosting.ts';
import {
  type Endpoint,
  type Endpoints,
  endpointsOf,
  identityState,
  owesTotp,
  someOf,
} from './identity.ts';
import { type Pair, policyMatches, routerPolicies, shownPolicies } from './policies.ts';
import { EvaluatedChecks } from './posture.ts';
import { routersOf } from './routers.ts';
import { type ExplainedAccess, type Explanation, explanationSchema } from './schema.ts';
import { explainBounds } from './sentence-parts.ts';
import { type SummaryInput, summaryOf, verdictOf } from './summary.ts';

/** `/identities/{id}/services/{serviceId}/explain` */
export const explain: Operation = operation({
  id: 'explainIdentityService',
  path: '/identities/{id}/services/{serviceId}/explain',
  answered: 'leader',
  permission: 'admin_readonly',
  summary: 'Why an identity can or cannot dial or bind a service, and by which routers',
  answer: explanationSchema,
  query: {
    apiSessionId: Type.String({
      description:
        'The API session of the identity whose posture is evaluated; without it the most ' +
        'recently active one',
    }),
  },
  errors: [401, 404, 429],
  decide: (context) => detail([JSON.stringify(explanationOf(context))]),
});

function explanationOf(context: Context): Explanation {
  const identity = rowOf(context, identities);
  const service = rowOf(context, services, 'serviceId');
  noteAll(context);
  const { env } = context;
  const pair: Pair = { identity, service };
  const { id: identityId } = identity.record;
  const endpoints = endpointsOf(context, identityId);
  const matches = policyMatches(context, pair);
  const apiSessionId = endpoints.used?.record.id;
  const evaluated = new EvaluatedChecks(
    context,
    env.posture.subjectOf({ identityId, apiSessionId }),
  );
  const { explainEntriesMax } = boundsOf(explainBounds, env.bounds);
  const routers = routersOf(context, pair);
  const input: SummaryInput = {
    ...referencesOf(context, pair),
    identityState: identityState(context, identity, endpoints),
    serviceState: {
      roleAttributes: someOf(service.record.roleAttributes ?? [], explainEntriesMax),
      terminatorCount: env.store.table(terminatorKind).group('service').count(service.record.id),
    },
    servicePolicies: {
      linkingTotal: countOf(matches.linking),
      identityOnlyTotal: countOf(matches.identityOnly),
      serviceOnlyTotal: countOf(matches.serviceOnly),
      neitherTotal: matches.neitherTotal,
      shown: shownPolicies(context, pair, matches, evaluated),
    },
    edgeRouterPolicies: routerPolicies(context, 'edgeRouterPolicy', 'identity', identity.slot),
    serviceEdgeRouterPolicies: routerPolicies(
      ...([context, 'serviceEdgeRouterPolicy', 'service', service.slot] as const),
    ),
    routers,
    hosting: hostingOf(context, pair, routers),
    failures: failedDialsOf(context, service.record.id),
    sessions: sessionsOf(context, endpoints, service.record.id),
    matches,
  };
  const of = (type: AccessType) => accessOf(context, input, type, evaluated, endpoints.used);
  const [dial, bind] = [of('Dial'), of('Bind')];
  const { matches: _matches, ...rest } = input;
  return { summary: summaryOf(input, dial, bind), dial, bind, ...rest };
}

/** Notes whole tables as read, because records that were not found also decide an explanation. */
function noteAll(context: Context): void {
  for (const family of ['servicePolicy', 'edgeRouterPolicy', 'serviceEdgeRouterPolicy'] as const) {
    noteFamily(context, family);
  }
  const { store } = context.env;
  for (const kind of notedKinds) {
    store.fence.note(store.tableNamed(kind).lastLsn);
  }
}

const notedKinds = [
  ...(['apiSession', 'session', 'terminator', 'postureData', 'mfaEnrollment', 'link'] as const),
];

function referencesOf({ env: { registry } }: Context, { identity, service }: Pair) {
  const { id: identityId } = identity.record;
  const { id: serviceId } = service.record;
  return {
    identityId,
    serviceId,
    identity: JSON.parse(registry.reference('identity', identityId) ?? '{}'),
    service: JSON.parse(registry.reference('service', serviceId) ?? '{}'),
  } as Pick<Explanation, 'identity' | 'identityId' | 'service' | 'serviceId'>;
}

function countOf({ Dial, Bind }: Readonly<Record<AccessType, readonly number[]>>): number {
  return Dial.length + Bind.length;
}

function accessOf(
  context: Context,
  input: SummaryInput,
  type: AccessType,
  evaluated: EvaluatedChecks,
  used: Endpoint | undefined,
): ExplainedAccess {
  const { isPassing, failsAt } = evaluated.outcome(input.matches.linking[type]);
  const allowed = {
    isAllowedByPolicy: input.matches.linking[type].length > 0,
    isAllowedByPosture: isPassing,
    failsAt: failsAt === undefined ? null : isoTime(failsAt),
  };
  const isReachable = input.routers.common.total > 0;
  return {
    isAllowed: isPassing === true && isReachable && !input.identityState.isDisabled,
    ...allowed,
    verdict: verdictOf(input, type, allowed),
    sessionCreate:
      used === undefined ? null : sessionCreate(context, input, type, { isPassing, used }),
  };
}

/** In the order of behaviour/sessions#creation. */
function sessionCreate(
  context: Context,
  input: SummaryInput,
  type: AccessType,
  { isPassing, used }: { readonly isPassing: boolean | null; readonly used: Endpoint },
): ExplainedAccess['sessionCreate'] {
  const { linking } = input.matches;
  if (input.identityState.isDisabled || owesTotp(context, used)) return refused('UNAUTHORIZED');
  const isHeld = heldSession(context, used, input.serviceId, type) !== undefined;
  // An administrator's existing session is returned even without a policy. A session that posture
  // is about to end is returned to nobody.
  const { id: apiSessionId, identityId } = used.record;
  const isFailing =
    isPassing === false && !context.env.posture.isLeftToRouters({ identityId, apiSessionId });
  if (isHeld) return isFailing ? refused('INVALID_POSTURE') : made;
  if (countOf(linking) === 0) return refused('NOT_FOUND');
  if (linking[type].length === 0) return refused('COULD_NOT_VALIDATE');
  if (isFailing) return refused('INVALID_POSTURE');
  return input.routers.common.total === 0 ? refused('NO_EDGE_ROUTERS_AVAILABLE') : made;
}

const made = { status: 201, code: null };

function refused(code: ApiError['code']) {
  return { status: new ApiError(code).status, code };
}

function sessionsOf(
  context: Context,
  { all }: Endpoints,
  serviceId: string,
): Explanation['sessions'] {
  const held = all.flatMap((endpoint) =>
    (['Dial', 'Bind'] as const).flatMap(
      (type) => heldSession(context, endpoint, serviceId, type) ?? [],
    ),
  );
  held.sort((left, right) => right.createdAt - left.createdAt);
  const shown = held
    .slice(0, boundsOf(explainBounds, context.env.bounds).explainSessionsMax)
    .map(({ id, type, apiSessionId, createdAt }) => {
      return { id, type, apiSessionId, createdAt: isoTime(createdAt) };
    });
  return { total: held.length, shown };
}

/** There is at most one session per API session, service and type. */
function heldSession(
  { env }: Context,
  { record }: Endpoint,
  serviceId: string,
  type: AccessType,
): SessionRecord | undefined {
  const table = env.store.table(sessionKind);
  return table.findBy('purpose', purposeOf({ apiSessionId: record.id, serviceId, type }))?.record;
}

// The form of an explanation: the answer of `explain`, as a schema and as types.

import Type, { type Static, type TSchema } from 'typebox';
import { entityRefSchema } from '../declare/resources/answers.ts';
import { failedDialsSchema } from '../resources/services/failed-dials.ts';

const count = (description: string) => Type.Integer({ description });
const flag = (description: string) => Type.Boolean({ description });
const text = (description: string) => Type.String({ description });
const moment = Type.String({ format: 'date-time' });
const maybe = <T extends TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The first items of a list, and their total number. */
const excerpt = <T extends TSchema>(of: T, title: string, order: string) =>
  Type.Object(
    { total: count('How many there are'), shown: Type.Array(of) },
    { title, description: order },
  );

const entries = excerpt(Type.String(), 'explainedEntries', 'Entries of a list, the first of them');

const side = Type.Object(
  {
    isMatching: flag('Whether this side of the policy selects it'),
    entries: count('How many entries the list has'),
    matchedBy: entries,
    has: entries,
    lacks: entries,
    gone: entries,
  },
  {
    title: 'explainedSide',
    description:
      'How one role list meets one entity. `matchedBy`: the entries that select it. Where none ' +
      'does, `has` and `lacks`: the attributes of the list that it has and lacks; AllOf needs all ' +
      'of them, AnyOf one. `gone`: `@id` entries of entities that do not exist any more',
  },
);

const check = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    typeId: Type.String(),
    isPassing: Type.Boolean(),
    why: text('Why it passes or fails'),
    failsAt: maybe(moment, 'When it fails by itself; null when it does not, or fails already'),
  },
  { title: 'explainedCheck' },
);

const servicePolicy = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    type: Type.Enum(['Dial', 'Bind']),
    semantic: Type.Enum(['AllOf', 'AnyOf']),
    isLinking: flag('Whether it selects both'),
    identity: side,
    service: side,
    inWords: text('What it selects, and what is missing'),
    isPosturePassing: flag('Whether all its posture checks pass'),
    postureChecks: excerpt(check, 'explainedChecks', 'Posture checks, failing ones first'),
  },
  { title: 'explainedServicePolicy' },
);

const routerPolicy = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    semantic: Type.Enum(['AllOf', 'AnyOf']),
    matchedBy: entries,
    routerCount: count('How many edge routers it selects'),
    gone: entries,
  },
  {
    title: 'explainedRouterPolicy',
    description:
      '`matchedBy`: the entries by which it selects the identity or service. `gone`: `@id` ' +
      'entries, on the side of the routers, of routers that do not exist any more',
  },
);

const routerPolicies = Type.Object(
  {
    selecting: excerpt(routerPolicy, 'explainedRouterPolicies', 'Those that select it'),
    othersTotal: count('How many do not'),
  },
  { title: 'explainedRouterFamily' },
);

const router = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    isOnline: flag('Whether it is connected to this controller'),
    syncStatus: Type.String(),
    isVerified: flag('Whether it has enrolled'),
    disabled: Type.Boolean(),
    model: maybe(
      Type.Object({
        index: count('The index of the model of the network that it was last sent'),
        lag: maybe(Type.Integer(), 'Changes that it lacks; null when it waits for all of it'),
      }),
      'How far it knows the model of the network; null when it has not asked for it',
    ),
  },
  { title: 'explainedRouter' },
);

const routerList = excerpt(router, 'explainedRouterList', 'Edge routers, connected ones first');

const routers = Type.Object(
  {
    identityTotal: count('How many edge routers the identity may use'),
    serviceTotal: count('How many edge routers carry the service'),
    onlineTotal: count('How many of the common ones are connected'),
    common: routerList,
    identityOnly: routerList,
    serviceOnly: routerList,
  },
  { title: 'explainedRouters' },
);

const namedRouter = { id: Type.String(), name: Type.String() };

const terminator = Type.Object(
  {
    id: Type.String(),
    precedence: Type.String(),
    router: Type.Object({
      ...namedRouter,
      isOnline: flag('Whether it is connected to this controller'),
    }),
    path: maybe(
      Type.Object({
        cost: Type.Integer({ description: 'As circuits compare paths; 0 within one router' }),
        routers: Type.Array(Type.Object(namedRouter), {
          description: 'From the router of the client to the router of the host',
        }),
      }),
      'The way from a common router to it; null when none was found',
    ),
  },
  { title: 'explainedTerminator' },
);

const hosting = Type.Object(
  {
    total: count('How many terminators the service has'),
    isWhole: flag('Whether all of them were looked at; the other totals count those alone'),
    onlineTotal: count('How many are on routers that are connected'),
    reachableTotal: count('To how many a path leads from a common router that is connected'),
    shown: Type.Array(terminator, {
      description: 'Reachable ones first, then those on routers that are connected',
    }),
  },
  { title: 'explainedHosting' },
);

const access = Type.Object(
  {
    isAllowed: flag('Whether policies, posture and routers allow it, and the identity is enabled'),
    isAllowedByPolicy: flag('Whether some policy of this type links the two'),
    isAllowedByPosture: maybe(
      Type.Boolean(),
      'Whether all checks of one linking policy pass; null where none links them',
    ),
    failsAt: maybe(moment, 'When posture fails by itself; null when it does not, or fails already'),
    verdict: text('The answer in one sentence'),
    sessionCreate: maybe(
      Type.Object({
        status: Type.Integer(),
        code: maybe(Type.String(), 'The error code; null for a success'),
      }),
      'What `POST /sessions` answers the API session used here now; null without one',
    ),
  },
  { title: 'explainedAccess' },
);

const apiSession = Type.Object(
  {
    id: Type.String(),
    createdAt: moment,
    lastActivityAt: moment,
    expiresAt: moment,
    stateInWords: Type.Optional(text('Its state, if each of its requests needs a JWT')),
    isTotpOwed: flag('Whether it may do nothing before it gives a TOTP or recovery code'),
    mfaPassedAt: maybe(moment, 'When it last gave one'),
  },
  { title: 'explainedApiSession' },
);

const apiSessions = Type.Object(
  {
    total: count('How many the identity has'),
    isWhole: flag('Whether all of them were looked at; the most recent may be another where not'),
    used: maybe(
      apiSession,
      'The one whose posture is evaluated: as asked by `apiSessionId`, else the most recently ' +
        'active one. Null without any: MFA checks fail then',
    ),
    shown: Type.Array(apiSession, { description: 'The most recently active first' }),
  },
  { title: 'explainedApiSessions' },
);

const identityState = Type.Object(
  {
    isAdmin: flag(
      'An administrator keeps the sessions it has when no policy links it any more. It makes ' +
        'none without a policy, and posture binds it like anybody',
    ),
    isDisabled: Type.Boolean(),
    disabledUntil: maybe(moment, 'Null where it is not disabled, or without an end'),
    isMfaEnrolled: Type.Boolean(),
    roleAttributes: entries,
    apiSessions,
  },
  { title: 'explainedIdentity' },
);

const serviceState = Type.Object(
  {
    roleAttributes: entries,
    terminatorCount: count('Where it is hosted; dials end nowhere while it is 0'),
  },
  { title: 'explainedService' },
);

const session = Type.Object(
  {
    id: Type.String(),
    type: Type.Enum(['Dial', 'Bind']),
    apiSessionId: Type.String(),
    createdAt: moment,
  },
  { title: 'explainedSession' },
);

const servicePolicies = Type.Object(
  {
    linkingTotal: count('How many select both'),
    identityOnlyTotal: count('How many select the identity and not the service'),
    serviceOnlyTotal: count('How many select the service and not the identity'),
    neitherTotal: count('How many select neither'),
    shown: Type.Array(servicePolicy, {
      description: 'Those that select both, then those that select one of the two',
    }),
  },
  { title: 'explainedServicePolicies' },
);

/** The whole answer. */
export const explanationSchema = Type.Object(
  {
    summary: Type.Array(Type.String(), { description: 'What to know, the most important first' }),
    identityId: Type.String(),
    identity: entityRefSchema,
    identityState,
    serviceId: Type.String(),
    service: entityRefSchema,
    serviceState,
    dial: access,
    bind: access,
    servicePolicies,
    edgeRouterPolicies: routerPolicies,
    serviceEdgeRouterPolicies: routerPolicies,
    routers,
    hosting,
    failures: failedDialsSchema,
    sessions: excerpt(
      session,
      'explainedSessions',
      'Of this identity to this service, the latest first',
    ),
  },
  { title: 'explanation' },
);

/** An explanation. */
export type Explanation = Static<typeof explanationSchema>;
/** One service policy of an explanation. */
export type ExplainedServicePolicy = Static<typeof servicePolicy>;
/** One side of a service policy. */
export type ExplainedSide = Static<typeof side>;
/** A posture check of a service policy. */
export type ExplainedCheck = Static<typeof check>;
/** Policies that lead to routers. */
export type ExplainedRouterPolicies = Static<typeof routerPolicies>;
/** The routers of an explanation. */
export type ExplainedRouters = Static<typeof routers>;
/** One router. */
export type ExplainedRouter = Static<typeof router>;
/** The terminators of an explanation. */
export type ExplainedHosting = Static<typeof hosting>;
/** One terminator. */
export type ExplainedTerminator = Static<typeof terminator>;
/** The result for dialing or binding. */
export type ExplainedAccess = Static<typeof access>;
/** An API session of the identity. */
export type ExplainedApiSession = Static<typeof apiSession>;

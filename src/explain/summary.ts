// Sums up an explanation in sentences, for an administrator who has to act on it.

import type { AccessType } from '../declare/access-vocabulary.ts';
import type { Links } from './policies.ts';
import type {
  ExplainedAccess,
  ExplainedRouterPolicies,
  ExplainedServicePolicy,
  Explanation,
} from './schema.ts';
import { countInWords, listInWords, namesInWords } from './words.ts';

/** The input of the sentences: the other parts of an explanation. */
export interface Told extends Omit<Explanation, 'summary' | 'dial' | 'bind'> {
  readonly links: Links;
  /** Name of the signer whose token each request of the API session must show, if any. */
  readonly signer: string | undefined;
}

type Allowed = Pick<ExplainedAccess, 'isAllowedByPolicy' | 'isAllowedByPosture' | 'failsAt'>;

/** Whether the identity may dial, or bind, in one sentence. */
export function verdictOf(told: Told, type: AccessType, allowed: Allowed): string {
  const { identityState, routers } = told;
  if (identityState.isDisabled) return `${type} is refused: ${identityOf(told)} is disabled.`;
  if (!allowed.isAllowedByPolicy) return `${unlinked(told, type)}.`;
  if (!allowed.isAllowedByPosture) return guarded(told, type);
  if (routers.common.total === 0) {
    return `${type} is refused: ${bothOf(told)} share no edge router.`;
  }
  return allowedInWords(told, type);
}

/** The summary: first the obstacles, then other useful facts. */
export function summaryOf(told: Told, dial: ExplainedAccess, bind: ExplainedAccess): string[] {
  return [
    ...identitySentences(told),
    ...accessSentences(told, 'Dial', dial),
    ...routerSentences(told),
    ...absenceSentences(told),
    ...accessSentences(told, 'Bind', bind),
    ...furtherSentences(told, dial, bind),
    ...goneSentences(told),
  ];
}

const identityOf = ({ identity, identityId }: Told) => `identity '${identity.name ?? identityId}'`;
const serviceOf = ({ service, serviceId }: Told) => `service '${service.name ?? serviceId}'`;
const bothOf = (told: Told) => `${identityOf(told)} and ${serviceOf(told)}`;
const capital = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

function unlinked(told: Told, type: AccessType): string {
  return `No ${type} policy links ${bothOf(told)}`;
}

function guarded(told: Told, type: AccessType): string {
  const { length } = told.links.linking[type];
  const only = told.servicePolicies.shown.find(
    (policy) => policy.type === type && policy.isLinking,
  );
  return length === 1 && only !== undefined
    ? `${type} is refused: posture fails under '${only.name}', the only policy that links ${bothOf(told)}.`
    : `${type} is refused: posture fails under each of the ${length} policies that link ${bothOf(told)}.`;
}

function allowedInWords(told: Told, type: AccessType): string {
  const passing = told.servicePolicies.shown.filter(
    (policy) => policy.type === type && policy.isLinking && policy.isPosturePassing,
  );
  return passing.length === 0
    ? `${type} is allowed.`
    : `${type} is allowed, by policy ${namesInWords(passing.slice(0, 1))}.`;
}

/** The obstacles to all access. */
function identitySentences(told: Told): string[] {
  const { isDisabled, disabledUntil, apiSessions } = told.identityState;
  const { used } = apiSessions;
  if (isDisabled) {
    const end = disabledUntil === null ? 'without an end' : `until ${disabledUntil}`;
    return [`${capital(identityOf(told))} is disabled ${end}: it cannot log in.`];
  }
  if (used === null || !used.isTotpOwed) return [];
  return [
    `API session ${used.id} of ${identityOf(told)} owes a TOTP or recovery code: ` +
      'what is asked before that is answered 401.',
  ];
}

function absenceSentences(told: Told): string[] {
  const { isDisabled, apiSessions } = told.identityState;
  if (isDisabled || apiSessions.used !== null) return [];
  const who = capital(identityOf(told));
  return [`${who} has no API session: it has to log in. Without one, MFA checks fail.`];
}

function accessSentences(told: Told, type: AccessType, access: ExplainedAccess): string[] {
  if (!access.isAllowedByPolicy) return [nearestInWords(told, type)];
  if (!access.isAllowedByPosture) return [guarded(told, type), ...failingSentences(told, type)];
  if (told.identityState.isDisabled) {
    return [`Policies and posture allow ${type} once the identity is enabled.`];
  }
  if (access.failsAt === null) return [access.verdict];
  return [access.verdict, `Posture allows ${type} until ${access.failsAt}.`];
}

function nearestInWords(told: Told, type: AccessType): string {
  const { identityOnly, serviceOnly } = told.links;
  const total = identityOnly[type].length + serviceOnly[type].length;
  const nearest = told.servicePolicies.shown
    .filter((policy) => policy.type === type && !policy.isLinking)
    .reduce<ExplainedServicePolicy | undefined>(
      (best, policy) => (best === undefined || distance(policy) < distance(best) ? policy : best),
      undefined,
    );
  if (nearest === undefined) return `${unlinked(told, type)}, and none selects either of them.`;
  const more = total < 2 ? '' : ` ${othersInWords(total - 1, type)} only one of them.`;
  return `${unlinked(told, type)}: policy '${nearest.name}' ${nearest.inWords}.${more}`;
}

function othersInWords(count: number, type: AccessType): string {
  return count === 1 ? `1 more ${type} policy selects` : `${count} more ${type} policies select`;
}

/** The number of attributes that are missing for the policy to link the two. */
function distance({ semantic, identity, service }: ExplainedServicePolicy): number {
  const { lacks } = identity.isMatching ? service : identity;
  // A list without attributes needs an id, which ranks after attributes.
  if (lacks.total === 0) return Number.MAX_SAFE_INTEGER;
  return semantic === 'AllOf' ? lacks.total : 1;
}

/** Policies and checks whose failure an explanation describes in full. @bound per request */
const failingMax = 3;

function failingSentences(told: Told, type: AccessType): string[] {
  const failing = told.servicePolicies.shown.filter(
    (policy) => policy.type === type && policy.isLinking && !policy.isPosturePassing,
  );
  return failing.slice(0, failingMax).flatMap(({ name, postureChecks }) =>
    postureChecks.shown
      .filter(({ isPassing }) => !isPassing)
      .slice(0, failingMax)
      .map((check) => `Posture: '${check.name}' of policy '${name}' fails. ${check.why}`),
  );
}

function routerSentences(told: Told): string[] {
  const { routers, edgeRouterPolicies, serviceEdgeRouterPolicies } = told;
  const { common, onlineTotal, identityTotal, serviceTotal, identityOnly, serviceOnly } = routers;
  const missing = [
    ...(identityTotal > 0
      ? []
      : [noRouters('edge router policy', identityOf(told), edgeRouterPolicies)]),
    ...(serviceTotal > 0
      ? []
      : [noRouters('service edge router policy', serviceOf(told), serviceEdgeRouterPolicies)]),
  ];
  if (missing.length > 0) return missing;
  if (common.total === 0) {
    const own = namesInWords(identityOnly.shown, identityOnly.total);
    const others = namesInWords(serviceOnly.shown, serviceOnly.total);
    return [`They share no edge router: the identity may use ${own}, the service ${others}.`];
  }
  const names = namesInWords(common.shown, common.total);
  if (onlineTotal > 0) return [];
  // For routers beyond the shown ones, it is not known here which have enrolled.
  const known = common.total === common.shown.length ? common.shown : [];
  const unverified = known.filter(({ isVerified }) => !isVerified);
  const unenrolled =
    unverified.length === 0 ? '' : ` Not enrolled yet: ${namesInWords(unverified)}.`;
  const offline =
    common.total === 1
      ? `The only common edge router is offline: ${names}.`
      : `All ${common.total} common edge routers are offline: ${names}.`;
  return [offline + unenrolled];
}

function noRouters(policy: string, whom: string, { selecting }: ExplainedRouterPolicies): string {
  if (selecting.total === 0) return `No ${policy} selects ${whom}, so it has no edge router.`;
  const names = namesInWords(selecting.shown, selecting.total);
  return `What selects ${whom} selects no edge router: ${policy} ${names}.`;
}

function furtherSentences(told: Told, dial: ExplainedAccess, bind: ExplainedAccess): string[] {
  const { signer, sessions, serviceState, identityState } = told;
  const further: string[] = [];
  if (dial.isAllowed && serviceState.terminatorCount === 0) {
    further.push(`${capital(serviceOf(told))} has no terminator: nothing hosts it.`);
  }
  if (signer !== undefined) {
    further.push(
      `Each request must show a token of signer '${signer}'; whether they do is not known here.`,
    );
  }
  if (identityState.isAdmin) {
    further.push(
      'An administrator makes sessions by policies alone and is bound by posture, like anybody; ' +
        'it keeps those it has when no policy links it any more.',
    );
  }
  if (sessions.total > 0 && !(dial.isAllowed && bind.isAllowed)) {
    further.push(`It has ${countInWords(sessions.total, 'session', 'sessions')} to the service.`);
  }
  return further;
}

function goneSentences({
  servicePolicies,
  edgeRouterPolicies,
  serviceEdgeRouterPolicies,
}: Told): string[] {
  const routers = [
    ...edgeRouterPolicies.selecting.shown,
    ...serviceEdgeRouterPolicies.selecting.shown,
  ];
  const lists = [
    ...servicePolicies.shown.flatMap(({ name, identity, service }) => [
      { name, what: 'identities', gone: identity.gone },
      { name, what: 'services', gone: service.gone },
    ]),
    ...routers.map(({ name, gone }) => ({ name, what: 'edge routers', gone })),
  ];
  return lists
    .filter(({ gone }) => gone.total > 0)
    .slice(0, failingMax)
    .map(
      ({ name, what, gone }) =>
        `Policy '${name}' names ${what} that do not exist any more: ` +
        `${listInWords(gone.shown, gone.total)}.`,
    );
}

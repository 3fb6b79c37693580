// Sums up an explanation in sentences, for an administrator who has to act on it.

import type { AccessType } from '../declare/kinds/access-vocabulary.ts';
import { nearestPolicy, type PolicyMatches } from './policies.ts';
import type {
  ExplainedAccess,
  ExplainedRouterPolicies,
  ExplainedTerminator,
  Explanation,
} from './schema.ts';
import { countInWords, listInWords, namesInWords } from './sentence-parts.ts';

/** The input of the sentences: the other parts of an explanation. */
export interface SummaryInput extends Omit<Explanation, 'summary' | 'dial' | 'bind'> {
  readonly matches: PolicyMatches;
}

type Allowed = Pick<ExplainedAccess, 'isAllowedByPolicy' | 'isAllowedByPosture' | 'failsAt'>;

/** Whether the identity may dial, or bind, in one sentence. */
export function verdictOf(input: SummaryInput, type: AccessType, allowed: Allowed): string {
  const { identityState, routers } = input;
  if (identityState.isDisabled) return `${type} is refused: ${identityOf(input)} is disabled.`;
  if (!allowed.isAllowedByPolicy) return `${unlinked(input, type)}.`;
  if (!allowed.isAllowedByPosture) return guarded(input, type);
  if (routers.common.total === 0) {
    return `${type} is refused: ${bothOf(input)} share no edge router.`;
  }
  return allowedInWords(input, type);
}

/** The summary: first the obstacles, then other useful facts. */
export function summaryOf(
  input: SummaryInput,
  dial: ExplainedAccess,
  bind: ExplainedAccess,
): string[] {
  return [
    ...identitySentences(input),
    ...accessSentences(input, 'Dial', dial),
    ...routerSentences(input),
    ...absenceSentences(input),
    ...accessSentences(input, 'Bind', bind),
    ...furtherSentences(input, dial, bind),
    ...failureSentences(input),
    ...goneSentences(input),
  ];
}

const identityOf = ({ identity, identityId }: SummaryInput) =>
  `identity '${identity.name ?? identityId}'`;
const serviceOf = ({ service, serviceId }: SummaryInput) =>
  `service '${service.name ?? serviceId}'`;
const bothOf = (input: SummaryInput) => `${identityOf(input)} and ${serviceOf(input)}`;
const capital = (text: string) => text.replace(/^./, (letter) => letter.toUpperCase());

function unlinked(input: SummaryInput, type: AccessType): string {
  return `No ${type} policy links ${bothOf(input)}`;
}

function guarded(input: SummaryInput, type: AccessType): string {
  const { length } = input.matches.linking[type];
  const only = input.servicePolicies.shown.find(
    (policy) => policy.type === type && policy.isLinking,
  );
  return length === 1 && only !== undefined
    ? `${type} is refused: posture fails under '${only.name}', the only policy that links ${bothOf(input)}.`
    : `${type} is refused: posture fails under each of the ${length} policies that link ${bothOf(input)}.`;
}

function allowedInWords(input: SummaryInput, type: AccessType): string {
  const passing = input.servicePolicies.shown.filter(
    (policy) => policy.type === type && policy.isLinking && policy.isPosturePassing,
  );
  return passing.length === 0
    ? `${type} is allowed.`
    : `${type} is allowed, by policy ${namesInWords(passing.slice(0, 1))}.`;
}

/** The obstacles to all access. */
function identitySentences(input: SummaryInput): string[] {
  const { isDisabled, disabledUntil, apiSessions } = input.identityState;
  const { used } = apiSessions;
  if (isDisabled) {
    const end = disabledUntil === null ? 'without an end' : `until ${disabledUntil}`;
    return [`${capital(identityOf(input))} is disabled ${end}: it cannot log in.`];
  }
  if (used === null || !used.isTotpOwed) return [];
  return [
    `API session ${used.id} of ${identityOf(input)} owes a TOTP or recovery code: ` +
      'what is asked before that is answered 401.',
  ];
}

function absenceSentences(input: SummaryInput): string[] {
  const { isDisabled, apiSessions } = input.identityState;
  if (isDisabled || apiSessions.used !== null) return [];
  const who = capital(identityOf(input));
  return [`${who} has no API session: it has to log in. Without one, MFA checks fail.`];
}

function accessSentences(input: SummaryInput, type: AccessType, access: ExplainedAccess): string[] {
  if (!access.isAllowedByPolicy) return [nearestInWords(input, type)];
  if (!access.isAllowedByPosture) return [guarded(input, type), ...failingSentences(input, type)];
  if (input.identityState.isDisabled) {
    return [`Policies and posture allow ${type} once the identity is enabled.`];
  }
  if (access.failsAt === null) return [access.verdict];
  return [access.verdict, `Posture allows ${type} until ${access.failsAt}.`];
}

function nearestInWords(input: SummaryInput, type: AccessType): string {
  const { identityOnly, serviceOnly } = input.matches;
  const total = identityOnly[type].length + serviceOnly[type].length;
  const nearest = nearestPolicy(input.servicePolicies.shown, type);
  if (nearest === undefined) return `${unlinked(input, type)}, and none selects either of them.`;
  const more = total < 2 ? '' : ` ${othersInWords(total - 1, type)} only one of them.`;
  return `${unlinked(input, type)}: policy '${nearest.name}' ${nearest.inWords}.${more}`;
}

function othersInWords(count: number, type: AccessType): string {
  return count === 1 ? `1 more ${type} policy selects` : `${count} more ${type} policies select`;
}

/** Policies and checks whose failure an explanation describes in full. @bound per request */
const failingMax = 3;

function failingSentences(input: SummaryInput, type: AccessType): string[] {
  const failing = input.servicePolicies.shown.filter(
    (policy) => policy.type === type && policy.isLinking && !policy.isPosturePassing,
  );
  return failing.slice(0, failingMax).flatMap(({ name, postureChecks }) =>
    postureChecks.shown
      .filter(({ isPassing }) => !isPassing)
      .slice(0, failingMax)
      .map((check) => `Posture: '${check.name}' of policy '${name}' fails. ${check.why}`),
  );
}

function routerSentences(input: SummaryInput): string[] {
  const { routers, edgeRouterPolicies, serviceEdgeRouterPolicies } = input;
  const { common, onlineTotal, identityTotal, serviceTotal, identityOnly, serviceOnly } = routers;
  const missing = [
    ...(identityTotal > 0
      ? []
      : [noRouters('edge router policy', identityOf(input), edgeRouterPolicies)]),
    ...(serviceTotal > 0
      ? []
      : [noRouters('service edge router policy', serviceOf(input), serviceEdgeRouterPolicies)]),
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

/** What becomes of a dial that is allowed: whether it reaches a host, and by which way. */
function hostingSentences(input: SummaryInput): string[] {
  const { total, onlineTotal, reachableTotal, isWhole, shown } = input.hosting;
  const service = serviceOf(input);
  if (total === 0) return [`${capital(service)} has no terminator: nothing hosts it.`];
  const routers = uniqueRouters(shown);
  const many = countInWords(total, 'terminator', 'terminators');
  if (onlineTotal === 0) {
    if (!isWhole) return [];
    const where = namesInWords(routers);
    return [`${capital(service)} has ${many}, on routers that are offline: ${where}.`];
  }
  // Without a router of its own that is online, the sentences about routers have told it already.
  if (input.routers.onlineTotal === 0) return [];
  const [nearest] = shown;
  if (reachableTotal === 0 || nearest === undefined || nearest.path === null) {
    const where = namesInWords(routers.filter(({ isOnline }) => isOnline));
    return [`No links lead from the common edge routers to where ${service} is hosted: ${where}.`];
  }
  return [wayInWords(input, nearest)];
}

function wayInWords(input: SummaryInput, { path, router, ...rest }: ExplainedTerminator): string {
  const links = (path?.routers.length ?? 1) - 1;
  const [first] = path?.routers ?? [];
  const way =
    links === 0
      ? `at router '${router.name}' itself`
      : `from router '${first?.name}' over ${countInWords(links, 'link', 'links')} to '${router.name}'`;
  const failed = rest.precedence === 'failed' ? ', which has the precedence failed' : '';
  return `A dial reaches a terminator of ${serviceOf(input)} ${way}${failed}.`;
}

function uniqueRouters(terminators: readonly ExplainedTerminator[]) {
  return [...new Map(terminators.map(({ router }) => [router.id, router])).values()];
}

function noRouters(policy: string, whom: string, { selecting }: ExplainedRouterPolicies): string {
  if (selecting.total === 0) return `No ${policy} selects ${whom}, so it has no edge router.`;
  const names = namesInWords(selecting.shown, selecting.total);
  return `What selects ${whom} selects no edge router: ${policy} ${names}.`;
}

function furtherSentences(
  input: SummaryInput,
  dial: ExplainedAccess,
  bind: ExplainedAccess,
): string[] {
  const { sessions, identityState } = input;
  const { used } = identityState.apiSessions;
  const further = dial.isAllowed ? hostingSentences(input) : [];
  further.push(...modelSentences(input));
  if (used?.stateInWords !== undefined) {
    further.push(
      `API session ${used.id} is ${used.stateInWords}. Whether they bring one is not known here.`,
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

/** Common routers that do not have the present model: by it they decide on clients with JWTs. */
function modelSentences({ routers: { common } }: SummaryInput): string[] {
  return common.shown
    .flatMap(({ name, isOnline, model }) => {
      if (!isOnline || model === null || model.lag === 0) return [];
      const lacking =
        model.lag === null
          ? 'waits for the whole model of the network'
          : `lacks ${countInWords(model.lag, 'change', 'changes')} of the model of the network`;
      return [`Edge router '${name}' ${lacking}.`];
    })
    .slice(0, failingMax);
}

/** The newest dial that failed; one of this identity comes before those of others. */
function failureSentences(input: SummaryInput): string[] {
  const { failures, identityId } = input;
  const last = failures.find(({ identity }) => identity.id === identityId) ?? failures[0];
  if (last === undefined) return [];
  const { identity, router, when, inWords, cause } = last;
  const failed =
    `A dial of identity '${identity.name}' to ${serviceOf(input)} failed at ${when} at router ` +
    `'${router.name}': ${inWords} (${cause}).`;
  const others = failures.length - 1;
  if (others === 0) return [failed];
  return [`${failed} ${countInWords(others, 'more dial', 'more dials')} to it failed lately.`];
}

function goneSentences({
  servicePolicies,
  edgeRouterPolicies,
  serviceEdgeRouterPolicies,
}: SummaryInput): string[] {
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

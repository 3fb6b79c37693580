// The one command that removes the first obstacle between an identity and a service.

import type {
  ExplainedServicePolicy,
  ExplainedSide,
  Explanation,
} from '../../../explain/schema.ts';
import { shellWord } from '../../shell-word.ts';
import { type Named, namedOf, nameWord, roleWord } from '../kinds/named.ts';

/** The command to type; undefined where none or several would help. Capitals stand for a choice. */
export function adviceOn(explanation: Explanation): string | undefined {
  const { identityState, dial, routers, hosting } = explanation;
  if (identityState.isDisabled) return command('enable', nameWord(identityOf(explanation)));
  if (!dial.isAllowedByPolicy) return policyAdvice(explanation);
  // Only the endpoint itself changes its posture.
  if (dial.isAllowedByPosture !== true) return undefined;
  if (routers.common.total === 0) return routerPolicyAdvice(explanation);
  if (routers.onlineTotal === 0) return routerAdvice(explanation);
  return hosting.total === 0 ? hostAdvice(explanation) : undefined;
}

function command(...words: readonly string[]): string {
  return ['edge-control', ...words].join(' ');
}

function servicePolicy(type: string, name: string, identities: string, service: Named): string {
  const roles = ['--identity-roles', identities, '--service-roles', roleOf(service)];
  return command('create', 'sp', shellWord(name), '--type', type, ...roles);
}

function roleOf(entity: Named): string {
  return shellWord(roleWord(entity));
}

function identityOf({ identityId, identity }: Explanation) {
  return namedOf(identityId, identity);
}

function serviceOf({ serviceId, service }: Explanation) {
  return namedOf(serviceId, service);
}

/** An attribute that is missing, or else a policy that names what it does not select yet. */
function policyAdvice(explanation: Explanation): string | undefined {
  const { shown, linkingTotal, identityOnlyTotal, serviceOnlyTotal } = explanation.servicePolicies;
  // Policies that are not shown could be linked by other commands.
  if (shown.length < linkingTotal + identityOnlyTotal + serviceOnlyTotal) return undefined;
  const policies = shown.filter(({ type, isLinking }) => type === 'Dial' && !isLinking);
  const byAttribute = new Set(policies.flatMap((policy) => attributeCommands(explanation, policy)));
  if (byAttribute.size > 0) return theOnly(byAttribute);
  const [identity, service] = [identityOf(explanation), serviceOf(explanation)];
  if (policies.length === 0) {
    return servicePolicy('Dial', `${identity.name} ${service.name}`, roleOf(identity), service);
  }
  const byName = policies.map((policy) => {
    const [flag, entity] = policy.service.isMatching
      ? (['--identity-roles', identity] as const)
      : (['--service-roles', service] as const);
    return command('update', 'sp', nameWord(policy), flag, shellWord(`+${roleWord(entity)}`));
  });
  return theOnly(new Set(byName));
}

function theOnly(commands: ReadonlySet<string>): string | undefined {
  const [first] = commands;
  return commands.size === 1 ? first : undefined;
}

/** The commands each of which gives the identity or the service what a policy selects by. */
function attributeCommands(
  explanation: Explanation,
  { semantic, identity, service }: ExplainedServicePolicy,
): string[] {
  const isOfService = identity.isMatching;
  const attributes = lackingIn(isOfService ? service : identity);
  const [kind, entity] = isOfService
    ? (['service', serviceOf(explanation)] as const)
    : (['identity', identityOf(explanation)] as const);
  const update = (added: readonly string[]) => {
    const roles = added.map((attribute) => `+${attribute}`).join(',');
    return command('update', kind, nameWord(entity), '--roles', shellWord(roles));
  };
  if (semantic === 'AnyOf') return attributes.map((attribute) => update([attribute]));
  return attributes.length === 0 ? [] : [update(attributes)];
}

/** The attributes that are missing; none if a list of roles cannot hold them. */
function lackingIn({ lacks: { shown, total } }: ExplainedSide): string[] {
  const attributes = shown.map((entry) => entry.replace(/^#/, ''));
  const isWhole = shown.length === total;
  return isWhole && attributes.every((attribute) => !attribute.includes(',')) ? attributes : [];
}

/** Routers that a command names one by one; with more, a person has to choose. @bound */
const namedRoutersMax = 5;

/** A policy for the side that has no routers, with the routers of the other one. */
function routerPolicyAdvice(explanation: Explanation): string | undefined {
  const { routers, edgeRouterPolicies, serviceEdgeRouterPolicies } = explanation;
  const { identityTotal, serviceTotal, identityOnly, serviceOnly } = routers;
  const isForIdentity = identityTotal === 0;
  if (isForIdentity === (serviceTotal === 0)) return undefined;
  const present = isForIdentity ? edgeRouterPolicies : serviceEdgeRouterPolicies;
  const { shown, total } = isForIdentity ? serviceOnly : identityOnly;
  // A policy that selects no router may only be waiting for one.
  if (present.selecting.total > 0 || total > namedRoutersMax) return undefined;
  const [kind, flag, entity] = isForIdentity
    ? (['erp', '--identity-roles', identityOf(explanation)] as const)
    : (['serp', '--service-roles', serviceOf(explanation)] as const);
  const name = shellWord(`${entity.name} routers`);
  const list = shellWord(shown.map(roleWord).join(','));
  return command('create', kind, name, flag, roleOf(entity), '--edge-router-roles', list);
}

/** The only router is offline: it has not enrolled, or is disabled. */
function routerAdvice({ routers: { common } }: Explanation): string | undefined {
  const [router] = common.shown;
  if (router === undefined || common.total > 1) return undefined;
  if (!router.isVerified) {
    return command('enroll', nameWord(router), '--out', shellWord(`${router.name}.jwt`));
  }
  return router.disabled ? command('update', 'er', nameWord(router), '--no-disabled') : undefined;
}

/** Who may host it, or the policy that lets somebody. */
function hostAdvice(explanation: Explanation): string {
  const service = serviceOf(explanation);
  const mayBind = explanation.servicePolicies.shown.some(
    (policy) => policy.type === 'Bind' && policy.service.isMatching,
  );
  if (mayBind) return command('access', 'service', nameWord(service));
  return servicePolicy('Bind', `${service.name} bind`, 'ROLES', service);
}

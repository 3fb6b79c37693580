// What a publication leads to: who will be able to dial it, who lacks a router for that, which
// other service takes the same address, and who hosts it.

import type { Network, Present } from '../../declarative/network.ts';
import { textsOf } from '../kinds/role-match.ts';
import { overlaps } from './address.ts';
import type { Publication } from './publication.ts';
import { routerPolicyName } from './publication.ts';
import { isSelectedBy, type Known, type RouterNeeds } from './publication-plan.ts';

/** What follows from a publication, by names of identities. */
export interface Reach {
  /** Identities that can dial it then, and could not before. */
  readonly gaining: readonly string[];
  /** Identities that can dial it then, but have no edge router in common with it that is online. */
  readonly stranded: readonly string[];
  /** Other services that take the same address for somebody who can dial both. */
  readonly rivals: readonly { readonly service: string; readonly identities: readonly string[] }[];
  /** Roles with an attribute that no identity has, and whether it is the name of one. */
  readonly unused: readonly { readonly role: string; readonly isName: boolean }[];
  readonly hosts: readonly { readonly name: string; readonly isOnline: boolean }[];
}

/** Works out what follows from a publication in a network. */
export function reachOf(network: Network, publication: Publication, needs: RouterNeeds): Reach {
  const identities = network.all('identities');
  const before = network.find('services', publication.name);
  const service = serviceAfter(publication, before);
  const users = (type: 'Dial' | 'Bind', roles: readonly string[]) => {
    const own = `${publication.name} ${type.toLowerCase()}`;
    const policies = network
      .all('servicePolicies')
      .filter(({ name, fields }) => name !== own && fields['type'] === type)
      .filter(({ fields }) => isSelectedBy(fields, 'serviceRoles', service));
    const selecting = [{ semantic: 'AnyOf', identityRoles: roles }, ...fieldsOf(policies)];
    return identities.filter((identity) => isIn(selecting, 'identityRoles', identity));
  };
  const dialers = users('Dial', publication.to);
  return {
    gaining: namesOf(dialers.filter((identity) => !dials(network, identity, before))),
    stranded: namesOf(strandedIn(network, publication, needs, service, dialers)),
    rivals: rivalsIn(network, publication, dialers),
    unused: unusedIn(publication, identities),
    hosts: users('Bind', publication.hostOn).map(({ name, detail }) => ({
      name,
      isOnline: detail['edgeRouterConnectionStatus'] === 'online',
    })),
  };
}

/** Names in a note; the others are counted. @bound */
const namesShownMax = 3;

/** What to know before one agrees to it. */
export function notesOn({ unused, stranded, rivals }: Reach): string[] {
  return [
    ...unused.map(({ role, isName }) => {
      const hint = isName ? `; did you mean @${role.slice(1)}?` : '';
      return `no identity has ${role}${hint}`;
    }),
    ...(stranded.length === 0
      ? []
      : [`no edge router in common with it is online for ${someOf(stranded)}`]),
    ...rivals.map(
      ({ service, identities }) =>
        `service '${service}' takes the same address for ${someOf(identities)}`,
    ),
  ];
}

/** What to know of its hosts while it has no terminator. */
export function hostNote({ hosts }: Reach): string {
  const [first, ...others] = hosts;
  const nobody = 'nothing hosts it yet. Watch: edge-control watch terminator';
  if (first === undefined || hosts.some(({ isOnline }) => isOnline)) return nobody;
  return others.length === 0
    ? `'${first.name}' is not online: ${nobody}`
    : `none of the ${hosts.length} hosts is online: ${nobody}`;
}

function someOf(names: readonly string[]): string {
  const shown = names.slice(0, namesShownMax).map((name) => `'${name}'`);
  const more = names.length - shown.length;
  return more === 0 ? shown.join(', ') : `${shown.join(', ')} and ${more} more`;
}

type Fields = Known['fields'];

function fieldsOf(known: readonly Known[]): Fields[] {
  return known.map(({ fields }) => fields);
}

function namesOf(known: readonly Known[]): string[] {
  return known.map(({ name }) => name);
}

function isIn(policies: readonly Fields[], side: string, entity: Known): boolean {
  return policies.some((fields) => isSelectedBy(fields, side, entity));
}

function serviceAfter({ name, roleAttributes }: Publication, before: Known | undefined): Known {
  const kept = textsOf(before?.fields['roleAttributes']);
  return { name, fields: { roleAttributes: roleAttributes.length > 0 ? roleAttributes : kept } };
}

/** Whether an identity can dial a service now. */
function dials(network: Network, identity: Known, service: Known | undefined): boolean {
  if (service === undefined) return false;
  return network
    .all('servicePolicies')
    .some(
      ({ fields }) =>
        fields['type'] === 'Dial' &&
        isSelectedBy(fields, 'serviceRoles', service) &&
        isSelectedBy(fields, 'identityRoles', identity),
    );
}

function strandedIn(
  network: Network,
  publication: Publication,
  { lacking }: RouterNeeds,
  service: Known,
  dialers: readonly Present[],
): Present[] {
  const { name, via } = publication;
  const others = (section: 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies', own: string) => {
    // Without --via, a policy of its own stays as it is.
    const policies = network
      .all(section)
      .filter((policy) => via.length === 0 || policy.name !== own);
    return fieldsOf(policies);
  };
  const semantic = 'AnyOf';
  const ofService = [
    { semantic, serviceRoles: [`@${name}`], edgeRouterRoles: via },
    ...others('serviceEdgeRouterPolicies', `${name} routers`),
  ].filter((fields) => isSelectedBy(fields, 'serviceRoles', service));
  const routers = network
    .all('edgeRouters')
    .filter(({ detail }) => detail['isOnline'] === true)
    .filter((router) => isIn(ofService, 'edgeRouterRoles', router));
  const ofIdentities = [
    { semantic, identityRoles: lacking, edgeRouterRoles: via },
    ...others('edgeRouterPolicies', routerPolicyName(publication)),
  ].filter((fields) => routers.some((router) => isSelectedBy(fields, 'edgeRouterRoles', router)));
  return dialers.filter((identity) => !isIn(ofIdentities, 'identityRoles', identity));
}

function rivalsIn(
  network: Network,
  { name, address }: Publication,
  dialers: readonly Present[],
): Reach['rivals'] {
  if (address === undefined) return [];
  const taking = new Set(
    network
      .all('configs')
      .filter(({ fields }) => fields['configType'] === 'intercept.v1')
      .filter(({ fields }) => overlaps(fields['data'], address))
      .map((config) => config.name),
  );
  return network.all('services').flatMap((service) => {
    const isRival = textsOf(service.fields['configs']).some((config) => taking.has(config));
    if (service.name === name || !isRival) return [];
    const both = dialers.filter((identity) => dials(network, identity, service));
    return both.length === 0 ? [] : [{ service: service.name, identities: namesOf(both) }];
  });
}

/** Attributes that nobody has are often names without their `@`. */
function unusedIn({ to, hostOn }: Publication, identities: readonly Present[]): Reach['unused'] {
  const used = new Set(identities.flatMap(({ fields }) => textsOf(fields['roleAttributes'])));
  return [...new Set([...to, ...hostOn])].flatMap((role) => {
    const attribute = role.slice(1);
    if (!role.startsWith('#') || role === '#all' || used.has(attribute)) return [];
    return [{ role, isName: identities.some(({ name }) => name === attribute) }];
  });
}

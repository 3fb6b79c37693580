// What a publication creates, changes and finds there already, as lines that a person agrees to.

import { selects, textsOf } from '../kinds/role-match.ts';
import {
  addressWords,
  type Publication,
  publicationTag,
  routerPolicyName,
  targetAddress,
} from './publication.ts';

/** An entity of the controller, with names in place of ids. */
export interface Known {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Who needs routers: the roles that lack them, and the policies that give them to others. */
export interface RouterNeeds {
  readonly lacking: readonly string[];
  readonly given: readonly { readonly policy: string; readonly roles: readonly string[] }[];
}

/**
 * Which roles of dialers and hosts some edge router policy gives the routers already. The own one
 * does not count: it follows the publication.
 * @param identities those that roles may name
 */
export function routerNeeds(
  publication: Publication,
  policies: readonly Known[],
  identities: readonly Known[],
): RouterNeeds {
  const { to, hostOn, via } = publication;
  if (via.length === 0) return { lacking: [], given: [] };
  const own = routerPolicyName(publication);
  const givers = policies.filter(
    ({ name, fields }) =>
      name !== own && via.every((router) => isCovered(fields, 'edgeRouterRoles', router)),
  );
  const covering = (role: string) =>
    givers.filter(({ fields }) => isCovered(fields, 'identityRoles', role));
  const isGivenByAttribute = (role: string) => {
    const identity = identities.find(({ name }) => role === `@${name}`);
    if (identity === undefined) return false;
    return givers.some(({ fields }) => isSelectedBy(fields, 'identityRoles', identity));
  };
  const roles = [...new Set([...to, ...hostOn])];
  const given = new Map<string, string[]>();
  const lacking: string[] = [];
  for (const role of roles) {
    const [giver] = covering(role);
    if (giver !== undefined) given.set(giver.name, [...(given.get(giver.name) ?? []), role]);
    else if (!isGivenByAttribute(role)) lacking.push(role);
  }
  // #all stands alone in a list, and selects what the others do.
  const needed = lacking.includes('#all') ? ['#all'] : lacking;
  return { lacking: needed, given: [...given].map(([policy, by]) => ({ policy, roles: by })) };
}

/** Whether a policy selects, on one side, all that a role selects. */
function isCovered(fields: Known['fields'], side: string, wanted: string): boolean {
  const roles = textsOf(fields[side]);
  if (roles.includes('#all')) return true;
  return roles.includes(wanted) && (fields['semantic'] === 'AnyOf' || isAlone(roles, wanted));
}

/** With AllOf, an attribute only selects by itself if it is the only one. */
function isAlone(roles: readonly string[], wanted: string): boolean {
  return wanted.startsWith('@') || roles.filter((role) => role.startsWith('#')).length === 1;
}

/** A step of a plan, or an entry of a file. */
interface Entry {
  readonly section: { readonly name: string };
  readonly name: string;
}

interface Steps {
  readonly creations: readonly { readonly entry: Entry }[];
  readonly updates: readonly { readonly entry: Entry }[];
}

const kindsOfSections: Readonly<Record<string, string>> = {
  configs: 'config',
  services: 'service',
  servicePolicies: 'service-policy',
  serviceEdgeRouterPolicies: 'service-edge-router-policy',
  edgeRouterPolicies: 'edge-router-policy',
};

/** The kinds in the order in which a person thinks of them. */
const shownKinds = Object.values(kindsOfSections);

/**
 * A line per entity: `+` is created, `~` is changed, `=` is there already.
 * @param entries all entries of the file
 */
export function planLines(
  publication: Publication,
  entries: readonly Entry[],
  { creations, updates }: Steps,
  { lacking, given }: RouterNeeds,
): string[] {
  const created = creations.map(({ entry }) => entry.name);
  const changed = updates.map(({ entry }) => entry.name);
  const signOf = (name: string) =>
    created.includes(name) ? '+' : changed.includes(name) ? '~' : '=';
  const own = entries.map(({ section, name }) => {
    const kind = kindsOfSections[section.name] ?? section.name;
    return { sign: signOf(name), kind, name, words: wordsOf(publication, name, kind, lacking) };
  });
  const { via } = publication;
  const kept = given.map(({ policy, roles }) => ({
    sign: '=',
    kind: 'edge-router-policy',
    name: policy,
    words: `gives ${roles.join(',')} ${via.join(',')} already`,
  }));
  const rows = [...own, ...kept].sort(
    (a, b) => shownKinds.indexOf(a.kind) - shownKinds.indexOf(b.kind),
  );
  const kindWidth = Math.max(0, ...rows.map(({ kind }) => kind.length));
  const nameWidth = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ sign, kind, name, words }) =>
    `${sign} ${kind.padEnd(kindWidth)}  ${name.padEnd(nameWidth)}  ${words}`.trimEnd(),
  );
}

function wordsOf(
  { name, address, target, to, hostOn, via, checks }: Publication,
  entry: string,
  kind: string,
  lacking: readonly string[],
): string {
  const service = `@${name}`;
  switch (kind) {
    case 'config':
      if (address === undefined) return '';
      return addressWords(entry.endsWith(' host') ? targetAddress(target, address) : address);
    case 'service':
      return 'encrypted';
    case 'service-policy': {
      const guard = checks.length > 0 ? ` if ${checks.join(',')}` : '';
      return entry.endsWith(' dial')
        ? `Dial  ${to.join(',')} -> ${service}${guard}`
        : `Bind  ${hostOn.join(',')} -> ${service}`;
    }
    case 'service-edge-router-policy':
      return `${service} over ${via.join(',')}`;
    default:
      return `${lacking.join(',')} over ${via.join(',')}`;
  }
}

/** Whether an entity carries the tag of a publication. */
export function isOfPublication(detail: Known['fields'], { name }: Publication): boolean {
  const { tags } = detail;
  const own: unknown =
    typeof tags === 'object' && tags !== null ? Reflect.get(tags, publicationTag) : undefined;
  return own === name;
}

/** Whether a policy selects an entity on one side. */
export function isSelectedBy(fields: Known['fields'], side: string, entity: Known): boolean {
  const { name: reference, fields: own } = entity;
  const attributes = textsOf(own['roleAttributes']);
  return selects(fields['semantic'], textsOf(fields[side]), { reference, attributes });
}

// `publish` and `unpublish`: one command for an address, by the code of `apply`.

import type { ProcessContext } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';
import { agreed, refuseUnasked } from './agreement.ts';
import { rowsOf } from './asking.ts';
import { CommandFailure } from './command-failure.ts';
import { announce, type ConnectedCommand } from './connected-command.ts';
import type { Connection } from './connection.ts';
import { kindNamed } from './kinds.ts';
import { type Entity, nameOf } from './names.ts';
import { outputOrder, yamlStyle } from './output.ts';
import {
  addressTyped,
  addressWords,
  nameFor,
  type Publication,
  publicationFile,
  publicationTag,
  rolesTyped,
  routerPolicyOf,
} from './publication.ts';
import { attributeOf } from './roles.ts';

type Flags = ConnectedCommand['flags'];

/** Reads the flags of `publish`. @throws CommandFailure */
export function publicationTyped(word: string | undefined, flags: Flags): Publication {
  const address = word === undefined ? undefined : addressTyped(word);
  const text = (key: string) => (typeof flags[key] === 'string' ? flags[key] : undefined);
  const name = text('name') ?? (address === undefined ? undefined : nameFor(address));
  if (name === undefined || name.trim() === '') {
    throw CommandFailure.wrong('a publication without an address needs --name.');
  }
  const [to, hostOn] = [text('to'), text('hostOn')];
  if (to === undefined || hostOn === undefined) {
    throw CommandFailure.wrong('publish needs --to and --host-on: who dials, and who hosts.');
  }
  const target = text('target');
  if (target !== undefined && address === undefined) {
    throw CommandFailure.wrong('--target only makes sense with an address.');
  }
  const roles = (flag: string, key: string) => {
    const given = text(key);
    return given === undefined ? [] : rolesTyped(flag, given);
  };
  return {
    name,
    address,
    target,
    to: rolesTyped('--to', to),
    hostOn: rolesTyped('--host-on', hostOn),
    via: roles('--via', 'via'),
    checks: roles('--if', 'if'),
    roleAttributes: (text('role')?.split(',') ?? []).map((entry) => attributeOf('--role', entry)),
  };
}

/** Publishes an address: shows what is created, asks, and creates it. @throws CommandFailure */
export async function publish(command: ConnectedCommand, publication: Publication): Promise<void> {
  const { connection, flags, context } = command;
  const { planOf } = await import('../declarative/plan.ts');
  const { readNetwork } = await import('../declarative/network.ts');
  const { readNetworkFile, faultText } = await import('../declarative/network-file.ts');
  const file = publicationFile(publication);
  if (outputOrder(flags).form === 'yaml') {
    const { stringify } = await import('yaml');
    return context.out(stringify(file, yamlStyle));
  }
  refuseUnasked(flags, context);
  announce(command);
  const client = await connection.client();
  const network = await readNetwork(client, () => undefined);
  const policies = network.all('edgeRouterPolicies').map(({ fields, name }) => ({ fields, name }));
  const needs = routerNeeds(publication, policies);
  const whole =
    needs.lacking.length === 0
      ? file
      : { ...file, edgeRouterPolicies: [routerPolicyOf(publication, needs.lacking)] };
  const read = readNetworkFile(JSON.stringify(whole), 'own');
  const plan = planOf(read, network, false);
  const [fault] = [...read.faults, ...plan.faults];
  if (fault !== undefined) {
    // JSON was made here, so lines of it would mean nothing to anybody.
    throw CommandFailure.wrong(
      `it cannot be published: ${faultText({ ...fault, line: undefined })}`,
    );
  }
  const { name } = publication;
  const count = plan.creations.length + plan.updates.length;
  if (count === 0) return context.out(`published ${printable(name)}: nothing to do\n`);
  for (const line of planLines(publication, plan, needs)) context.out(`${printable(line)}\n`);
  for (const note of await notesOn(connection, publication)) {
    context.err(`note: ${printable(note)}\n`);
  }
  if (flags['yes'] !== true) {
    const dialers = await dialerCount(connection, publication);
    const who = `${dialers} ${dialers === 1 ? 'identity' : 'identities'} will be able to dial it.`;
    const what =
      plan.updates.length === 0 ? `Create these ${count}` : `Make these ${count} changes`;
    if (!(await agreed(`${who} ${what}? [y/N] `, context))) {
      throw CommandFailure.failed('nothing was changed.');
    }
  }
  const { carryOut } = await import('../declarative/carry-out.ts');
  const carried = await carryOut({
    client,
    network,
    plan,
    concurrency: 4,
    said: () => undefined,
    isInterrupted: () => false,
  });
  const [failure] = carried.failures;
  if (failure !== undefined) {
    throw CommandFailure.failed(
      `${failure.error.message}; ${carried.done} of ${carried.all} changes were made, and the same command goes on from there.`,
    );
  }
  context.out(`published ${printable(name)}\n`);
  await noteHosts(connection, publication, context);
}

interface KnownPolicy {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Who needs routers: the roles that lack them, and the policies that give them to others. */
interface RouterNeeds {
  readonly lacking: readonly string[];
  readonly given: readonly { readonly policy: string; readonly roles: readonly string[] }[];
}

/** Which roles of dialers and hosts some edge router policy gives the routers already. */
function routerNeeds(
  { to, hostOn, via }: Publication,
  policies: readonly KnownPolicy[],
): RouterNeeds {
  if (via.length === 0) return { lacking: [], given: [] };
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
  const gives = ({ fields }: KnownPolicy, role: string) => {
    const identities = list(fields['identityRoles']);
    const routers = list(fields['edgeRouterRoles']);
    const isOne = fields['semantic'] !== 'AllOf' || identities.length === 1;
    const hasRouters = routers.includes('#all') || via.every((entry) => routers.includes(entry));
    return isOne && hasRouters && (identities.includes(role) || identities.includes('#all'));
  };
  const roles = [...new Set([...to, ...hostOn])];
  const giver = new Map(
    roles.map((role) => [role, policies.find((policy) => gives(policy, role))?.name] as const),
  );
  const givers = new Set([...giver.values()].filter((name) => name !== undefined));
  return {
    lacking: roles.filter((role) => giver.get(role) === undefined),
    given: [...givers].map((policy) => ({
      policy,
      roles: roles.filter((role) => giver.get(role) === policy),
    })),
  };
}

interface PlanOfPublication {
  readonly creations: readonly {
    readonly section: { readonly name: string };
    readonly entry: Named;
  }[];
  readonly updates: readonly {
    readonly section: { readonly name: string };
    readonly entry: Named;
  }[];
}

interface Named {
  readonly name: string;
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

/** A line per entity: `+` is created, `~` is changed, `=` is there already. */
function planLines(
  publication: Publication,
  { creations, updates }: PlanOfPublication,
  { lacking, given }: RouterNeeds,
): string[] {
  const steps = [
    ...creations.map((step) => ['+', step] as const),
    ...updates.map((step) => ['~', step] as const),
  ].map(([sign, { section, entry }]) => {
    const kind = kindsOfSections[section.name] ?? section.name;
    return { sign, kind, name: entry.name, words: wordsOf(publication, entry.name, kind, lacking) };
  });
  const { via } = publication;
  const kept = given.map(({ policy, roles }) => ({
    sign: '=',
    kind: 'edge-router-policy',
    name: policy,
    words: `gives ${roles.join(',')} ${via.join(',')} already`,
  }));
  const rows = [...steps, ...kept].sort(
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
      return entry.endsWith(' host') && target !== undefined
        ? `${address.protocol} ${target}`
        : addressWords(address);
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

/** Attributes in the roles that nobody has, which are often names without their `@`. */
async function notesOn(connection: Connection, publication: Publication): Promise<string[]> {
  const notes: string[] = [];
  const kind = kindNamed('identity');
  for (const role of new Set([...publication.to, ...publication.hostOn])) {
    if (!role.startsWith('#') || role === '#all') continue;
    const attribute = role.slice(1);
    const filter = `anyOf(roleAttributes) = ${JSON.stringify(attribute)}`;
    if ((await connection.page(kind, { filter, limit: 1 })).total > 0) continue;
    const named = { filter: `name = ${JSON.stringify(attribute)}`, limit: 1 };
    const isName = (await connection.page(kind, named)).total > 0;
    notes.push(`no identity has ${role}${isName ? `; did you mean @${attribute}?` : ''}`);
  }
  return notes;
}

/** How many identities the dial policy selects. */
async function dialerCount(connection: Connection, { to }: Publication): Promise<number> {
  const conditions = to.map((role) => {
    if (role === '#all') return 'true';
    const text = JSON.stringify(role.slice(1));
    return role.startsWith('@')
      ? `name = ${text} or id = ${text}`
      : `anyOf(roleAttributes) = ${text}`;
  });
  const filter = conditions.map((condition) => `(${condition})`).join(' or ');
  return (await connection.page(kindNamed('identity'), { filter, limit: 1 })).total;
}

async function noteHosts(
  connection: Connection,
  { name }: Publication,
  context: ProcessContext,
): Promise<void> {
  const filter = `service.name = ${JSON.stringify(name)}`;
  const { total } = await connection.page(kindNamed('terminator'), { filter, limit: 1 });
  if (total === 0) context.err('note: nothing hosts it yet: edge-control list terminators\n');
}

/** Kinds of a publication, in the order in which they can be deleted. */
const publishedKinds = [
  'service-policy',
  'service-edge-router-policy',
  'edge-router-policy',
  'service',
  'config',
] as const;

/** Deletes what a publication created, and nothing else. @throws CommandFailure */
export async function unpublish(command: ConnectedCommand, name: string): Promise<void> {
  const { connection, flags, context } = command;
  refuseUnasked(flags, context);
  announce(command);
  const filter = `tags.${publicationTag} = ${JSON.stringify(name)}`;
  const found: { readonly kind: (typeof publishedKinds)[number]; readonly entity: Entity }[] = [];
  for (const kind of publishedKinds) {
    for await (const entity of rowsOf(connection, kindNamed(kind), filter)) {
      found.push({ kind, entity });
    }
  }
  if (found.length === 0) {
    const message = `nothing is published as "${name}".`;
    if (flags['ignoreMissing'] !== true) throw CommandFailure.notFound(message);
    return context.err(`${printable(message)}\n`);
  }
  for (const { kind, entity } of found) await refuseOthers(connection, kind, entity, found);
  const number = (wanted: string) => found.filter(({ kind }) => kind.endsWith(wanted)).length;
  const counts = [
    [number('policy'), number('policy') === 1 ? 'policy' : 'policies'],
    [number('service'), number('service') === 1 ? 'service' : 'services'],
    [number('config'), number('config') === 1 ? 'config' : 'configs'],
  ] as const;
  const words = counts.filter(([count]) => count > 0).map((pair) => pair.join(' '));
  const text = `${found.length}: ${words.join(', ')}`;
  if (flags['yes'] !== true && !(await agreed(`Delete ${text}? [y/N] `, context))) {
    throw CommandFailure.failed('nothing was deleted.');
  }
  for (const { kind, entity } of found) {
    const { path, api } = kindNamed(kind);
    await connection.ask('DELETE', `${path}/${encodeURIComponent(entity.id)}`, undefined, api);
  }
  context.out(`deleted ${text}\n`);
}

/** Whatever else names a service or a config of the publication would lose it. */
async function refuseOthers(
  connection: Connection,
  kind: (typeof publishedKinds)[number],
  { id, name }: Entity,
  own: readonly { readonly entity: Entity }[],
): Promise<void> {
  const asked =
    kind === 'service'
      ? ([
          ['service-policy', `anyOf(serviceRoles) = ${JSON.stringify(`@${id}`)}`],
          ['service-edge-router-policy', `anyOf(serviceRoles) = ${JSON.stringify(`@${id}`)}`],
        ] as const)
      : kind === 'config'
        ? ([['service', `anyOf(configs) = ${JSON.stringify(id)}`]] as const)
        : [];
  for (const [by, filter] of asked) {
    const { rows } = await connection.page(kindNamed(by), { filter, limit: 500 });
    const other = rows.find((row) => !own.some(({ entity }) => entity.id === row.id));
    if (other === undefined) continue;
    throw CommandFailure.failed(
      `${by} "${nameOf(other)}" refers to ${kind} "${String(name)}", so nothing was deleted.`,
    );
  }
}

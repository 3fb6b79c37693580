// `publish` and `unpublish`: one command for an address, by the code of `apply`.

import { printable } from '../../../platform/printable.ts';
import type { Plan } from '../../declarative/plan.ts';
import { agreed, refuseUnasked } from '../agreement.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Asking } from '../connection/asking.ts';
import { announce, type ConnectedCommand } from '../connection/connected-command.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { entityNamed, nameOf } from '../kinds/names.ts';
import { attributeOf } from '../kinds/roles.ts';
import { outputOrder, yamlStyle } from '../output/output.ts';
import {
  addressTyped,
  nameFor,
  type Publication,
  publicationContent,
  rolesTyped,
  routerPolicyOf,
  targetTyped,
} from './publication.ts';
import { isOfPublication, planLines, routerNeeds } from './publication-plan.ts';
import { hostNote, notesOn, type Reach, reachOf } from './publication-reach.ts';

type Flags = ConnectedCommand['flags'];

/** A controller takes 1,000, and names of configs and policies begin with it. @bound */
const publicationNameCharactersMax = 980;

/** Reads the flags of `publish`. @throws CommandFailure */
export function publicationTyped(word: string | undefined, flags: Flags): Publication {
  const address = word === undefined ? undefined : addressTyped(word);
  const text = (key: string) => (typeof flags[key] === 'string' ? flags[key] : undefined);
  const name = text('name') ?? (address === undefined ? undefined : nameFor(address));
  if (name === undefined || name.trim() === '') {
    throw CommandFailure.wrong('a publication without an address needs --name.');
  }
  if (name.length > publicationNameCharactersMax) {
    throw CommandFailure.wrong(
      `the name has ${name.length} characters, and that of a publication may have ${publicationNameCharactersMax}: give a shorter --name.`,
    );
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
    target: target === undefined || address === undefined ? {} : targetTyped(target, address),
    to: rolesTyped('--to', to),
    hostOn: rolesTyped('--host-on', hostOn),
    via: roles('--via', 'via'),
    checks: roles('--if', 'if'),
    roleAttributes: (text('role')?.split(',') ?? []).map((entry) => attributeOf('--role', entry)),
  };
}

/** What a publication refers to, and what of the network decides on its reach. */
const readSections = [
  'configTypes',
  'configs',
  'services',
  'postureChecks',
  'edgeRouters',
  'identities',
  'serviceEdgeRouterPolicies',
  'servicePolicies',
  'edgeRouterPolicies',
] as const;

/** Publishes an address: shows what is created, asks, and creates it. @throws CommandFailure */
export async function publish(command: ConnectedCommand, typed: Publication): Promise<void> {
  const { connection, flags, context } = command;
  const { planOf } = await import('../../declarative/plan.ts');
  const { readNetwork } = await import('../../declarative/network.ts');
  const { faultText, fileVersion, madeFile } = await import('../../declarative/file-entries.ts');
  if (outputOrder(flags).form === 'yaml') {
    const { stringify } = await import('yaml');
    const file = { version: fileVersion, ...publicationContent(typed) };
    return context.out(stringify(file, yamlStyle));
  }
  refuseUnasked(flags, context);
  announce(command);
  const publication = await withNames(connection, typed);
  const content = publicationContent(publication);
  const client = await connection.client();
  const network = await readNetwork(client, () => undefined, readSections);
  const needs = routerNeeds(
    publication,
    network.all('edgeRouterPolicies'),
    network.all('identities'),
  );
  const whole =
    needs.lacking.length === 0
      ? content
      : { ...content, edgeRouterPolicies: [routerPolicyOf(publication, needs.lacking)] };
  const made = madeFile(whole);
  const plan = planOf(made, network, { isPruning: false });
  const [fault] = plan.faults;
  if (fault !== undefined)
    throw CommandFailure.wrong(`it cannot be published: ${faultText(fault)}`);
  const { name } = publication;
  const count = plan.creations.length + plan.updates.length;
  if (count === 0) return context.out(`published ${printable(name)}: nothing to do\n`);
  refuseForeign(publication, plan.updates);
  const lines = planLines(publication, made.entries, plan, needs);
  for (const line of lines) context.out(`${printable(line)}\n`);
  const reach = reachOf(network, publication, needs);
  for (const note of notesOn(reach)) context.err(`note: ${printable(note)}\n`);
  if (flags['yes'] !== true && !(await agreed(questionOf(reach, plan), context))) {
    throw CommandFailure.failed('nothing was changed.');
  }
  const { carryOut } = await import('../../declarative/carry-out.ts');
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
  const filter = `service.name = ${JSON.stringify(name)}`;
  const { total } = await connection.page(kindNamed('terminator'), { filter, limit: 1 });
  if (total === 0) context.err(`note: ${printable(hostNote(reach))}\n`);
}

/** A file names entities by their names alone. @throws CommandFailure for what nothing is called */
async function withNames(asking: Asking, typed: Publication): Promise<Publication> {
  const named = (kind: string, roles: readonly string[]) =>
    Promise.all(
      roles.map(async (role) => {
        if (!role.startsWith('@')) return role;
        return `@${nameOf(await entityNamed(asking, kindNamed(kind), role.slice(1)))}`;
      }),
    );
  return {
    ...typed,
    to: await named('identity', typed.to),
    hostOn: await named('identity', typed.hostOn),
    via: await named('edge-router', typed.via),
    checks: await named('posture-check', typed.checks),
  };
}

/** An entity that somebody else has created would go with `unpublish`. */
function refuseForeign(publication: Publication, updates: Plan['updates']): void {
  for (const { present, entry } of updates) {
    if (present === undefined || isOfPublication(present.detail, publication)) continue;
    throw CommandFailure.failed(
      `"${entry.name}" exists in ${entry.section.name}, and this publication did not create it. ` +
        'Nothing was changed: give another --name.',
    );
  }
}

function questionOf({ gaining }: Reach, { creations, updates }: Plan): string {
  const { length } = gaining;
  const more = updates.length === 0 ? '' : ' more';
  const who = `${length}${more} ${length === 1 ? 'identity' : 'identities'}`;
  const count = creations.length + updates.length;
  const these = updates.length === 0 ? `Create these ${count}` : `Make these ${count} changes`;
  return `${who} will be able to dial it. ${count === 1 ? 'Make this change' : these}? [y/N] `;
}

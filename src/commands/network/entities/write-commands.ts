// `create`, `update` and `delete`.

import { printable } from '../../../platform/printable.ts';
import { agreed, refuseUnasked } from '../agreement.ts';
import { CommandFailure } from '../command-failure.ts';
import { rowsOf } from '../connection/asking.ts';
import {
  announce,
  type ConnectedCommand,
  entityUnlessMissing,
} from '../connection/connected-command.ts';
import type { Connection } from '../connection/connection.ts';
import { namedText, textAt } from '../kinds/columns.ts';
import { bodyOf, flagOf, type IdOf } from '../kinds/field-values.ts';
import { givenValues, tagsOf, withMembers } from '../kinds/given-values.ts';
import type { KindRow } from '../kinds/kind.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { outputOrder, writeEntity } from '../output/output.ts';
import { countText } from './get-command.ts';
import { handOut, refuseWrongHandOut, routersEnrollThemselves } from './hand-out.ts';
import { filterOf } from './list-command.ts';

/** A command for entities of one kind. */
export interface WriteCommand extends ConnectedCommand {
  readonly kind: KindRow;
}

/** Creates an entity. @param name undefined for kinds without names. @throws CommandFailure */
export async function createEntity(command: WriteCommand, name: string | undefined): Promise<void> {
  const { connection, kind, flags, context } = command;
  const output = outputOrder(flags);
  const given = await givenValues(kind, flags, false, context);
  const isEnrolling = enrolls(command);
  const nameField = kind.fields.find((field) => field.name === 'name');
  if (nameField !== undefined && name !== undefined) given.fields.set(nameField, name);
  announce(command);
  const body: Record<string, unknown> = {
    ...defaultsOf(kind),
    ...(await bodyOf(given.fields, idsOf(connection))),
  };
  withMembers(body, given.members);
  const tags = tagsOf(given);
  if (tags !== undefined) body['tags'] = tags;
  if (isEnrolling && kind.name === 'identity') body['enrollment'] = { ott: true };
  refuseMissing(kind, body);
  const answer = await connection.ask('POST', kind.path, body, kind.api);
  const { id } = (answer as { readonly data: { readonly id: string } }).data;
  const entity = await connection.get(kind, id);
  const text = () => `created ${kind.name} ${printable(nameOf(entity))} (${id})\n`;
  await writeEntity(kind, entity, output, context, text);
  if (isEnrolling) await handOutOf(kind, entity, command);
}

/** Whether the JWT of a new entity is handed out. @throws CommandFailure for kinds without one */
function enrolls(command: WriteCommand): boolean {
  const { name, title } = command.kind;
  const { enroll, out, identityFile } = command.flags;
  if (enroll !== true && out === undefined && identityFile === undefined) return false;
  refuseWrongHandOut(command);
  if (name === 'identity') return true;
  if (name !== 'edge-router' && name !== 'transit-router') {
    throw CommandFailure.wrong(`a ${title} does not enroll.`);
  }
  if (identityFile !== undefined) throw routersEnrollThemselves();
  return true;
}

async function handOutOf(kind: KindRow, entity: Entity, command: WriteCommand): Promise<void> {
  if (kind.name === 'identity') {
    return await handOut(command, {
      jwt: textAt(entity, 'enrollment.ott.jwt'),
      expiresAt: textAt(entity, 'enrollment.ott.expiresAt'),
      identity: nameOf(entity),
    });
  }
  const [jwt, expiresAt] = [textAt(entity, 'enrollmentJwt'), textAt(entity, 'enrollmentExpiresAt')];
  await handOut(command, { jwt, expiresAt });
}

/** What the API requires of a creation, and people need not say. */
function defaultsOf({ name }: KindRow): Readonly<Record<string, unknown>> {
  switch (name) {
    case 'identity':
      return { type: 'Default', isAdmin: false };
    case 'service':
      return { encryptionRequired: true };
    case 'service-policy':
    case 'edge-router-policy':
    case 'service-edge-router-policy':
      return { semantic: 'AnyOf' };
    default:
      return {};
  }
}

function refuseMissing(kind: KindRow, body: Readonly<Record<string, unknown>>): void {
  const missing = kind.fields.filter(
    ({ isRequired, body: member }) => isRequired === true && body[member] === undefined,
  );
  if (missing.length === 0) return;
  const flags = missing.map((field) => (field.name === 'name' ? 'a name' : flagOf(field)));
  throw CommandFailure.wrong(`a new ${kind.title} needs ${flags.join(', ')}.`);
}

/** Changes an entity, and prints what changed. @throws CommandFailure */
export async function updateEntity(command: WriteCommand, name: string): Promise<void> {
  const { connection, kind, flags, context } = command;
  const output = outputOrder(flags);
  const given = await givenValues(kind, flags, true, context);
  const isEmpty =
    given.fields.size + given.members.length + given.tags.size === 0 &&
    given.wholeTags === undefined;
  if (isEmpty) {
    throw CommandFailure.wrong(
      `nothing is to be changed: give a field, such as ${exampleOf(kind)}.`,
    );
  }
  announce(command);
  const { id } = await entityNamed(connection, kind, name);
  const before = await connection.get(kind, id);
  const body = await bodyOf(given.fields, idsOf(connection), before);
  withMembers(body, given.members, before);
  const tags = tagsOf(given, before);
  if (tags !== undefined) body['tags'] = tags;
  if (kind.name === 'posture-check') body['typeId'] = before['typeId'];
  const path = `${kind.path}/${encodeURIComponent(id)}`;
  await connection.ask('PATCH', path, body, kind.api);
  const after = await connection.get(kind, id);
  const text = () => {
    const lines = [
      `updated ${kind.name} ${printable(nameOf(after))}`,
      ...changes(kind, before, after),
    ];
    return lines.map((line) => `${line}\n`).join('');
  };
  await writeEntity(kind, after, output, context, text);
}

function exampleOf({ fields }: KindRow): string {
  const field = fields.find(({ isFixed }) => isFixed !== true);
  return field === undefined ? '--tag KEY=VALUE' : flagOf(field);
}

/** A line per field that differs: `  roleAttributes: staff -> night`. */
function changes(kind: KindRow, before: Entity, after: Entity): string[] {
  const names = [...kind.fields.map(({ detail }) => detail), 'tags'];
  return names.flatMap((name) => {
    const [from, to] = [before, after].map((entity) => namedText(entity, name));
    return from === to
      ? []
      : [`  ${name}: ${printable(from || '(none)')} -> ${printable(to || '(none)')}`];
  });
}

/** Deletes entities by their names, or by a filter, after it asked. @throws CommandFailure */
export async function deleteEntities(
  command: WriteCommand,
  names: readonly string[],
): Promise<void> {
  const { connection, kind, flags, context } = command;
  const filter = filterOf(kind, flags);
  if ((names.length === 0) === (filter === undefined)) {
    throw CommandFailure.wrong(`give names of ${kind.plural}, or --filter, and not both.`);
  }
  refuseUnasked(flags, context);
  announce(command);
  const found =
    filter === undefined
      ? await namedEntities(command, names)
      : await filteredEntities(connection, kind, filter);
  if (found.length === 0) return context.out(`no ${kind.title} to delete\n`);
  if (
    flags['yes'] !== true &&
    !(await agreed(await questionOf(connection, kind, found), context))
  ) {
    throw CommandFailure.failed('nothing was deleted.');
  }
  for (const [at, entity] of found.entries()) {
    const path = `${kind.path}/${encodeURIComponent(entity.id)}`;
    try {
      await connection.ask('DELETE', path, undefined, kind.api);
      context.out(`deleted ${kind.name} ${printable(nameOf(entity))}\n`);
    } catch (error) {
      // It went together with another one, or somebody else deleted it.
      if (error instanceof CommandFailure && error.details.status === 404) {
        context.out(`${kind.name} ${printable(nameOf(entity))} is gone already\n`);
        continue;
      }
      const left = found.length - at;
      if (error instanceof CommandFailure && found.length > 1) {
        const message = `${error.message} ${left} of ${found.length} are left.`;
        throw new CommandFailure(error.exitCode, message, error.details);
      }
      throw error;
    }
  }
}

async function namedEntities(command: WriteCommand, names: readonly string[]): Promise<Entity[]> {
  const found = new Map<string, Entity>();
  for (const name of names) {
    const entity = await entityUnlessMissing(command, command.kind, name);
    if (entity !== undefined) found.set(entity.id, entity);
  }
  return [...found.values()];
}

async function filteredEntities(
  connection: Connection,
  kind: KindRow,
  filter: string,
): Promise<Entity[]> {
  const found: Entity[] = [];
  for await (const row of rowsOf(connection, kind, filter)) found.push(row);
  return found;
}

/** Entities that go with a deleted one: of which kind, and by which symbol they name it. */
const dependents: Readonly<Record<string, readonly (readonly [kind: string, symbol: string])[]>> = {
  identity: [
    ['authenticator', 'identity'],
    ['enrollment', 'identity'],
    ['api-session', 'identity'],
    ['session', 'apiSession.identity'],
  ],
  service: [
    ['terminator', 'service'],
    ['session', 'service'],
  ],
  'edge-router': [['terminator', 'router']],
  'transit-router': [['terminator', 'router']],
  'api-session': [['session', 'apiSession']],
};

async function questionOf(
  connection: Connection,
  kind: KindRow,
  found: readonly Entity[],
): Promise<string> {
  const [first] = found;
  const what =
    found.length === 1 && first !== undefined
      ? `${kind.name} ${nameOf(first)}`
      : `${found.length} ${kind.plural} (${namesText(found)})`;
  const counts: string[] = [];
  if (found.length === 1 && first !== undefined) {
    for (const [name, symbol] of dependents[kind.name] ?? []) {
      const of = kindNamed(name);
      const filter = `${symbol} = ${JSON.stringify(first.id)}`;
      const { total } = await connection.page(of, { filter, limit: 1 });
      if (total > 0) counts.push(countText(total, of.title));
    }
  }
  const last = counts.pop();
  const list = counts.length === 0 ? last : `${counts.join(', ')} and ${last}`;
  const goes = list === undefined ? '' : ` It goes with ${list}.`;
  return `Delete ${what}?${goes} [y/N] `;
}

/** Names in a question. */
const namesShown = 5;

function namesText(found: readonly Entity[]): string {
  const names = found.slice(0, namesShown).map(nameOf);
  return found.length > namesShown ? `${names.join(', ')}, …` : names.join(', ');
}

/** Each name is asked for once. */
function idsOf(connection: Connection): IdOf {
  const known = new Map<string, string>();
  return async (to, name) => {
    const key = `${to}/${name}`;
    const id = known.get(key) ?? (await entityNamed(connection, kindNamed(to), name)).id;
    known.set(key, id);
    return id;
  };
}

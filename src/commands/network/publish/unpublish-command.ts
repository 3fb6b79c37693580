// `unpublish`: deletes what a publication created.

import { printable } from '../../../platform/printable.ts';
import { agreed, refuseUnasked } from '../agreement.ts';
import { CommandFailure } from '../command-failure.ts';
import { rowsOf } from '../connection/asking.ts';
import { announce, type ConnectedCommand } from '../connection/connected-command.ts';
import type { Connection } from '../connection/connection.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type Entity, nameOf } from '../kinds/names.ts';
import { publicationTag } from './publication.ts';

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
    await deleteIfPresent(connection, `${kindNamed(kind).path}/${encodeURIComponent(entity.id)}`);
  }
  context.out(`deleted ${text}\n`);
}

/** Somebody else may have deleted it in between. */
async function deleteIfPresent(connection: Connection, path: string): Promise<void> {
  try {
    await connection.ask('DELETE', path);
  } catch (error) {
    if (!(error instanceof CommandFailure && error.details.status === 404)) throw error;
  }
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

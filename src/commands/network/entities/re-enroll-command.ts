// `re-enroll`: takes the certificate of a router or an identity away, and lets it enroll again.

import { CommandFailure } from '../command-failure.ts';
import { announce, type ConnectedCommand } from '../connection/connected-command.ts';
import type { KindRow } from '../kinds/kind.ts';
import { kindNamed, kindTyped } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { enrollmentEnd, handOutOfRouter } from './action-commands.ts';
import { handOut, refuseWrongHandOut } from './hand-out.ts';

const kinds = ['edge-router', 'identity', 'authenticator'];

/** Lets an entity enroll again, and hands the JWT out. @throws CommandFailure */
export async function reEnroll(
  command: ConnectedCommand,
  kindWord: string,
  name: string,
): Promise<void> {
  const { connection } = command;
  const kind = kindEnrolling(kindWord);
  refuseWrongHandOut(command);
  announce(command);
  const found = await entityNamed(connection, kind, name);
  if (kind.name === 'edge-router') {
    await connection.ask('POST', `${kind.path}/${found.id}/re-enroll`);
    const shown = await connection.get(kind, found.id);
    return await handOutOfRouter(command, shown);
  }
  const { id } = kind.name === 'identity' ? await certificateOf(command, found) : found;
  const expiresAt = enrollmentEnd(command);
  const answer = await connection.ask('POST', `/authenticators/${id}/re-enroll`, { expiresAt });
  const { data } = answer as { readonly data: { readonly id: string } };
  const enrollment = await connection.get(kindNamed('enrollment'), data.id);
  const [jwt, endsAt] = [String(enrollment['jwt']), String(enrollment['expiresAt'])];
  await handOut(command, { jwt, expiresAt: endsAt });
}

/** @throws CommandFailure for a kind that does not enroll */
function kindEnrolling(word: string): KindRow {
  const kind = kindTyped(word, 'get');
  if (kinds.includes(kind.name)) return kind;
  throw CommandFailure.wrong(
    `re-enroll does not exist for ${kind.plural}: ${kinds.join(', ')} do.`,
  );
}

/** The one certificate that an identity logs in by. */
async function certificateOf({ connection }: ConnectedCommand, identity: Entity): Promise<Entity> {
  const filter = `identity = ${JSON.stringify(identity.id)} and method = "cert"`;
  const { rows } = await connection.page(kindNamed('authenticator'), { filter, limit: 2 });
  const [only, other] = rows;
  const name = nameOf(identity);
  if (only === undefined) {
    throw CommandFailure.failed(
      `${JSON.stringify(name)} has no certificate. To let it enroll: edge-control enroll ${JSON.stringify(name)}`,
    );
  }
  if (other === undefined) return only;
  throw CommandFailure.notFound(
    `${JSON.stringify(name)} has several certificates: edge-control list authenticators, then re-enroll authenticator id:ID`,
    'AMBIGUOUS',
  );
}

// Verbs for what is no field: enrollments, passwords, second factors, and identities that are
// disabled for a time.

import { resolve } from 'node:path';
import { reasonOf } from '../../../../snapshots/errors.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { printable } from '../../../platform/printable.ts';
import { withoutLineEnd } from '../../../platform/terminal.ts';
import { CommandFailure } from '../command-failure.ts';
import {
  announce,
  type ConnectedCommand,
  entityUnlessMissing,
} from '../connection/connected-command.ts';
import { kindNamed } from '../kinds/kinds.ts';
import { type Entity, entityNamed, nameOf } from '../kinds/names.ts';
import { handOut, refuseWrongHandOut, routersEnrollThemselves } from './hand-out.ts';

/** Sets the password of an identity, which gets a user name of its own name with the first one. */
export async function setPassword(command: ConnectedCommand, name: string): Promise<void> {
  const { connection, context, flags } = command;
  const { passwordFile } = flags;
  announce(command);
  const identity = await entityNamed(connection, kindNamed('identity'), name);
  const shown = nameOf(identity);
  const password = await passwordTyped(
    typeof passwordFile === 'string' ? passwordFile : undefined,
    `New password of ${shown}: `,
    context,
  );
  const filter = `identity = ${JSON.stringify(identity.id)} and method = "updb"`;
  const { rows } = await connection.page(kindNamed('authenticator'), { filter, limit: 1 });
  const [present] = rows;
  if (present !== undefined) {
    await connection.ask('PATCH', `/authenticators/${present.id}`, { password });
    return context.out(`changed the password of identity ${printable(shown)}\n`);
  }
  const username = typeof flags['username'] === 'string' ? flags['username'] : shown;
  const body = { method: 'updb', identityId: identity.id, username, password };
  await connection.ask('POST', '/authenticators', body);
  context.out(`identity ${printable(shown)} logs in as ${printable(username)} by password\n`);
}

async function passwordTyped(
  file: string | undefined,
  question: string,
  context: ProcessContext,
): Promise<string> {
  try {
    const isPiped = file === '-' || file === undefined;
    const text = isPiped
      ? await context.secretInput.ask(printable(question))
      : context.readFile(resolve(context.directory, file));
    const password = withoutLineEnd(text);
    if (password !== '') return password;
  } catch (error) {
    throw CommandFailure.wrong(`the password cannot be read: ${reasonOf(error)}.`);
  }
  throw CommandFailure.wrong('a password must not be empty.');
}

/** Disables an identity, for a time or until it is enabled, and ends its sessions. */
export async function disableIdentity(command: ConnectedCommand, name: string): Promise<void> {
  const { connection, context, flags } = command;
  const durationMinutes = minutesTyped(flags['for']);
  announce(command);
  const identity = await entityUnlessMissing(command, kindNamed('identity'), name);
  if (identity === undefined) return;
  await connection.ask('POST', `/identities/${identity.id}/disable`, { durationMinutes });
  const until = durationMinutes === 0 ? 'until it is enabled' : `for ${String(flags['for'])}`;
  context.out(`disabled identity ${printable(nameOf(identity))} ${until}\n`);
}

const unitMinutes: Readonly<Record<string, number>> = { m: 1, min: 1, h: 60, d: 24 * 60 };

/** `90m`, `2h`, `3d` in minutes; 0 without a duration. @throws CommandFailure */
function minutesTyped(text: unknown): number {
  if (text === undefined) return 0;
  const [, count, unit = ''] = /^(\d{1,7})(m|min|h|d)$/.exec(String(text)) ?? [];
  const minutes = Number(count) * (unitMinutes[unit] ?? Number.NaN);
  if (minutes > 0) return minutes;
  throw CommandFailure.wrong(
    `--for is ${JSON.stringify(text)} but must be a time such as 30m, 2h or 3d.`,
  );
}

/** Lets an identity log in again. */
export async function enableIdentity(command: ConnectedCommand, name: string): Promise<void> {
  announce(command);
  const identity = await entityNamed(command.connection, kindNamed('identity'), name);
  await command.connection.ask('POST', `/identities/${identity.id}/enable`);
  command.context.out(`enabled identity ${printable(nameOf(identity))}\n`);
}

/** Removes the second factor of an identity. */
export async function removeMfa(command: ConnectedCommand, name: string): Promise<void> {
  announce(command);
  const identity = await entityNamed(command.connection, kindNamed('identity'), name);
  await command.connection.ask('DELETE', `/identities/${identity.id}/mfa`);
  command.context.out(`removed the second factor of identity ${printable(nameOf(identity))}\n`);
}

/** How long a new enrollment is good for, in minutes. */
const enrollmentMinutes = 24 * 60;

/** When a new enrollment ends (RFC 3339). */
export function enrollmentEnd({ context }: Pick<ConnectedCommand, 'context'>): string {
  return new Date(context.clock.now() + enrollmentMinutes * 60_000).toISOString();
}

/** Creates or renews the enrollment of an identity or a router, and prints its JWT. */
export async function enrollNamed(command: ConnectedCommand, name: string): Promise<void> {
  refuseWrongHandOut(command);
  announce(command);
  const { connection } = command;
  const filter = `(name = ${JSON.stringify(name)} or id = ${JSON.stringify(name)}) and not type = "Router"`;
  const { rows } = await connection.page(kindNamed('identity'), { filter, limit: 2 });
  const [identity, other] = rows;
  if (identity !== undefined && other === undefined) return await enrollIdentity(command, identity);
  if (other !== undefined) await entityNamed(connection, kindNamed('identity'), name);
  const routers = kindNamed('edge-router');
  const named = {
    filter: `name = ${JSON.stringify(name)} or id = ${JSON.stringify(name)}`,
    limit: 1,
  };
  if ((await connection.page(routers, named)).rows.length === 0) {
    throw CommandFailure.notFound(`there is no identity and no edge router "${name}".`);
  }
  if (command.flags['identityFile'] !== undefined) throw routersEnrollThemselves();
  await enrollRouter(command, await entityNamed(connection, routers, name));
}

async function enrollIdentity(command: ConnectedCommand, identity: Entity): Promise<void> {
  const { connection } = command;
  const kind = kindNamed('enrollment');
  const filter = `identity = ${JSON.stringify(identity.id)} and method = "ott"`;
  const { rows } = await connection.page(kind, { filter, limit: 1 });
  const [present] = rows;
  const expiresAt = enrollmentEnd(command);
  let { id } = present ?? { id: '' };
  if (present === undefined) {
    const body = { method: 'ott', identityId: identity.id, expiresAt };
    const answer = await connection.ask('POST', '/enrollments', body);
    ({ id } = (answer as { readonly data: { readonly id: string } }).data);
  } else {
    await connection.ask('POST', `/enrollments/${id}/refresh`, { expiresAt });
  }
  const enrollment = await connection.get(kind, id);
  await handOut(command, {
    jwt: String(enrollment['jwt']),
    expiresAt: String(enrollment['expiresAt']),
    identity: nameOf(identity),
  });
}

async function enrollRouter(command: ConnectedCommand, { id }: Entity): Promise<void> {
  const { connection } = command;
  const kind = kindNamed('edge-router');
  let shown = await connection.get(kind, id);
  const expires = Date.parse(String(shown['enrollmentExpiresAt']));
  if (typeof shown['enrollmentJwt'] !== 'string' || expires <= command.context.clock.now()) {
    if (shown['isVerified'] === true) {
      const name = JSON.stringify(nameOf(shown));
      throw CommandFailure.failed(
        `${name} has enrolled. To replace its certificate: edge-control re-enroll ${name}`,
      );
    }
    await connection.ask('POST', `${kind.path}/${id}/re-enroll`);
    shown = await connection.get(kind, id);
  }
  await handOutOfRouter(command, shown);
}

/** Hands out the JWT that a detail of a router holds. */
export async function handOutOfRouter(command: ConnectedCommand, shown: Entity): Promise<void> {
  await handOut(command, {
    jwt: String(shown['enrollmentJwt']),
    expiresAt: String(shown['enrollmentExpiresAt']),
  });
}

// Hands an enrollment out: its JWT printed, in a file or as a code to scan, or carried out here.

import { resolve } from 'node:path';
import { reasonOf } from '../../../../snapshots/errors.ts';
import { printable } from '../../../platform/printable.ts';
import { shellWord } from '../../shell-word.ts';
import { CommandFailure } from '../command-failure.ts';
import type { ConnectedCommand } from '../connection/connected-command.ts';
import { refuseUnwritable, replacePrivate } from '../connection/private-file.ts';
import { localTime } from '../output/times.ts';

/** An enrollment as the controller shows it. */
interface Invitation {
  readonly jwt: string;
  /** RFC 3339. */
  readonly expiresAt: string;
  /** The name of the identity that it is for; undefined for a router. */
  readonly identity?: string;
}

/**
 * Checks the flags by which an enrollment is handed out.
 * @throws CommandFailure for flags that exclude each other, and files that cannot be written
 */
export function refuseWrongHandOut({
  flags,
  context,
}: Pick<ConnectedCommand, 'flags' | 'context'>): void {
  const { out, qr, identityFile } = flags;
  if ([out, qr, identityFile].filter((flag) => flag !== undefined).length > 1) {
    throw CommandFailure.wrong('--out, --qr and --identity-file exclude each other.');
  }
  const path = identityFile ?? out;
  if (typeof path === 'string') refuseUnwritable(resolve(context.directory, path));
}

/** Only the router's own program makes the files that it needs. */
export function routersEnrollThemselves(): CommandFailure {
  return CommandFailure.wrong('--identity-file is for identities: routers enroll themselves.');
}

/** Prints a JWT, writes it to a file, shows it as a code to scan, or enrolls here by it. */
export async function handOut(
  command: ConnectedCommand,
  { jwt, expiresAt, identity }: Invitation,
): Promise<void> {
  const { flags, context, connection } = command;
  const { out, qr, identityFile, output = 'table' } = flags;
  // Other forms of output are an answer for programs, to which nothing may be added.
  const isTable = output === 'table' || output === 'wide';
  const note = (text: string) => (isTable ? context.out(text) : context.err(text));
  const until = localTime(expiresAt, context.clock.now());
  if (typeof identityFile === 'string') {
    if (identity === undefined) throw routersEnrollThemselves();
    const { enrollHere, enrollmentClaims } = await import('./enroll-here.ts');
    const claims = enrollmentClaims(jwt, 'the answer');
    await enrollHere(await connection.client(), claims, resolve(context.directory, identityFile));
    return note(`enrolled identity ${printable(identity)}, wrote ${printable(identityFile)}\n`);
  }
  if (typeof out === 'string') {
    const path = resolve(context.directory, out);
    try {
      replacePrivate(path, jwt);
    } catch (error) {
      throw CommandFailure.failed(`${path} cannot be written: ${reasonOf(error)}.`);
    }
    return note(`wrote ${printable(out)}, good until ${until}: ${nextStep(out, identity)}\n`);
  }
  if (qr === true) {
    const { default: codes } = await import('qrcode');
    context.out(await codes.toString(jwt, { type: 'utf8' }));
  } else if (output !== 'json' && output !== 'yaml') {
    // As JSON and YAML the entity holds it already.
    context.out(`${jwt}\n`);
  }
  context.err(`good until ${until}\n`);
}

function nextStep(out: string, identity: string | undefined): string {
  const file = printable(shellWord(out));
  if (identity === undefined) return `ziti router enroll ${file}`;
  const name = printable(shellWord(identity));
  return `ziti edge enroll ${file}, or scan it: edge-control enroll ${name} --qr`;
}

// Hands the JWT of an enrollment out: printed, in a file, or as a code to scan.

import { resolve } from 'node:path';
import { reasonOf } from '../../../snapshots/errors.ts';
import type { ProcessContext } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';
import { CommandFailure } from './command-failure.ts';
import { replacePrivate } from './private-file.ts';
import { localTime } from './times.ts';

/** The flags of a command, and its process. */
interface HandingOut {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly context: ProcessContext;
}

/** Prints a JWT, writes it to a file, or shows it as a code to scan. */
export async function handOut(
  { flags, context }: HandingOut,
  jwt: string,
  expiresAt: string,
): Promise<void> {
  const until = localTime(expiresAt, context.clock.now());
  const { out } = flags;
  if (typeof out === 'string') {
    const path = resolve(context.directory, out);
    try {
      replacePrivate(path, jwt);
    } catch (error) {
      throw CommandFailure.failed(`${path} cannot be written: ${reasonOf(error)}.`);
    }
    return context.out(
      `wrote ${printable(out)}, good until ${until}: ziti edge enroll ${printable(out)}\n`,
    );
  }
  if (flags['qr'] === true) {
    const { default: codes } = await import('qrcode');
    context.out(await codes.toString(jwt, { type: 'utf8' }));
    return context.err(`good until ${until}\n`);
  }
  context.out(`${jwt}\n`);
  context.err(`good until ${until}\n`);
}

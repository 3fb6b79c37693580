// A login by the JWT of an enrollment: enrolls here, and goes on with the identity file.

import { resolve } from 'node:path';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { ControllerClient } from '../../../client/index.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { textOf, timeoutOf } from '../connection/connection-plan.ts';
import { refuseUnwritable } from '../connection/private-file.ts';
import { rootsOfSigner } from '../connection/trust.ts';
import { type EnrollmentClaims, enrollHere, enrollmentClaims } from '../entities/enroll-here.ts';
import { localTime } from '../output/times.ts';

type Flags = Readonly<Record<string, unknown>>;

/** Flags that say where to log in, as whom, or whom to trust, all of which the JWT says. */
const excluded = [
  'user',
  'passwordFile',
  'cert',
  'key',
  'identity',
  'jwtFile',
  'tokenFile',
  'oidc',
  'ca',
  'caFingerprint',
];

/**
 * Enrolls by the JWT of the flags.
 * @param given the address as typed, which the JWT has already
 * @returns the flags of a login by the identity file that was written
 * @throws CommandFailure before the enrollment is used up, where that can be known
 */
export async function enrolledFlags(
  given: string | undefined,
  flags: Flags,
  context: ProcessContext,
): Promise<Flags> {
  const { enrollmentJwt, identityFile, ...rest } = flags;
  if (given !== undefined || excluded.some((flag) => flags[flag] !== undefined)) {
    throw CommandFailure.wrong(
      '--enrollment-jwt says where and as whom to log in, and goes with --identity-file, --name and --replace-ca alone.',
    );
  }
  if (typeof identityFile !== 'string') {
    throw CommandFailure.wrong('say where to write the identity file: --identity-file FILE');
  }
  const path = resolve(context.directory, identityFile);
  refuseUnwritable(path);
  const file = String(enrollmentJwt);
  const jwt = textOf(context, resolve(context.directory, file)).trim();
  const claims = enrollmentClaims(jwt, file);
  refuseUnusable(claims, file, context);
  const url = new URL(claims.url).origin;
  const ca = await rootsOfSigner(url, jwt, file, context);
  const client = new ControllerClient({ url, ca, timeoutMs: timeoutOf(flags) });
  try {
    await enrollHere(client, claims, path);
  } finally {
    client.close();
  }
  context.err(`enrolled, wrote ${printable(identityFile)}\n`);
  return { ...rest, identity: path };
}

function refuseUnusable(
  { url, method, endsAtMs }: EnrollmentClaims,
  file: string,
  { clock }: ProcessContext,
): void {
  if (method !== 'ott') {
    throw CommandFailure.wrong(
      `${file} is for an enrollment by ${JSON.stringify(method)}, and only ott gives a certificate here.`,
    );
  }
  if (endsAtMs <= clock.now()) {
    const ended = localTime(new Date(endsAtMs).toISOString());
    throw CommandFailure.wrong(`the enrollment of ${file} has ended at ${ended}.`);
  }
  if (URL.canParse(url) && new URL(url).protocol === 'https:') return;
  throw CommandFailure.wrong(`${file} names no controller: ${JSON.stringify(url)}.`);
}

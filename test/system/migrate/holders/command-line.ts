// Enrollments by the stock command line.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpensslCertificate } from '../../../simulated/openssl.ts';
import type { Api } from '../../client.ts';
import { management } from '../../client.ts';
import type { ZitiCommand } from '../../ziti-fabric/ziti-command.ts';
import { authenticate, type Holder, type Reached, type Shown } from './holder.ts';

/** The command, and a directory for the files that it reads and writes. */
export interface Enrolling {
  readonly ziti: ZitiCommand;
  readonly directory: string;
}

/** Enrolls with a JWT at the address that stands in it. @returns the certificate and its key */
export async function enrollByCommand(
  { ziti, directory }: Enrolling,
  { name, jwt, words = [] }: { name: string; jwt: string; words?: readonly string[] },
): Promise<Required<Shown>> {
  const [jwtFile, identityFile] = [join(directory, `${name}.jwt`), join(directory, `${name}.json`)];
  writeFileSync(jwtFile, jwt, { mode: 0o600 });
  await ziti.must('edge', 'enroll', '--jwt', jwtFile, '--out', identityFile, ...words);
  const { id } = JSON.parse(readFileSync(identityFile, 'utf8')) as {
    readonly id: { readonly cert: string; readonly key: string };
  };
  return { cert: pemOf(id.cert), key: pemOf(id.key) };
}

/** Sets the password of a user name whose enrollment is outstanding. */
export async function enrollPassword(
  { ziti, directory }: Enrolling,
  { name, jwt, password }: { name: string; jwt: string; password: string },
): Promise<void> {
  const jwtFile = join(directory, `${name}.jwt`);
  writeFileSync(jwtFile, jwt, { mode: 0o600 });
  await ziti.must('edge', 'enroll', '--jwt', jwtFile, '-u', name, '-p', password);
}

/** Members of an identity file are PEM behind a prefix, or names of files. */
function pemOf(member: string): string {
  if (member.startsWith('pem:')) return member.slice('pem:'.length);
  return readFileSync(member.replace(/^file:\/\//, ''), 'utf8');
}

/** Somebody with a certificate. */
export function certificateHolder(
  name: string,
  identityId: string,
  shown: Required<Shown>,
): Holder {
  const logIn = async (at: Reached) => await authenticate(at.connect(shown), 'cert');
  return { name, identityId, logIn };
}

/** The JWT of an enrollment of an identity that has not been redeemed. */
export async function outstandingJwt(
  admin: Api,
  identityId: string,
  method: 'ott' | 'ottca' | 'updb',
): Promise<string> {
  const { enrollment } = await admin.ask('GET', `${management}/identities/${identityId}`);
  const byMethod = enrollment as Readonly<Record<string, { readonly jwt: string }>>;
  return String(byMethod[method]?.jwt);
}

/** A certificate with its key, as a connection shows them. */
export function pairOf({ pem, keyPath }: OpensslCertificate): Required<Shown> {
  return { cert: pem, key: readFileSync(keyPath, 'utf8') };
}

// Enrolls an identity on this machine: makes its key, and writes the file that SDKs and tunnelers
// read.

import { generateKeyPairSync } from 'node:crypto';
import { reasonOf } from '../../../../snapshots/errors.ts';
import type { ControllerClient } from '../../../client/index.ts';
import { certificateRequest } from '../../../pki/x509/csr-writer.ts';
import { isObject } from '../../declarative/entry.ts';
import { CommandFailure } from '../command-failure.ts';
import { failureOf } from '../connection/client-failure.ts';
import { replacePrivate } from '../connection/private-file.ts';

/** What a JWT of an enrollment tells. */
export interface EnrollmentClaims {
  /** `https://HOST:PORT` of the controller, as it advertises itself. */
  readonly url: string;
  /** Id of the identity. */
  readonly subject: string;
  /** `ott` for a certificate that the controller issues. */
  readonly method: string;
  /** The one-time token. */
  readonly token: string;
  /** Wall-clock ms. */
  readonly endsAtMs: number;
}

/**
 * The claims of a JWT, whose signature is not checked.
 * @param shown how messages name the JWT
 * @throws CommandFailure for what is no JWT of an enrollment
 */
export function enrollmentClaims(jwt: string, shown: string): EnrollmentClaims {
  const { iss: url, sub: subject, em: method, jti: token, exp } = claimsOf(jwt);
  const isWhole =
    typeof url === 'string' &&
    typeof subject === 'string' &&
    typeof method === 'string' &&
    typeof token === 'string' &&
    typeof exp === 'number';
  if (isWhole) return { url, subject, method, token, endsAtMs: exp * 1000 };
  throw CommandFailure.wrong(`${shown} holds no JWT of an enrollment.`);
}

function claimsOf(jwt: string): Readonly<Record<string, unknown>> {
  const [, claims = '', ...rest] = jwt.split('.');
  try {
    const content: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString());
    if (rest.length === 1 && isObject(content)) return content;
  } catch {
    // Said by the caller, as for any other content.
  }
  return {};
}

/**
 * Enrolls, and writes the identity file for its owner alone. The key never leaves this machine.
 * @param client asks the controller of the claims, which its connection trusts
 * @throws CommandFailure when the controller refuses it, or the file cannot be written
 */
export async function enrollHere(
  client: ControllerClient,
  { url, subject, token }: EnrollmentClaims,
  path: string,
): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const body = { clientCsr: certificateRequest(privateKey, subject) };
  const target = `/enroll?method=ott&token=${encodeURIComponent(token)}`;
  let answer: unknown;
  try {
    answer = await client.ask('POST', target, body, 'client');
  } catch (error) {
    throw failureOf(error);
  }
  const { cert, ca } = isObject(answer) && isObject(answer['data']) ? answer['data'] : {};
  if (typeof cert !== 'string' || typeof ca !== 'string') {
    throw CommandFailure.unreachable(`${url} answers without a certificate.`);
  }
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  const id = { cert: `pem:${cert}`, key: `pem:${key}`, ca: `pem:${ca}` };
  try {
    replacePrivate(path, `${JSON.stringify({ ztAPI: `${url}/edge/client/v1`, id }, null, 2)}\n`);
  } catch (error) {
    throw CommandFailure.failed(
      `${path} cannot be written: ${reasonOf(error)}. The enrollment is used up, and its key is lost.`,
    );
  }
}

// Everybody who logs in before a migration and after it, by each way that the network knows.

import { SignJWT } from 'jose';
import { client, management } from '../../client.ts';
import type { Authorities, Signer } from '../furnishing/authorities.ts';
import { type Furnishing, make } from '../furnishing/furnishing.ts';
import { sendPlain } from '../plain-request.ts';
import {
  certificateHolder,
  enrollByCommand,
  enrollPassword,
  outstandingJwt,
  pairOf,
} from './command-line.ts';
import { authenticate, authenticateByJwt, type Holder, type Reached } from './holder.ts';
import { TwoFactorHolder } from './second-factor.ts';

/** Everybody of a network. */
export interface Holders {
  /** Who logs in without a second factor. */
  readonly all: readonly Holder[];
  readonly twoFactors: TwoFactorHolder;
  /** Whose right password was refused after three wrong ones. */
  readonly lockedOut: Holder;
  /** API sessions that are alive, each of the holder of this place in `all`. */
  readonly tokens: readonly string[];
  /** Token of an API session that has ended. */
  readonly endedToken: string;
}

/** Makes and enrolls them. */
export async function makeHolders(
  furnishing: Furnishing,
  authorities: Authorities,
): Promise<Holders> {
  const all = [
    await byPassword(furnishing, 'password'),
    await byPassword(furnishing, 'administrator', { isAdmin: true }),
    await byEnrolledPassword(furnishing),
    await byCertificate(furnishing, 'EC'),
    await byCertificate(furnishing, 'RSA'),
    await byOtherCa(furnishing, authorities),
    await byOtherCaAlone(furnishing, authorities),
    await byJwt(furnishing, authorities.signer),
  ];
  const tokens: string[] = [];
  for (const holder of all) tokens.push((await holder.logIn(furnishing.network)).token);
  return {
    all,
    tokens,
    endedToken: await endedToken(furnishing, all[0]),
    twoFactors: await byTwoFactors(furnishing, authorities),
    lockedOut: await lockedOut(furnishing, authorities),
  };
}

/** An identity that nothing else uses. @returns its id */
export async function makeIdentity(
  furnishing: Furnishing,
  name: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const body = { name, type: 'Default', isAdmin: false, roleAttributes: ['red'], ...more };
  return await make(furnishing, 'identities', body);
}

async function byPassword(
  furnishing: Furnishing,
  username: string,
  more: Record<string, unknown> = {},
): Promise<Holder> {
  const identityId = await makeIdentity(furnishing, username, more);
  const password = `Secret of ${username} 1!`;
  await make(furnishing, 'authenticators', { method: 'updb', identityId, username, password });
  return passwordHolder(identityId, { username, password });
}

/** Somebody with a password. */
export function passwordHolder(
  identityId: string,
  credentials: { readonly username: string; readonly password: string },
): Holder {
  const logIn = async (at: Reached) => await authenticate(at.connect(), 'password', credentials);
  return { name: credentials.username, identityId, logIn };
}

async function byEnrolledPassword(furnishing: Furnishing): Promise<Holder> {
  const { network, admin } = furnishing;
  const credentials = { username: 'enrolled', password: 'Enrolled secret 1!' };
  const { username, password } = credentials;
  const identityId = await makeIdentity(furnishing, username, { enrollment: { updb: username } });
  const jwt = await outstandingJwt(admin, identityId, 'updb');
  await enrollPassword(network, { name: username, jwt, password });
  return passwordHolder(identityId, credentials);
}

async function byCertificate(furnishing: Furnishing, keys: 'EC' | 'RSA'): Promise<Holder> {
  const { network, admin } = furnishing;
  const name = `certificate ${keys}`;
  const identityId = await makeIdentity(furnishing, name, { enrollment: { ott: true } });
  const jwt = await outstandingJwt(admin, identityId, 'ott');
  const order = { name, jwt, words: ['--keyAlg', keys] };
  const shown = await enrollByCommand(network, order);
  return certificateHolder(name, identityId, shown);
}

/** A certificate of a CA of others, for an identity that an administrator has made. */
async function byOtherCa(furnishing: Furnishing, { ca }: Authorities): Promise<Holder> {
  const { network, admin, openssl } = furnishing;
  const name = 'of others';
  const identityId = await makeIdentity(furnishing, name);
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  await make(furnishing, 'enrollments', { method: 'ottca', identityId, caId: ca.id, expiresAt });
  const jwt = await outstandingJwt(admin, identityId, 'ottca');
  const own = openssl.certificate({ subject: `/CN=${name}`, issuer: ca.certificate });
  const words = ['--cert', own.path, '--key', own.keyPath];
  await enrollByCommand(network, { name, jwt, words });
  return certificateHolder(name, identityId, pairOf(own));
}

/** A certificate of a CA of others, which made the identity itself. */
async function byOtherCaAlone(furnishing: Furnishing, { ca }: Authorities): Promise<Holder> {
  const { network, admin, openssl } = furnishing;
  const name = 'by itself';
  const { url, ca: trusted } = network;
  const path = `${management}/cas/${ca.id}/jwt`;
  const { token } = admin;
  const jwt = await sendPlain({ url, ca: trusted, method: 'GET', path, token });
  const own = openssl.certificate({ subject: `/CN=${name}`, issuer: ca.certificate });
  const words = ['--cert', own.path, '--key', own.keyPath, '--idname', name];
  await enrollByCommand(network, { name, jwt, words });
  const [made] = await admin.all('identities', `name contains "${name}"`);
  return certificateHolder(name, String(made?.['id']), pairOf(own));
}

/** A JWT of a signer, which is signed at each login. */
async function byJwt(furnishing: Furnishing, signer: Signer): Promise<Holder> {
  const name = 'of a signer';
  const externalId = `${name} ✓`;
  const identityId = await makeIdentity(furnishing, name, { externalId });
  const logIn = async (at: Reached) => {
    const jwt = await new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: signer.kid })
      .setIssuer(signer.issuer)
      .setAudience(signer.audience)
      .setSubject(externalId)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(signer.key);
    return await authenticateByJwt(at, jwt);
  };
  return { name, identityId, logIn };
}

async function byTwoFactors(
  furnishing: Furnishing,
  { secondFactor }: Authorities,
): Promise<TwoFactorHolder> {
  const credentials = { username: 'two factors', password: 'Secret of two factors 1!' };
  const more = { authPolicyId: secondFactor };
  const { identityId } = await byPassword(furnishing, credentials.username, more);
  const holder = new TwoFactorHolder(identityId, credentials);
  await holder.enroll(furnishing.network);
  return holder;
}

async function lockedOut(furnishing: Furnishing, { lockout }: Authorities): Promise<Holder> {
  const { network } = furnishing;
  const holder = await byPassword(furnishing, 'locked out', { authPolicyId: lockout });
  const wrong = { username: holder.name, password: 'wrong' };
  for (let attempt = 0; attempt < 4; attempt += 1) {
    await authenticate(network.connect(), 'password', wrong).catch(() => undefined);
  }
  await isRefused(holder, network);
  return holder;
}

/** Logs in and out. */
async function endedToken({ network }: Furnishing, holder: Holder | undefined): Promise<string> {
  const token = (await holder?.logIn(network))?.token ?? '';
  const { url, ca } = network;
  await sendPlain({ url, ca, method: 'DELETE', path: `${client}/current-api-session`, token });
  return token;
}

/** @throws when somebody is let in */
export async function isRefused(holder: Holder, at: Reached): Promise<void> {
  const isIn = await holder.logIn(at).then(
    () => true,
    () => false,
  );
  if (isIn) throw new Error(`${holder.name} is let in`);
}

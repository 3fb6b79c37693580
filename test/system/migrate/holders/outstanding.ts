// What was begun before a migration and is finished after it: enrollments by JWTs that are out, and
// the extension of a certificate.

import { readFileSync } from 'node:fs';
import { client, management } from '../../client.ts';
import type { Endings } from '../../endings.ts';
import type { Furnishing } from '../furnishing/furnishing.ts';
import { enrollRouter } from '../furnishing/routers.ts';
import type { MigratedHome } from '../migrated-home.ts';
import {
  certificateHolder,
  enrollByCommand,
  enrollPassword,
  outstandingJwt,
} from './command-line.ts';
import { authenticate, isLetIn } from './holder.ts';
import { isRefused, makeIdentity, passwordHolder } from './holders.ts';

/** What is finished later, each with its name. */
export type Outstanding = ReadonlyMap<string, (at: MigratedHome) => Promise<void>>;

/** Begins all of it. */
export async function beginOutstanding(
  endings: Endings,
  furnishing: Furnishing,
  pendingRouter: string,
): Promise<Outstanding> {
  return new Map([
    ['an identity enrolls by a JWT that was out', await beginCertificate(furnishing)],
    ['a user name gets a password by a JWT that was out', await beginPassword(furnishing)],
    [
      'a router enrolls by a JWT that was out',
      await beginRouter(endings, furnishing, pendingRouter),
    ],
    ['a certificate is extended by a request of before', await beginExtension(furnishing)],
  ]);
}

type Finish = (at: MigratedHome) => Promise<void>;

async function beginCertificate(furnishing: Furnishing): Promise<Finish> {
  const { network, admin } = furnishing;
  const name = 'outstanding certificate';
  const identityId = await makeIdentity(furnishing, name, { enrollment: { ott: true } });
  const jwt = await outstandingJwt(admin, identityId, 'ott');
  return async (at) => {
    const shown = await enrollByCommand(network, { name, jwt, words: ['--keyAlg', 'EC'] });
    await isLetIn(await certificateHolder(name, identityId, shown).logIn(at), identityId);
  };
}

async function beginPassword(furnishing: Furnishing): Promise<Finish> {
  const { network, admin } = furnishing;
  const credentials = { username: 'outstanding-password', password: 'Outstanding secret 1!' };
  const { username, password } = credentials;
  const identityId = await makeIdentity(furnishing, username, { enrollment: { updb: username } });
  const jwt = await outstandingJwt(admin, identityId, 'updb');
  return async (at) => {
    await enrollPassword(network, { name: username, jwt, password });
    await isLetIn(await passwordHolder(identityId, credentials).logIn(at), identityId);
  };
}

async function beginRouter(endings: Endings, furnishing: Furnishing, id: string): Promise<Finish> {
  const path = `${management}/edge-routers/${id}`;
  const { enrollmentJwt } = await furnishing.admin.ask('GET', path);
  return async (at) => {
    await enrollRouter(endings, furnishing.network, id, String(enrollmentJwt));
    const view = await (await at.logIn()).ask('GET', path);
    if (view['isVerified'] !== true) throw new Error(JSON.stringify(view));
  };
}

async function beginExtension(furnishing: Furnishing): Promise<Finish> {
  const { network, admin, openssl } = furnishing;
  const name = 'extended';
  const identityId = await makeIdentity(furnishing, name, { enrollment: { ott: true } });
  const jwt = await outstandingJwt(admin, identityId, 'ott');
  const shown = await enrollByCommand(network, { name, jwt, words: ['--keyAlg', 'EC'] });
  const api = await authenticate(network.connect(shown), 'cert');
  const { authenticatorId } = await api.ask('GET', `${client}/current-api-session`);
  const path = `${client}/current-identity/authenticators/${authenticatorId}`;
  const wanted = openssl.request({ subject: `/CN=${name}` });
  const given = await api.ask('POST', `${path}/extend`, { clientCertCsr: wanted.pem });
  const clientCert = String(given['clientCert']);
  const former = certificateHolder(name, identityId, shown);
  return async (at) => {
    const again = await former.logIn(at);
    await again.ask('POST', `${path}/extend-verify`, { clientCert });
    const renewed = { cert: clientCert, key: readFileSync(wanted.keyPath, 'utf8') };
    await isLetIn(await certificateHolder(name, identityId, renewed).logIn(at), identityId);
    await isRefused(former, at);
  };
}

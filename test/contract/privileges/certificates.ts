// The holders of certificates in the matrix: third-party CAs, routers, enrolled identities.

import { claimsIn, OidcClient, tokensIn } from '../../oidc/oidc-client.ts';
import { type Made, makeCertificate, makeRequest } from '../../simulated/certificates.ts';
import { certificatesIn, enrollWith, newIdentity } from '../enrollment/enrolling.ts';
import type { Party, World } from './callers.ts';

/** A CA of a third party, as the network knows it. */
export interface KnownCa {
  readonly id: string;
  readonly authority: Made;
  /** The common name that proves who holds its key. */
  readonly verificationToken: string;
}

/** A certificate of a third party; its own issuer unless one is given. */
export function signed(
  { network }: World,
  name: string,
  as: 'authority' | 'end',
  issuer?: Made,
): Promise<Made> {
  const wanted = { name, as, keyType: 'ec-p256', nowMs: network.clock.now() } as const;
  return makeCertificate(issuer === undefined ? wanted : { ...wanted, issuer });
}

/** A new CA whose certificates may enroll, once it is verified. */
export async function newCa(world: World): Promise<KnownCa> {
  const { network } = world;
  const authority = await signed(world, world.name('ca'), 'authority');
  const id = await network.create('cas', caBody(world, authority.pem));
  const path = `M:/cas/${id}`;
  const { verificationToken } = await network.must<{ verificationToken: string }>('GET', path);
  return { id, authority, verificationToken };
}

/** A body that makes a CA. */
export function caBody(world: World, certPem: string): Readonly<Record<string, unknown>> {
  return {
    name: world.name('ca'),
    certPem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
    identityNameFormat: '[commonName]',
  };
}

/** An external id claim that takes the whole common name. */
export const wholeName = {
  location: 'COMMON_NAME',
  matcher: 'ALL',
  matcherCriteria: '',
  parser: 'NONE',
  parserCriteria: '',
  index: 0,
};

/** What proves that somebody holds the key of a CA, in PEM. */
export async function proof(world: World, ca: KnownCa): Promise<string> {
  return (await signed(world, ca.verificationToken, 'end', ca.authority)).pem;
}

const verified = new WeakMap<World, Promise<KnownCa>>();

/** The verified CA of a network: one for all. */
export async function verifiedCa(world: World): Promise<KnownCa> {
  const known = verified.get(world) ?? makeVerified(world);
  verified.set(world, known);
  return known;
}

async function makeVerified(world: World): Promise<KnownCa> {
  const ca = await newCa(world);
  const headers = { 'content-type': 'text/plain' };
  const body = await proof(world, ca);
  await world.network.call('POST', `M:/cas/${ca.id}/verify`, { body, headers });
  return ca;
}

/** Enrolls an edge router. @returns the chain that it shows from then on, in DER */
export async function enrolledRouter({ network }: World, routerId: string): Promise<Buffer[]> {
  const path = `M:/edge-routers/${routerId}`;
  const { enrollmentToken: token } = await network.must<{ enrollmentToken: string }>('GET', path);
  const csr = await makeRequest(routerId);
  const body = { token, clientCsr: csr, serverCsr: csr };
  const { cert } = await network.must<{ cert: string }>('POST', 'C:/enroll/erott', body);
  return certificatesIn(cert).map(({ raw }) => raw);
}

/** Who logged in by a certificate of ours. */
export interface Certified {
  readonly party: Party;
  /** Its chain, in DER. */
  readonly certificates: readonly Buffer[];
}

/** A new identity that logged in by a certificate of ours. */
export async function certified(world: World): Promise<Certified> {
  const { network } = world;
  const name = world.name('certified');
  const { id, token } = await newIdentity(network, name);
  const enrolled = await enrollWith(network, token, await makeRequest(name));
  const { cert } = enrolled.data as { cert: string };
  const certificates = certificatesIn(cert).map(({ raw }) => raw);
  const session = await certifiedSession(world, certificates);
  return { party: { id, name, password: '', ...session }, certificates };
}

async function certifiedSession(
  { network, isByOidc }: World,
  certificates: readonly Buffer[],
): Promise<Pick<Party, 'authenticatorId' | 'sessionId' | 'token'>> {
  if (isByOidc) {
    const client = new OidcClient(network);
    const requestId = await client.begin({ method: 'cert' }, { certificates });
    await client.post('/oidc/login/cert', { id: requestId }, { certificates });
    const { access_token } = tokensIn(await client.exchange(await client.code(requestId)));
    const { z_authid, z_asid } = claimsIn(access_token);
    return {
      authenticatorId: String(z_authid),
      sessionId: String(z_asid),
      token: access_token,
    };
  }
  const options = { token: null, body: {}, certificates };
  const login = await network.call('POST', 'C:/authenticate?method=cert', options);
  const { authenticatorId, id, token } = login.data as {
    authenticatorId: string;
    id: string;
    token: string;
  };
  return { authenticatorId, sessionId: id, token };
}

/** The same with its next certificate, in PEM, which waits to be verified. */
export async function extended(world: World): Promise<Certified & { readonly next: string }> {
  const found = await certified(world);
  const { party, certificates } = found;
  const path = `C:/current-identity/authenticators/${party.authenticatorId}/extend`;
  const body = { clientCertCsr: await makeRequest(party.name) };
  const options = { token: null, headers: world.headersOf(party.token), body, certificates };
  const answer = await world.network.call('POST', path, options);
  return { ...found, next: (answer.data as { clientCert: string }).clientCert };
}

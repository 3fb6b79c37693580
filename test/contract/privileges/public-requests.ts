// Valid requests that need no session: logging in, enrolling, information.

import { SignJWT } from 'jose';
import { makeRequest } from '../../simulated/certificates.ts';
import { newEdgeRouter, newIdentity } from '../enrollment/enrolling.ts';
import type { World } from './callers.ts';
import { enrolledRouter, signed, verifiedCa } from './certificates.ts';
import type { RequestMakers, ValidRequest } from './requests.ts';

const describe = (id: string) => async (): Promise<ValidRequest> => ({ ids: [id] });

/** Requests by operation. */
export const publicRequests: RequestMakers = {
  'GET C /specs/{id}': describe('edge-client'),
  'GET M /specs/{id}': describe('edge-management'),
  'GET C /specs/{id}/spec': describe('edge-client'),
  'GET M /specs/{id}/spec': describe('edge-management'),

  async 'POST /authenticate'(world, kind) {
    const from = await world.newCaller(kind);
    const body = { username: from.name, password: from.password };
    return { from, query: 'method=password', body };
  },

  async 'POST /enroll'(world) {
    const { token } = await newIdentity(world.network, world.name());
    const headers = { 'content-type': 'application/x-pem-file' };
    return { query: `method=ott&token=${token}`, body: await makeRequest('one'), headers };
  },

  async 'POST /enroll/ott'(world) {
    const { token } = await newIdentity(world.network, world.name());
    return { body: { token, clientCsr: await makeRequest('one') } };
  },

  async 'POST /enroll/ottca'(world) {
    const ca = await verifiedCa(world);
    const { token } = await newIdentity(world.network, world.name(), { ottca: ca.id });
    return { body: { token }, certificates: await leaf(world) };
  },

  async 'POST /enroll/updb'(world) {
    const username = world.name('user');
    const { token } = await newIdentity(world.network, world.name(), { updb: username });
    return { query: `token=${token}`, body: { username, password: 'new-password' } };
  },

  async 'POST /enroll/token'(world) {
    const issuer = world.name('issuer');
    const { key, pem, fingerprint } = await signed(world, issuer, 'end');
    const signer = { name: issuer, issuer, audience: 'edge', enabled: true, certPem: pem };
    await world.network.create('external-jwt-signers', { ...signer, enrollToTokenEnabled: true });
    const exp = Math.trunc(world.network.clock.now() / 1000) + 60;
    const token = new SignJWT({ iss: issuer, aud: 'edge', sub: world.name(), exp });
    token.setProtectedHeader({ alg: 'ES256', kid: fingerprint });
    return { headers: { authorization: `Bearer ${await token.sign(key)}` }, body: {} };
  },

  'POST /enroll/ca': async (world) => ({ certificates: await leaf(world) }),

  async 'POST /enroll/erott'(world) {
    const { id, token } = await newEdgeRouter(world.network, world.name('router'));
    const csr = await makeRequest(id);
    return { body: { token, clientCsr: csr, serverCsr: csr } };
  },

  async 'POST /enroll/extend/router'(world) {
    const { id } = await newEdgeRouter(world.network, world.name('router'));
    const certificates = await enrolledRouter(world, id);
    const csr = await makeRequest(id);
    return { body: { certCsr: csr, serverCertCsr: csr }, certificates };
  },

  async 'POST /enroll/challenge'({ network }) {
    const answer = await network.call('GET', 'C:/enroll/jwks', { token: null });
    const { keys } = answer.json() as { keys: readonly { kid: string }[] };
    return { body: { keyId: keys[0]?.kid, nonce: '7b9e4a52-3f0f-4a30-9d3e-6f9a55d0c1aa' } };
  },
};

/** A new certificate by the CA that the network knows. */
async function leaf(world: World): Promise<readonly Buffer[]> {
  const { authority } = await verifiedCa(world);
  return [(await signed(world, world.name('leaf'), 'end', authority)).certificate.raw];
}

// Tokens that are bound to a certificate, and certificates that come with a login.

import { X509Certificate } from 'node:crypto';
import t from 'tap';
import { fingerprint } from '../../src/pki/x509/pem.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { adminPassword, adminUser, bootNetwork, type Network } from '../simulated/network.ts';
import { claimsIn, OidcClient, tokensIn } from './oidc-client.ts';

const path = 'C:/current-identity';

/** An identity that enrolled with a certificate: its chain in DER, the leaf first. */
async function enrolled(network: Network, name: string): Promise<Buffer[]> {
  const id = await network.create('identities', {
    name,
    type: 'Default',
    isAdmin: false,
    enrollment: { ott: true },
  });
  const { enrollment } = await network.must<{ enrollment: { ott: { token: string } } }>(
    'GET',
    `M:/identities/${id}`,
  );
  const answer = await network.call('POST', `C:/enroll?method=ott&token=${enrollment.ott.token}`, {
    token: null,
    body: await makeRequest(name),
    headers: { 'content-type': 'application/x-pem-file', accept: 'application/json' },
  });
  const { cert } = answer.data as { cert: string };
  return chainIn(cert);
}

function chainIn(pem: string): Buffer[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).raw);
}

t.test('a login by certificate', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const certificates = await enrolled(network, 'alice');
  const foreign = await enrolled(network, 'robert');
  const id = await client.begin({ method: 'cert' }, { certificates });
  // The Go SDK sends each field that a login by password has.
  const form = { id, username: '', password: '', configTypes: '', envOs: '', sdkType: '' };
  const loggedIn = await client.post('/oidc/login/cert', form, { certificates });
  t.equal(loggedIn.status, 302, loggedIn.body.toString());
  const tokens = tokensIn(await client.exchange(await client.code(id), {}, { certificates }));
  const [leaf = Buffer.alloc(0)] = certificates;
  const print = fingerprint(new X509Certificate(leaf));
  t.match(claimsIn(tokens.access_token), {
    amr: ['cert'],
    z_cfs: [print],
    z_acf: print,
    z_cae: Boolean,
    z_ice: true,
  });
  const call = (shown: readonly Buffer[]) =>
    client.call('GET', path, tokens.access_token, { certificates: shown });
  t.equal((await call(certificates)).status, 200);
  t.equal((await call([])).status, 401);
  t.equal((await call(foreign)).status, 401);
  const refresh = (shown: readonly Buffer[]) =>
    client.refresh(tokens.refresh_token, {}, { certificates: shown });
  for (const shown of [[], foreign]) {
    const answer = await refresh(shown);
    t.match(answer, { status: 400 });
    t.match(answer.json(), { error: 'access_denied' });
  }
  const next = tokensIn(await refresh(certificates));
  t.match(claimsIn(next.access_token), { z_cfs: [print], amr: ['cert'] });
  await network.stop();
});

t.test('certificates that are swapped within a login', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const [alice, robert] = [await enrolled(network, 'alice'), await enrolled(network, 'robert')];
  const id = await client.begin({ method: 'cert' }, { certificates: alice });
  await client.post('/oidc/login/cert', { id }, { certificates: robert });
  const answer = await client.exchange(await client.code(id), {}, { certificates: alice });
  const { access_token } = tokensIn(answer);
  const call = (certificates: readonly Buffer[]) =>
    client.call('GET', path, access_token, { certificates });
  t.equal((await call(alice)).status, 401, 'the one of the login counts');
  t.match((await call(robert)).data, { name: 'robert' });
  await network.stop();
});

t.test('a certificate that comes with a login by password', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  await client.logIn(id, adminUser, adminPassword, { csrPem: await makeRequest('x') });
  const tokens = tokensIn(await client.exchange(await client.code(id)));
  const certificates = chainIn(tokens.session_cert ?? '');
  const [der = Buffer.alloc(0)] = certificates;
  const leaf = new X509Certificate(der);
  const { z_asid, z_cfs, z_acf } = claimsIn(tokens.access_token);
  t.same(z_cfs, [fingerprint(leaf)]);
  t.equal(z_acf, undefined);
  t.match(leaf.subjectAltName, `/apiSession/${z_asid}/apiSessionCertificate/`);
  const days = (leaf.validToDate.getTime() - network.clock.now()) / 86_400_000;
  t.equal(Math.round(days), 365);
  const call = (shown: readonly Buffer[]) =>
    client.call('GET', 'C:/current-api-session/certificates', tokens.access_token, {
      certificates: shown,
    });
  t.equal((await call([])).status, 401);
  t.match((await call(certificates)).data, [{ fingerprint: fingerprint(leaf) }]);

  const renewed = await client.refresh(
    tokens.refresh_token,
    { csr_pem: await makeRequest('y') },
    { certificates },
  );
  const next = tokensIn(renewed);
  const newer = chainIn(next.session_cert ?? '');
  t.not(String(claimsIn(next.access_token)['z_cfs']), String(z_cfs));
  const own = { certificates: newer };
  t.equal((await client.call('GET', path, next.access_token, own)).status, 200);
  const former = { certificates };
  t.equal(
    (await client.call('GET', path, next.access_token, former)).status,
    200,
    'of the session',
  );
  t.equal((await client.refresh(next.refresh_token, {}, former)).status, 400, 'not of the token');
  t.equal((await client.refresh(next.refresh_token, {}, own)).status, 200);
  await network.stop();
});

t.test('requests that are not signed', async (t) => {
  const network = await bootNetwork();
  const client = new OidcClient(network);
  const id = await client.begin();
  t.equal((await client.logIn(id, adminUser, adminPassword, { csrPem: 'x' })).status, 302);
  const answer = await client.exchange(await client.code(id));
  t.match(answer, { status: 400 });
  t.match(answer.json(), { error: 'invalid_request' });
  const long = await client.begin();
  const tooLong = { csrPem: 'x'.repeat(20_000) };
  t.equal((await client.logIn(long, adminUser, adminPassword, tooLong)).status, 400);
  const unbound = await client.tokens(adminUser, adminPassword);
  const csr = await makeRequest('z');
  const refreshed = tokensIn(await client.refresh(unbound.refresh_token, { csr_pem: csr }));
  t.notOk('session_cert' in refreshed, 'a token that is not bound stays so');
  await network.stop();
});

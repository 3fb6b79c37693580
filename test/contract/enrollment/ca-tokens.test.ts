// The enrollment JWT of a CA stays the same until the key that signs it changes
// (behaviour/enrollment#lasting-jwts).

import t, { type Test } from 'tap';
import { caKind } from '../../../src/records/ca.ts';
import { makeCertificate } from '../../simulated/certificates.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const dayMs = 86_400_000;

async function createCa(network: Network): Promise<string> {
  const nowMs = network.clock.now();
  const { pem } = await makeCertificate({
    name: 'root',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs,
  });
  return network.create('cas', {
    name: 'partner',
    certPem: pem,
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
  });
}

/** The JWT, which the CA, the list and the operation show alike. */
async function jwtOf(t: Test, network: Network, id: string): Promise<string> {
  const { jwt } = await network.must<{ jwt: string }>('GET', `M:/cas/${id}`);
  t.match(await network.must('GET', 'M:/cas'), [{ id, jwt }]);
  t.equal((await network.call('GET', `M:/cas/${id}/jwt`)).body.toString(), jwt);
  return jwt;
}

t.test('the same after changes, restarts, crashes and a renewed certificate', async (t) => {
  const network = await bootNetwork();
  const id = await createCa(network);
  const jwt = await jwtOf(t, network, id);
  t.match(jwt, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  await network.must('PATCH', `M:/cas/${id}`, { name: 'other', jwt: 'forged' });
  t.equal(await jwtOf(t, network, id), jwt);
  await network.restart();
  await network.logInAdmin();
  t.equal(await jwtOf(t, network, id), jwt);
  await network.sleep(336 * dayMs);
  await network.core.serving.check();
  await network.logInAdmin();
  t.equal(await jwtOf(t, network, id), jwt, 'a renewal keeps the key');
  await network.stop();
});

t.test('another one after the key has changed, at once and at a start', async (t) => {
  const network = await bootNetwork();
  const id = await createCa(network);
  const jwt = await jwtOf(t, network, id);
  for (const file of ['server.key', 'server.pem']) network.disk.remove(`/home/pki/${file}`);
  await network.core.serving.check();
  const next = await jwtOf(t, network, id);
  t.not(next, jwt);
  t.match(network.logged, [/the key of the server certificate has changed/]);
  network.logged.length = 0;
  await network.stop();
});

t.test('a CA of an earlier release gets its JWT at the start', async (t) => {
  const network = await bootNetwork();
  const id = await createCa(network);
  const { store } = network.env;
  const table = store.table(caKind);
  store.transact({ actor: 'test', requestId: '', operation: 'test' }, (tx) => {
    const row = table.peek(id);
    if (row !== undefined) tx.put(table, { ...row.record, jwt: undefined });
  });
  await network.restart();
  await network.logInAdmin();
  t.match(await jwtOf(t, network, id), /\./);
  await network.stop();
});

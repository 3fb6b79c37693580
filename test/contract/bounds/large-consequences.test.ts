// Consequences that are written in slices fit into frames, whatever the size of the records.

import t from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const frameBytesMax = 384 * 1024;

/** Six policies of 120 KB each that name a service: a slice of four is larger than a frame. */
async function policiesOf(network: Network, service: string): Promise<void> {
  const identityRoles = Array.from({ length: 600 }, (_, n) => `#${String(n).padStart(200, 'x')}`);
  for (let n = 0; n < 6; n++) {
    await network.create('service-policies', {
      name: `policy ${n}`,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles,
      serviceRoles: [`@${service}`],
    });
  }
}

const rolesOf = async (network: Network) => {
  const policies = await network.must<{ serviceRoles: string[] }[]>('GET', 'M:/service-policies');
  return policies.flatMap(({ serviceRoles }) => serviceRoles);
};

t.test('a slice that is larger than a frame is cut until it fits', async (t) => {
  const network = await bootNetwork({ limits: { frameBytesMax }, bounds: { cascadeRowsMax: 4 } });
  const service = await network.create('services', { name: 'crm', encryptionRequired: true });
  await policiesOf(network, service);
  await network.must('DELETE', `M:/services/${service}`);
  t.ok(network.env.store.deferredCascades.isOpen, 'the policies are stripped in slices');
  await network.advance(1000);
  t.notOk(network.env.store.deferredCascades.isOpen, 'to their end');
  t.same(await rolesOf(network), []);
});

t.test('a start finishes them as well', async (t) => {
  const network = await bootNetwork({ limits: { frameBytesMax }, bounds: { cascadeRowsMax: 4 } });
  const service = await network.create('services', { name: 'crm', encryptionRequired: true });
  await policiesOf(network, service);
  const deleted = network.call('DELETE', `M:/services/${service}`);
  await network.kill();
  await Promise.race([deleted, network.advance(0)]);
  t.notOk(network.env.store.deferredCascades.isOpen);
  await network.logInAdmin();
  t.same(await rolesOf(network), []);
});

t.test('stamps of activity are written in frames that are not too large', async (t) => {
  const network = await bootNetwork({ limits: { frameBytesMax: 20_000 } });
  const configTypes: string[] = [];
  for (let n = 0; n < 150; n++) {
    configTypes.push(await network.create('config-types', { name: `type ${n}` }));
  }
  await network.createUser('alice', 'alice-password');
  const tokens: string[] = [];
  for (let n = 0; n < 20; n++) {
    tokens.push(await network.login('alice', 'alice-password', { configTypes }));
  }
  await network.advance(1000);
  for (const token of tokens) await network.must('GET', 'C:/current-api-session', undefined, token);
  const { activity } = network.env;
  t.ok(activity.dirtyCount >= tokens.length);
  await network.advance(10 * 60_000);
  t.equal(activity.dirtyCount, 0, 'every stamp is written');
});

t.test('a start finishes more than may wait for the disk', async (t) => {
  const network = await bootNetwork({
    limits: {
      frameBytesMax: 65_536,
      writeBytesWaitingMax: 131_072,
      apiSessionsPerIdentityMax: 2000,
      writesPerSecondMax: 0,
    },
    bounds: { cascadeRowsMax: 20 },
  });
  const alice = await network.createUser('alice', 'alice-password');
  for (let n = 0; n < 2000; n++) await network.login('alice', 'alice-password');
  await network.must('POST', `M:/identities/${alice}/disable`, { durationMinutes: 5 });
  t.ok(network.env.store.table(apiSessionKind).size > 1000, 'most are still to be ended');
  await network.kill();
  t.equal(network.env.store.table(apiSessionKind).size, 1, "the administrator's session is left");
});

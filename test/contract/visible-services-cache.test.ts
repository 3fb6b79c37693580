// The cache of the services that each identity sees: bounded in bytes, and never stale.

import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';

const services = 300;
const users = 20;

t.test('what was used lately is remembered, within the bound', async (t) => {
  // A tenth of a megabyte holds ten of them in two generations.
  const limits = { visibleServicesCacheBytesMax: 100_000 };
  const network = await bootNetwork({ limits });
  for (let n = 0; n < services; n++) {
    await network.create('services', { name: `s${n}`, encryptionRequired: true });
  }
  const all = { identityRoles: ['#all'], serviceRoles: ['#all'] };
  const policy = { name: 'p', type: 'Dial', semantic: 'AnyOf', ...all };
  const policyId = await network.create('service-policies', policy);
  const tokens: string[] = [];
  for (let n = 0; n < users; n++) {
    await network.createUser(`user${n}`, 'password');
    tokens.push(await network.login(`user${n}`, 'password'));
  }
  const { access } = network.env;
  let worked = 0;
  const { permissions } = access;
  const visible = permissions.visible.bind(permissions);
  t.intercept(permissions, 'visible', {
    value: (slot: number) => {
      worked++;
      return visible(slot);
    },
  });
  const poll = async (token: string | undefined) => {
    const path = 'C:/services?limit=1';
    const { status, body } = await network.call('GET', path, { token: token ?? '' });
    t.equal(status, 200);
    return (JSON.parse(body.toString()) as { meta: { pagination: { totalCount: number } } }).meta
      .pagination;
  };
  for (let round = 0; round < 10; round++) await poll(tokens[0]);
  t.equal(worked, 1, 'one asks again and again');
  for (const token of tokens) await poll(token);
  t.equal(worked, users);
  for (const token of tokens.slice(-3)) await poll(token);
  t.equal(worked, users, 'the last ones are known');
  await poll(tokens[0]);
  t.equal(worked, users + 1, 'the first one had to go');
  await network.must('DELETE', `M:/service-policies/${policyId}`);
  t.equal((await poll(tokens[0])).totalCount, 0, 'a change of access is seen at once');
  await network.stop();
});

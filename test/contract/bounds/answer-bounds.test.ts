// The bound on the bytes of an answer: a large page is refused, and smaller ones are answered.

import t from 'tap';
import { bootNetwork } from '../../simulated/network.ts';

const answerBytesMax = 64 * 1024;
const refused = { status: 400, code: 'ANSWER_TOO_LARGE', cause: { field: 'limit' } };

t.test('services under many policies with many checks', async (t) => {
  const network = await bootNetwork({ limits: { answerBytesMax } });
  await network.createUser('alice', 'alice-password');
  const token = await network.login('alice', 'alice-password');
  const checks = { typeId: 'DOMAIN', domains: ['corp.example'], roleAttributes: ['all'] };
  for (let i = 0; i < 5; i += 1) {
    await network.create('posture-checks', { name: `check ${i}`, ...checks });
  }
  const roles = { identityRoles: ['#all'], serviceRoles: ['#all'], postureCheckRoles: ['#all'] };
  for (let i = 0; i < 10; i += 1) {
    const policy = { name: `policy ${i}`, type: 'Dial', semantic: 'AnyOf', ...roles };
    await network.create('service-policies', policy);
  }
  for (let i = 0; i < 8; i += 1) {
    await network.create('services', { name: `service ${i}`, encryptionRequired: true });
  }
  const get = (query: string) => network.call('GET', `C:/services${query}`, { token });
  for (const query of ['', '?limit=-1', '?configTypes=all', '?filter=true', '?limit=8']) {
    t.match(await get(query), refused, query);
  }
  const page = await get('?limit=2&offset=6');
  t.equal(page.status, 200);
  t.equal((page.data as readonly unknown[]).length, 2);
  t.ok(page.body.length < answerBytesMax);
  await network.stop();
});

t.test('records that are large themselves', async (t) => {
  const network = await bootNetwork({ limits: { answerBytesMax } });
  const tags = { note: 'x'.repeat(answerBytesMax / 4) };
  for (let i = 0; i < 5; i += 1)
    await network.create('services', { name: `service ${i}`, encryptionRequired: true, tags });
  t.match(await network.call('GET', 'M:/services'), refused);
  t.equal((await network.call('GET', 'M:/services?limit=3')).status, 200);
  await network.stop();
});

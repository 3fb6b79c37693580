// The notes that frames hold for routers: they name what changed in the model of the network,
// unless no router can ask for it, or it is too much.

import t from 'tap';
import { routerModelId, routerModelKind } from '../../../src/records/router-model.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

const identity = (name: string) => ({
  name,
  type: 'Default',
  isAdmin: false,
  roleAttributes: ['all'],
});

function written({ env }: Network) {
  const row = env.store.table(routerModelKind).peek(routerModelId);
  return { index: row?.lsn ?? 0, touches: row?.record };
}

t.test('nothing is noted without routers, and the first one knows nothing', async (t) => {
  const network = await bootNetwork();
  await network.create('identities', identity('early'));
  t.equal(written(network).index, 0);
  const id = await network.create('edge-routers', { name: 'first' });
  const first = written(network);
  t.equal(first.touches?.isWide, true);
  await network.create('edge-routers', { name: 'second' });
  t.same(written(network).touches?.records.length, 1, 'the others are changes like all');
  const others = await network.must<{ id: string }[]>('GET', 'M:/edge-routers');
  for (const router of others) await network.must('DELETE', `M:/edge-routers/${router.id}`);
  const { index } = written(network);
  await network.create('identities', identity('later'));
  t.equal(written(network).index, index);
  const again = await network.create('edge-routers', { name: 'again' });
  t.not(again, id);
  t.equal(written(network).touches?.isWide, true);
  t.ok(written(network).index > index, 'who knows the former index is not told that it is current');
  await network.stop();
});

t.test('a frame names the policies of a member, unless they are too many', async (t) => {
  const network = await bootNetwork();
  await network.create('edge-routers', { name: 'one' });
  const policies: string[] = [];
  for (const name of ['first', 'second']) {
    const roles = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
    policies.push(await network.create('service-policies', { name, type: 'Dial', ...roles }));
  }
  const id = await network.create('identities', identity('alice'));
  const { touches } = written(network);
  t.same(
    touches?.memberships.map((text) => text.split('\n').sort()),
    [['identity', id, ...policies].sort()],
  );
  t.same(touches?.relations, []);
  for (let count = 0; count < 260; count++) {
    await network.create('identities', identity(`member ${count}`));
  }
  await network.must('PATCH', `M:/service-policies/${policies[0]}`, { identityRoles: ['#none'] });
  t.equal(written(network).touches?.isWide, true);
  await network.stop();
});

t.test('the former version has the relations of members among the others', (t) => {
  const none = { records: [], moved: [], policies: [], isWide: false };
  const record = { id: 'model', createdAt: 1, updatedAt: 2, tags: {}, ...none };
  const values = routerModelKind.codec.encode(
    { ...record, relations: [['p', 'service', 's']], memberships: ['identity\ni\np\nq'] },
    1,
  );
  const former = routerModelKind.codec.decode('model', 1, values);
  t.same(former.relations, [
    ['p', 'service', 's'],
    ['p', 'identity', 'i'],
    ['q', 'identity', 'i'],
  ]);
  t.same(former.memberships, []);
  t.end();
});

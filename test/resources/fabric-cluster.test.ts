// The nodes of a cluster over the fabric API (behaviour/fabric#cluster).

import t from 'tap';
import type { Member } from '../../src/cluster/membership.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { bootNetwork } from '../simulated/network.ts';
import { watchedCluster } from '../simulated/watched-cluster.ts';

/** A network that runs as node n1 of a cluster with these others. */
async function boot(others: readonly Partial<Member>[]) {
  const network = await bootNetwork();
  const stepped: Promise<void>[] = [];
  const members = others.map((other) => ({ ...memberOf(other.id ?? ''), ...other }));
  const watched = {
    ...watchedCluster([memberOf('n1'), ...members]),
    stepDown: (answered: Promise<void>) => void stepped.push(answered),
  };
  Object.defineProperty(network.env, 'cluster', { value: () => watched });
  const order = (name: string, body: object) =>
    network.call('POST', `F:/cluster/${name}`, { body });
  return { network, stepped, order };
}

const follower = { role: 'following', control: 'tls:n:6262' } as const;

t.test('all nodes are listed', async (t) => {
  const { network } = await boot([
    { id: 'n2', ...follower, version: '0.9.0' },
    { id: 'n3', ...follower, isUnsealed: true },
  ]);
  const answer = await network.call('GET', 'F:/cluster/list-members');
  t.match(answer.json(), {
    data: [
      { id: 'n1', address: 'tls:localhost:6262', leader: true, connected: true, voter: true },
      { id: 'n2', address: 'tls:n:6262', leader: false, connected: true, version: 'v0.9.0' },
      { id: 'n3', address: '', connected: false, readOnly: false },
    ],
  });
  t.notOk(Object.hasOwn(Object(answer.json()), 'meta'));
  await network.stop();
});

t.test('the leader steps down for a node that follows', async (t) => {
  const { network, stepped, order } = await boot([{ id: 'n2', ...follower }]);
  t.match(await order('transfer-leadership', {}), { status: 200 });
  t.match(await order('transfer-leadership', { newLeaderId: 'n2' }), { status: 200 });
  t.equal(stepped.length, 2);
  for (const newLeaderId of ['n1', 'n9']) {
    const answer = await order('transfer-leadership', { newLeaderId });
    t.match(answer, { status: 400, cause: { field: 'newLeaderId', value: newLeaderId } });
  }
  t.equal(stepped.length, 2);
  await network.stop();
});

t.test('nobody is told to lead who might not', async (t) => {
  const many = await boot([
    { id: 'n2', ...follower },
    { id: 'n4', ...follower },
  ]);
  t.match(await many.order('transfer-leadership', { newLeaderId: 'n2' }), { status: 400 });
  t.match(await many.order('transfer-leadership', {}), { status: 200 });
  await many.network.stop();
  // n3 is away.
  const alone = await boot([{ id: 'n3', ...follower }]);
  t.match(await alone.order('transfer-leadership', {}), { status: 400 });
  t.same(alone.stepped, []);
  await alone.network.stop();
});

t.test('nodes are added and removed by commands', async (t) => {
  const { network, order } = await boot([]);
  const added = await order('add-member', { address: 'tls:n9:6262', isVoter: true });
  t.match(added, { status: 400, cause: { field: 'address', reason: /edge-control cluster join/ } });
  const removed = await order('remove-member', { id: 'n9' });
  t.match(removed, { status: 400, cause: { field: 'id', reason: /edge-control cluster leave/ } });
  await network.stop();
});

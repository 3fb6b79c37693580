// A forced start: taken where most nodes are lost, and refused where it cannot be right.

import t from 'tap';
import { checkForcedStart } from '../../src/cluster/node/forced-start.ts';
import { memberAwayMs } from '../../src/cluster/node/watch.ts';
import { memberOf } from '../simulated/cluster-servers.ts';
import { SimulatedMembers } from '../simulated/members.ts';

const nowMs = 1_000_000;
const away = { atMs: nowMs - memberAwayMs - 1 };

function setting() {
  const directory = new SimulatedMembers();
  const members = directory.view();
  const check = () => checkForcedStart(members, 'a', nowMs);
  return { directory, members, check };
}

t.test('most nodes are lost', async (t) => {
  const { members, check } = setting();
  for (const id of ['a', 'b']) await members.put(memberOf(id, away));
  // Its entry has expired, and its mark has not.
  await members.raiseMark({ id: 'c', generation: 1, term: 1, lsn: 1, crc: 1 });
  t.same(await check(), { nodes: 3, heard: 1 });
});

t.test('one of two is lost', async (t) => {
  const { members, check } = setting();
  await members.put(memberOf('b', away));
  t.same(await check(), { nodes: 2, heard: 1 });
});

t.test('most nodes are there', async (t) => {
  const { members, check } = setting();
  await members.put(memberOf('b', { atMs: nowMs - memberAwayMs }));
  await members.put(memberOf('c', away));
  await t.rejects(check(), {
    message:
      '--force is for a node whose others are lost, but 2 of 3 nodes, this one included, were there within the last 10 s: leave it out.',
  });
});

t.test('a lone node needs no force', async (t) => {
  await t.rejects(setting().check(), { message: /but 1 of 1 nodes/ });
});

t.test('a halt is not for it', async (t) => {
  const { directory, check } = setting();
  directory.haltReason = 'the stream has lost messages';
  await t.rejects(check(), { message: /^--force does not help: .*reseed, because the stream/ });
});

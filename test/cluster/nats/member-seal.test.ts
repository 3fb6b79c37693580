// Which entries of the directory of nodes count.

import t from 'tap';
import type { Member } from '../../../src/cluster/membership.ts';
import {
  areSealed,
  MemberSeal,
  memberKey,
  type StoredEntry,
} from '../../../src/cluster/nats/member-seal.ts';
import { memberOf } from '../../simulated/cluster-servers.ts';

const sealingKey = Buffer.from('key of all nodes');
const a = memberOf('a', { keys: { 'node key': 'aa' } });
const evil = { ...a, advertised: 'evil.example:1280', keys: { 'node key': 'ee' } };

function sealed(member: Member, sequence: number, key = memberKey(member.id)): StoredEntry {
  const text = JSON.stringify(member);
  const mac = new MemberSeal('members', sealingKey).macOf(key, sequence, text);
  return { key, sequence, text, mac };
}

function unsealed(member: Member, sequence: number, mac = ''): StoredEntry {
  return { key: memberKey(member.id), sequence, text: JSON.stringify(member), mac };
}

const seal = () => new MemberSeal('members', sealingKey);

t.test('an entry counts as its node has sealed it', async (t) => {
  for (const areAllSealed of [false, true]) {
    const evaluated = seal().evaluate([sealed(a, 5)], areAllSealed);
    t.same(evaluated, { counted: [a], uncounted: [] });
  }
});

t.test('nothing of it can be changed, moved or sent again', async (t) => {
  const right = sealed(a, 5);
  const b = memberOf('b');
  const wrong: readonly (readonly [string, StoredEntry])[] = [
    ['another content', { ...right, text: JSON.stringify(evil) }],
    ['sent again', { ...right, sequence: 6 }],
    ['the entry of another node', { ...right, key: memberKey('b') }],
    ['sealed for another key', sealed(b, 5, memberKey('a'))],
    ['another MAC', { ...right, mac: 'f'.repeat(64) }],
    ['a MAC of another length', { ...right, mac: 'f' }],
  ];
  for (const [what, entry] of wrong) {
    t.strictSame(seal().evaluate([entry], false).counted, [], what);
  }
  t.strictSame(new MemberSeal('other', sealingKey).evaluate([right], false).counted, []);
  t.strictSame(new MemberSeal('members', Buffer.from('x')).evaluate([right], false).counted, []);
});

t.test('an entry without a MAC counts until an upgrade is final, without addresses', async (t) => {
  const { counted } = seal().evaluate([unsealed(evil, 5)], false);
  t.match(counted, [{ id: 'a', isUnsealed: true }]);
  const final = seal().evaluate([unsealed(evil, 5)], true);
  t.match(final, { counted: [], uncounted: [{ id: 'a' }] });
});

t.test('an upgrade stays final, whatever the formats of the cluster say later', async (t) => {
  const one = seal();
  one.evaluate([sealed(a, 5)], true);
  const b = memberOf('b');
  const { counted, uncounted } = one.evaluate([sealed(a, 5), unsealed(b, 6)], false);
  t.strictSame(
    counted.map(({ id }) => id),
    ['a'],
  );
  t.match(uncounted, [{ id: 'b' }]);
});

t.test('what others write in the place of a sealed entry does not hide it', async (t) => {
  const one = seal();
  one.evaluate([sealed(a, 5)], true);
  t.match(one.evaluate([unsealed(evil, 6)], true), {
    counted: [{ advertised: a.advertised, keys: a.keys }],
    uncounted: [{ advertised: evil.advertised }],
  });
  const broken = { ...unsealed(a, 7), text: 'no JSON' };
  t.match(one.evaluate([broken], true).counted, [{ advertised: a.advertised }]);
  t.ok(one.knows('member.a'));
  t.strictSame(one.evaluate([], true).counted, [], 'it is gone');
  t.strictSame(one.evaluate([unsealed(a, 8)], true).counted, []);
});

t.test('a node that goes back to the former release keeps addresses and keys', async (t) => {
  const one = seal();
  one.evaluate([sealed(a, 5)], false);
  const { counted } = one.evaluate([unsealed({ ...evil, role: 'leading', term: 9 }, 6)], false);
  const { advertised, control, internal, keys } = a;
  t.match(counted, [{ advertised, control, internal, keys, role: 'leading', term: 9 }]);
  t.equal(counted[0]?.isUnsealed, undefined);
});

t.test('what a cluster writes tells whether entries have to be sealed', async (t) => {
  t.notOk(areSealed(undefined));
  t.notOk(areSealed({ log: 2 }));
  t.ok(areSealed({ log: 2, members: 1 }));
  t.ok(areSealed({ log: 2, members: 2 }));
});

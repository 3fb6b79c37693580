// Cases of access that the random model does not cover: refusals, bounds, large sets, and leaks.

import t from 'tap';
import type { MemberSpace, PolicyRoles } from '../../src/declare/kinds/access-vocabulary.ts';
import { bindBit, dialBit } from '../../src/declare/kinds/access-vocabulary.ts';
import { memberSpaces } from '../model/random-access.ts';
import { UnstoredAccess } from './unstored-access.ts';

const everyone: PolicyRoles = {
  semantic: 'AnyOf',
  type: 'Dial',
  lists: { identity: ['#all'], service: ['#all'] },
};
const sales: PolicyRoles = {
  semantic: 'AllOf',
  type: 'Bind',
  lists: { identity: ['#sales', '#eu', '@boss'], service: ['#crm'] },
};

t.test('the quick start: #all policies on every side', async (t) => {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'i', undefined, []);
  access.changeMember('service', 0, 's', undefined, []);
  access.changeMember('router', 40, 'r', undefined, []);
  t.notOk(access.routers.hasUsable(0, 0));
  access.changePolicy('servicePolicy', 0, undefined, everyone);
  const routers = { semantic: 'AnyOf', lists: { identity: ['#all'], router: ['#all'] } } as const;
  access.changePolicy('edgeRouterPolicy', 0, undefined, routers);
  t.ok(access.mayDial(0, 0));
  t.notOk(access.mayBind(0, 0));
  t.notOk(access.routers.hasUsable(0, 0), 'no service edge router policy, no routers');
  const lists = { service: ['#all'], router: ['@r'] };
  access.changePolicy('serviceEdgeRouterPolicy', 0, undefined, { semantic: 'AllOf', lists });
  t.same([...access.routers.usable(0, 0)], [40]);
  t.notOk(access.mayDial(1, 0), 'no such identity');
  t.equal(access.permissions.bits(0, 7), 0, 'no such service');
  t.same([...access.permissions.visible(9).slots], []);
});

t.test('says why a member matches', async (t) => {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'boss', undefined, ['sales', 'eu', 'x']);
  access.changeMember('identity', 1, 'clerk', undefined, ['sales']);
  access.changeMember('service', 0, 's', undefined, ['crm']);
  access.changePolicy('servicePolicy', 3, undefined, sales);
  const reasons = (policy: number, side: MemberSpace, slot: number): readonly string[] =>
    access.matchOf('servicePolicy', policy, side, slot, 10)?.matchedBy.shown ?? [];
  const why = (slot: number): readonly string[] => reasons(3, 'identity', slot);
  t.same(why(0), ['#sales', '#eu', '@boss']);
  t.same(why(1), [], 'one of two attributes is not AllOf');
  t.same(why(2), []);
  t.same(reasons(3, 'service', 0), ['#crm']);
  t.same(reasons(4, 'service', 0), [], 'no such policy');
  access.changePolicy('servicePolicy', 4, undefined, everyone);
  t.same(reasons(4, 'identity', 1), ['#all']);
  t.same([...access.permissions.visible(0).bits], [dialBit | bindBit]);
});

t.test('role lists select members as the specification says', async (t) => {
  const cases: [PolicyRoles['semantic'], readonly string[], readonly string[], boolean][] = [
    ['AllOf', ['#a', '#b'], ['a'], false],
    ['AllOf', ['#a', '#b'], ['b', 'a'], true],
    ['AnyOf', ['#a', '#b'], ['b'], true],
    ['AnyOf', [], ['b'], false],
    ['AllOf', [], [], false],
    ['AllOf', ['#a', '@member'], [], true],
    ['AllOf', ['@other'], ['a'], false],
    ['AnyOf', ['#all'], [], true],
  ];
  for (const [semantic, roles, attributes, selects] of cases) {
    const access = new UnstoredAccess(10);
    access.changeMember('identity', 1, 'member', undefined, attributes);
    const policy: PolicyRoles = { semantic, type: 'Dial', lists: { identity: roles } };
    access.changePolicy('servicePolicy', 7, undefined, policy);
    const found = access.policiesOf('identity', 1, 'servicePolicy');
    t.same(found, selects ? [7] : [], `${semantic} ${roles} ${attributes}`);
  }
});

t.test('refuses what does not fit its books, and changes nothing', async (t) => {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'i', undefined, ['a']);
  access.changePolicy('servicePolicy', 0, undefined, everyone);
  const counts = access.counts('identity');
  const refused = [
    () => access.changeMember('identity', 0, 'i', undefined, ['a']),
    () => access.changeMember('identity', 0, 'i', ['b'], ['a']),
    () => access.changeMember('identity', 1, 'j', ['a'], undefined),
    () => access.changePolicy('servicePolicy', 0, undefined, sales),
    () => access.changePolicy('servicePolicy', 0, sales, everyone),
    () => access.changePolicy('servicePolicy', 1, everyone, undefined),
    () =>
      access.changePolicy('servicePolicy', 1, undefined, {
        ...everyone,
        lists: { identity: ['#new', '@new'], service: ['bare'] },
      }),
    () => access.select('identity', 'AllOf', ['bare']),
    () => access.policiesOf('router', 0, 'servicePolicy'),
    () => access.membersOf('servicePolicy', 0, 'router'),
  ];
  for (const change of refused) t.throws(change, /access:/);
  t.same(access.counts('identity'), counts);
  t.same(access.policiesOf('identity', 0, 'servicePolicy'), [0]);
});

t.test('a change is read before the next one', async (t) => {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'i', undefined, []);
  access.changeMember('service', 0, 's', undefined, []);
  const late = access.changePolicy('servicePolicy', 0, undefined, everyone);
  const read = access.changePolicy('servicePolicy', 0, everyone, undefined);
  t.throws(() => late.gained, /before the next/);
  const [pairs] = read.lost;
  t.ok(pairs?.identities.all);
  t.notOk(pairs?.identities.isEmpty());
  t.same([...(pairs?.identities.slots() ?? [])], [0]);
  access.changePolicy('servicePolicy', 0, undefined, everyone);
  t.same([...(pairs?.identities.slots() ?? [])], [0], 'what was read is kept');
  t.throws(() => pairs?.services.slots(), /before the next/);
});

t.test('a change that does nothing says so', async (t) => {
  const access = new UnstoredAccess(10);
  access.changePolicy('servicePolicy', 0, undefined, sales);
  const quiet = [
    () => access.changePolicy('servicePolicy', 0, sales, { ...sales }),
    () => access.changeMember('identity', 0, 'i', undefined, ['other']),
    () => access.changeMember('identity', 0, 'i', ['other'], ['other']),
    () => access.changeMember('identity', 0, 'i', ['other'], ['other', 'eu']),
    () => access.changeMember('identity', 0, 'i', ['other', 'eu'], undefined),
    () => access.changeMember('router', 0, 'r', undefined, ['sales']),
  ];
  for (const change of quiet) {
    const { lost, gained } = change();
    t.same([...lost, ...gained], []);
  }
  const boss = access.changeMember('identity', 0, 'boss', undefined, []);
  t.equal(boss.gained.length, 1);
  t.ok(boss.identities().isEmpty(), 'the policy has no service yet');
});

t.test('remembers at most memosMax classes', async (t) => {
  const access = new UnstoredAccess(4);
  access.changePolicy('servicePolicy', 0, undefined, everyone);
  access.changeMember('service', 0, 's', undefined, []);
  for (let slot = 0; slot < 20; slot++) {
    access.changeMember('identity', slot, `i${slot}`, undefined, [`own${slot}`]);
    t.ok(access.mayDial(slot, 0));
    t.ok(access.memos() <= 4);
  }
});

t.test('large sets: thousands of classes, of policies and of mentions', async (t) => {
  const access = new UnstoredAccess(100);
  const size = 3000;
  const ids = Array.from({ length: size }, (_, slot) => `i${slot}`);
  access.changeMember('service', 0, 's', undefined, ['crm']);
  ids.forEach((id, slot) => {
    const attributes = ['shared', slot % 2 ? 'odd' : 'even', `own${slot}`];
    access.changeMember('identity', slot, id, undefined, attributes);
  });
  const policies = ids.map((_, slot): PolicyRoles => {
    const lists = { identity: ['#shared', `#own${slot}`], service: ['#crm'] };
    return { semantic: slot < 10 ? 'AnyOf' : 'AllOf', type: 'Dial', lists };
  });
  policies.forEach((policy, slot) => {
    access.changePolicy('servicePolicy', slot, undefined, policy);
  });
  t.same(access.policiesOf('identity', 2000, 'servicePolicy').slice(9), [9, 2000]);
  t.equal(access.policiesOf('service', 0, 'servicePolicy').length, size);
  t.equal(access.identitiesOf(0).slots().length, size);
  t.same([...access.membersOf('servicePolicy', 2000, 'identity')], [2000]);
  t.same([...access.select('identity', 'AllOf', ['#odd', '#own7'])], [7]);
  t.equal(access.select('identity', 'AnyOf', ['#odd', '#own8']).length, size / 2 + 1);
  const named = { semantic: 'AnyOf', lists: { identity: ids.map((id) => `@${id}`) } } as const;
  access.changePolicy('edgeRouterPolicy', 0, undefined, named);
  t.equal(access.membersOf('edgeRouterPolicy', 0, 'identity').length, size);
  access.changePolicy('edgeRouterPolicy', 0, named, undefined);
  t.equal(access.counts('identity').mentions, 0);
});

t.test('nothing is left when everything was deleted', async (t) => {
  const access = new UnstoredAccess(10);
  const slots: Record<MemberSpace, number> = {
    identity: 9,
    service: 3,
    router: 2,
    postureCheck: 1,
  };
  for (const space of memberSpaces) {
    access.changeMember(space, slots[space], `${space}`, undefined, ['sales', 'eu', 'crm']);
  }
  const before = { ...sales, lists: { ...sales.lists, postureCheck: ['@postureCheck', '@none'] } };
  access.changePolicy('servicePolicy', 5, undefined, before);
  t.same([...access.membersOf('servicePolicy', 5, 'postureCheck')], [1]);
  for (const space of memberSpaces) {
    access.changeMember(space, slots[space], `${space}`, ['sales', 'eu', 'crm'], undefined);
  }
  t.same(access.counts('postureCheck'), { members: 0, classes: 0, attributes: 0, mentions: 2 });
  t.same(access.attributesOf('identity'), [], 'named by a policy alone is not in use');
  access.changePolicy('servicePolicy', 5, before, undefined);
  for (const space of memberSpaces) {
    t.same(access.counts(space), { members: 0, classes: 0, attributes: 0, mentions: 0 });
  }
});

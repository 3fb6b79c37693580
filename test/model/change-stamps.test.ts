// ChangeStamps against one number per member, through many random changes, 10,000 of them at night.

import t from 'tap';
import { NaiveAccess } from '../access/naive-access.ts';
import { UnstoredAccess } from '../access/unstored-access.ts';
import { isNightly, modelSeeds } from '../campaigns.ts';
import {
  applyToModel,
  type Change,
  inverseOf,
  randomChange,
  randomOf,
  slotsOf,
} from './random-access.ts';

const seeds = modelSeeds({ usual: 2, nightly: 4 });
const changesCount = isNightly ? 2500 : 1000;

for (const seed of seeds) {
  t.test(`seed ${seed}`, async (t) => {
    const random = randomOf(seed);
    const model = new NaiveAccess();
    const access = new UnstoredAccess(1000);
    const naive = new Map<number, number>();
    const serials = new Map<number, number>();
    const wrongSerials: number[] = [];
    let now = 1000;

    const apply = (change: Change) => {
      // Often nothing but the order tells two changes apart.
      now += random(3) === 0 ? 1 : 0;
      const { before, after, slot } = change;
      const fed =
        change.what === 'policy'
          ? access.changePolicy(change.family, slot, change.before, change.after)
          : access.changeMember(
              ...([change.space, slot, change.before?.id ?? change.after?.id ?? ''] as const),
              ...([change.before?.attributes, change.after?.attributes] as const),
            );
      const group = fed.identities();
      const touched = new Set(group.slots());
      for (const each of touched) naive.set(each, now);
      // What an earlier transaction noted before it was undone.
      if (random(3) === 0) {
        access.changeStamps.note(group);
        access.changeStamps.drop();
      }
      access.changeStamps.note(group);
      access.changeStamps.commit(now);
      applyToModel(model, change);
      if (change.what === 'member' && change.space === 'identity' && !(before && after)) {
        serials.delete(slot);
      }
      for (const each of model.members.identity.keys()) {
        const serial = access.changeStamps.serialOf(each);
        const last = serials.get(each);
        const isKept = serial === last;
        if (last !== undefined && isKept === touched.has(each)) wrongSerials.push(each);
        serials.set(each, serial);
      }
      return change.what === 'member' && change.space === 'identity' && before && !after;
    };

    for (let step = 0; step < changesCount; step++) {
      const change = randomChange(model, random);
      const isGone = apply(change);
      // Half of the removals are taken back, as a failing transaction does.
      if (isGone && random(2) === 0) apply(inverseOf(change));
      else if (isGone) {
        naive.delete(change.slot);
        access.changeStamps.forget(change.slot);
      }
      const differing = [...model.members.identity.keys()].filter(
        (slot) => access.changeStamps.at(slot) !== naive.get(slot),
      );
      if (wrongSerials.length > 0) {
        t.fail(`after step ${step}: ${JSON.stringify(change)}: serials of ${wrongSerials}`);
        return;
      }
      if (differing.length > 0) {
        t.fail(`after step ${step}: ${JSON.stringify(change)}: slots ${differing}`);
        return;
      }
    }
    t.equal(access.changeStamps.at(slotsOf.identity), undefined, 'a slot nobody ever had');
  });
}

t.test('a member that leaves a class which was noted is stamped', async (t) => {
  const access = new UnstoredAccess(10);
  const roles = { identity: ['#x'], service: ['#all'], postureCheck: [] };
  access.changeMember('identity', 0, 'a', undefined, ['x']);
  access.changeMember('identity', 1, 'b', undefined, ['x']);
  access.changeMember('identity', 2, 'c', undefined, ['y']);
  access.changeMember('service', 0, 's', undefined, []);
  const policy = { semantic: 'AnyOf', type: 'Dial', lists: roles } as const;
  const { changeStamps } = access;
  changeStamps.note(access.changePolicy('servicePolicy', 0, undefined, policy).identities());
  access.changeMember('identity', 1, 'b', ['x'], ['y']);
  t.equal(changeStamps.at(0), undefined, 'the transaction is open');
  changeStamps.commit(500);
  t.same(
    [0, 1, 2].map((slot) => changeStamps.at(slot)),
    [500, 500, undefined],
  );
  changeStamps.commit(600);
  t.equal(changeStamps.at(0), 500, 'nothing was noted since');
});

t.test('a clock that goes back moves nothing back', async (t) => {
  const access = new UnstoredAccess(10);
  access.changeMember('identity', 0, 'a', undefined, ['x']);
  access.changeMember('identity', 70, 'b', undefined, ['x']);
  access.changeStamps.stampMember(0, 500);
  access.changeStamps.stampMember(0, 400);
  access.changeStamps.stampMember(70, 300);
  t.equal(access.changeStamps.at(0), 500);
  t.equal(access.changeStamps.at(70), 500);
});

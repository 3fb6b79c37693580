// Lookups stop where their reader stops, and charge the budget before each step.

import t from 'tap';
import type { PolicyRoles } from '../../src/declare/kinds/access-vocabulary.ts';
import type { Budget } from '../../src/filter/scope.ts';
import { UnstoredAccess } from './unstored-access.ts';

const policy = (identityRole: string, serviceRole: string): PolicyRoles => ({
  semantic: 'AnyOf',
  type: 'Dial',
  lists: { identity: [identityRole], service: [serviceRole] },
});

/** 100 policies that let 1000 identities of as many classes dial 500 services. */
function network() {
  const access = new UnstoredAccess(10_000);
  for (let slot = 0; slot < 1000; slot++) {
    access.changeMember('identity', slot, `i${slot}`, undefined, ['staff', `own${slot}`]);
  }
  for (let slot = 0; slot < 500; slot++) {
    access.changeMember('service', slot, `s${slot}`, undefined, ['paper']);
  }
  for (let slot = 0; slot < 100; slot++) {
    access.changePolicy('servicePolicy', slot, undefined, policy('#staff', '#paper'));
  }
  return access;
}

class Meter implements Budget {
  spent = 0;

  spend(steps: number): void {
    this.spent += steps;
  }
}

t.test('a result that is not read costs nothing', async (t) => {
  const { lookups } = network();
  const meter = new Meter();
  const services = lookups.membersOf(
    ...(['servicePolicy', lookups.policiesOf('identity', 7, 'servicePolicy', meter)] as const),
    ...(['service', meter] as const),
  );
  t.equal(meter.spent, 0);
  const [first] = services;
  t.equal(typeof first, 'number');
  // To know them, the hundred policies of the identity's class are looked at once, two steps each.
  t.ok(meter.spent > 200 && meter.spent < 220, `${meter.spent}`);
});

t.test('the policies of a class are computed, and charged, once', async (t) => {
  const { lookups } = network();
  const spent = (identity: number): number => {
    const meter = new Meter();
    t.equal(lookups.countPolicies('identity', identity, 'servicePolicy', meter), 100);
    return meter.spent;
  };
  t.equal(spent(7), 200);
  t.equal(spent(7), 0);
  t.equal(spent(8), 200);
});

t.test('a whole lookup is charged for each policy, class and member', async (t) => {
  const { lookups } = network();
  const meter = new Meter();
  const policies = lookups.policiesOf('service', 3, 'servicePolicy', meter);
  t.equal([...lookups.membersOf('servicePolicy', policies, 'identity', meter)].length, 1000);
  t.ok(meter.spent >= 100 + 100 * 1000 + 1000, `${meter.spent}: all policies list all classes`);
});

t.test('a budget that is used up ends a lookup', async (t) => {
  const { lookups } = network();
  let left = 10;
  const budget: Budget = {
    spend(steps) {
      left -= steps;
      if (left < 0) throw new RangeError('used up');
    },
  };
  const found: number[] = [];
  const all = lookups.membersOf('servicePolicy', [0], 'service', budget);
  t.throws(() => {
    for (const slot of all) found.push(slot);
  }, RangeError);
  t.ok(found.length > 0 && found.length < 10, `${found.length} before`);
});

// The last change of each member against a list of all changes.

import t from 'tap';
import { LastChanges } from '../../src/containers/last-changes.ts';
import * as fc from '../properties.ts';

interface Member {
  readonly name: number;
  changedAt: number;
  isRemoved: boolean;
}

const member = (name: number, changedAt = 0): Member => ({ name, changedAt, isRemoved: false });

t.test('nothing has changed', async (t) => {
  const changes = new LastChanges<Member>(1);
  t.equal(changes.last, 0);
  t.equal(changes.forgottenAt, 0);
  t.strictSame(changes.after(0), []);
});

t.test('a page of what is new, then the rest', async (t) => {
  const changes = new LastChanges<Member>(1);
  const members = [1, 2, 3].map((name) => member(name, name));
  for (const one of members) changes.note(one);
  t.strictSame(changes.after(0, 2), members.slice(0, 2));
  t.strictSame(changes.after(2, 2), members.slice(2));
  t.strictSame(changes.after(3), []);
});

t.test('whatever changes: each member once, in the order of its last change', async () => {
  const steps = fc.array(fc.record({ name: fc.nat({ max: 9 }), isRemoved: fc.boolean() }), {
    maxLength: 100,
  });
  fc.assert(
    fc.property(steps, fc.nat({ max: 100 }), (all, upTo) => {
      const changes = new LastChanges<Member>(1000);
      const present = new Map<number, Member>();
      let told: Member[] = [];
      for (const [at, { name, isRemoved }] of all.entries()) {
        const one = present.get(name) ?? member(name);
        one.changedAt = at + 1;
        one.isRemoved = isRemoved;
        changes.note(one);
        told = [...told.filter((other) => other !== one), one];
        if (isRemoved) present.delete(name);
        else present.set(name, one);
      }
      const wanted = told.filter(({ changedAt }) => changedAt > upTo);
      const found = changes.after(upTo);
      return (
        changes.last === all.length &&
        found.length === wanted.length &&
        found.every((one, n) => one === wanted[n]) &&
        told.every((one) => changes.has(one) === !one.isRemoved)
      );
    }),
  );
});

t.test('many changes take no more room, and old removals are forgotten', async (t) => {
  const changes = new LastChanges<Member>(2);
  const busy = member(0);
  const gone = Array.from({ length: 5 }, (_, n) => member(n + 1));
  let at = 0;
  const note = (one: Member) => {
    one.changedAt = ++at;
    changes.note(one);
  };
  for (const one of gone) {
    note(one);
    one.isRemoved = true;
    note(one);
  }
  t.equal(changes.after(0).length, 5);
  for (let n = 0; n < 2000; n += 1) note(busy);
  t.strictSame(
    changes.after(0).map(({ name }) => name),
    [4, 5, 0],
  );
  t.equal(changes.forgottenAt, 6, 'the removal of the third');
});

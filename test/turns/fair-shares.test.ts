// Fair shares of addresses, compared with a naive model.

import assert from 'node:assert/strict';
import t from 'tap';
import { FairShares } from '../../src/turns/fair-shares.ts';
import * as fc from '../properties.ts';

t.test('addresses take turns, whatever their numbers of entries', async (t) => {
  const shares = new FairShares<string>();
  for (const entry of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) shares.add(entry.slice(0, 1), entry);
  const taken: (string | undefined)[] = [];
  for (let turn = 0; turn < 4; turn += 1) taken.push(shares.next());
  shares.add('b', 'b2');
  while (shares.size > 0) taken.push(shares.next());
  t.same(taken, ['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'b2']);
  t.equal(shares.next(), undefined);
});

t.test('the oldest entry of the address with the most', async (t) => {
  const shares = new FairShares<string>();
  t.equal(shares.oldestOfMost(), undefined);
  for (const entry of ['a1', 'b1', 'b2', 'a2']) shares.add(entry.slice(0, 1), entry);
  t.equal(shares.oldestOfMost(), 'b1', 'of two with as many, the one that had as many first');
  shares.delete('b', 'b1');
  shares.delete('b', 'b1');
  t.equal(shares.oldestOfMost(), 'a1');
  t.equal(shares.size, 3);
});

t.test('entries are listed in the order of their turns', async (t) => {
  const shares = new FairShares<string>();
  t.same([...shares.inTurn()], []);
  for (const entry of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) shares.add(entry.slice(0, 1), entry);
  shares.next();
  const expected = [...shares.inTurn()];
  const taken: (string | undefined)[] = [];
  while (shares.size > 0) taken.push(shares.next());
  t.same(expected, taken);
});

t.test('each address is asked from its oldest entry on', async (t) => {
  const shares = new FairShares<number>();
  for (const entry of [1, 5, 9]) shares.add('a', entry);
  for (const entry of [4, 2]) shares.add('b', entry);
  const found: number[] = [];
  for (const entry of shares.oldestWhile((entry) => entry < 5)) {
    found.push(entry);
    shares.delete(found.length === 1 ? 'a' : 'b', entry);
  }
  t.same(found, [1, 4, 2]);
  t.equal(shares.size, 2);
});

t.test('agrees with a list that is scanned', async () => {
  const steps = fc.array(
    fc.record({ address: fc.constantFrom('a', 'b', 'c', 'd'), what: fc.nat({ max: 3 }) }),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(steps, (steps) => {
      const shares = new FairShares<number>();
      let model: { address: string; entry: number }[] = [];
      for (const [entry, { address, what }] of steps.entries()) {
        const of = (one: string) => model.filter((other) => other.address === one);
        if (what < 2) {
          shares.add(address, entry);
          model.push({ address, entry });
        } else if (what === 2) {
          const oldest = of(address)[0]?.entry ?? -1;
          shares.delete(address, oldest);
          model = model.filter((other) => other.entry !== oldest);
        } else {
          const next = shares.next();
          const owner = model.find((other) => other.entry === next);
          assert.equal(next, owner && of(owner.address)[0]?.entry);
          model = model.filter((other) => other !== owner);
        }
        assert.equal(shares.size, model.length);
        const oldest = model.find((other) => other.entry === shares.oldestOfMost());
        const most = Math.max(0, ...['a', 'b', 'c', 'd'].map((one) => of(one).length));
        assert.equal(oldest === undefined ? 0 : of(oldest.address).length, most);
        if (oldest !== undefined) assert.equal(of(oldest.address)[0], oldest);
      }
    }),
  );
});

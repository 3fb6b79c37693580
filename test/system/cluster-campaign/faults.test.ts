// The order of faults: none is left out, whatever the seed.

import t from 'tap';
import { Dice } from '../dice.ts';
import { faultNames, faultsInTurn } from './faults.ts';

t.test('each fault comes once before any comes again', async (t) => {
  const { length } = faultNames;
  for (const seed of ['1', '2', '3']) {
    const drawn = faultsInTurn(2 * length + 1, new Dice(seed));
    t.equal(drawn.length, 2 * length + 1);
    t.same(drawn.slice(0, length).sort(), [...faultNames].sort());
    t.same(drawn.slice(length, 2 * length).sort(), [...faultNames].sort());
    t.same(drawn, faultsInTurn(2 * length + 1, new Dice(seed)), 'the seed decides');
  }
});

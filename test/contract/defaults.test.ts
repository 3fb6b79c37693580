// What `"...": "defaults"` in a case holds an answer to.

import t from 'tap';
import { defaultsProblem } from './harness/defaults.ts';

const answer = {
  name: 'printer',
  configs: null,
  encryptionRequired: true,
  maxIdleTimeMillis: 0,
  roleAttributes: null,
  terminatorStrategy: 'smartrouting',
};

t.test('all fields but those that the case names have their fallbacks', async (t) => {
  const problem = (expected: object, actual: object) =>
    defaultsProblem('M:/services/{id}', expected, actual);
  const named = { name: 'printer', encryptionRequired: true };
  t.equal(problem(named, answer), undefined);
  const other = { ...answer, maxIdleTimeMillis: 5 };
  t.equal(problem(named, other), 'maxIdleTimeMillis is 5, its default is 0');
  t.equal(problem({ ...named, maxIdleTimeMillis: 5 }, other), undefined);
  t.equal(problem(named, { ...answer, configs: [] }), 'configs is [], its default is null');
  t.equal(problem({ name: 'printer' }, answer), 'encryptionRequired has no default: name it');
  t.throws(() => defaultsProblem('M:/summary', named, answer), RangeError);
});

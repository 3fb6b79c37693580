// Names of identities that come into being by enrolling: from a CA's format, and with a counter.

import t from 'tap';
import { freeName, nameBy } from '../../src/resources/enrollments/identity-name.ts';
import * as fc from '../properties.ts';

const parts = {
  caName: 'acme',
  caId: 'ca-1',
  commonName: 'tablet',
  requestedName: '[caId]',
  identityId: 'id-1',
};

t.test('formats', (t) => {
  const names: readonly (readonly [string, string])[] = [
    ['[caName]-[commonName]', 'acme-tablet'],
    ['[caId][identityId]', 'ca-1id-1'],
    ['[caName][caName]', 'acmeacme'],
    // What stands in a part is no format.
    ['[requestedName]', '[caId]'],
    // Unknown words stay (behaviour/cas#names), also those that every object has.
    ['[CANAME] [toString] [ca name] [', '[CANAME] [toString] [ca name] ['],
    ['', ''],
  ];
  for (const [format, name] of names) t.equal(nameBy(format, parts), name, format);
  t.equal(nameBy('[commonName]', { ...parts, commonName: '$&' }), '$&');
  t.end();
});

t.test('counters', (t) => {
  const next = (...taken: string[]) => freeName('a', (name) => taken.includes(name));
  t.equal(next(), 'a');
  t.equal(next('a'), 'a000001');
  t.equal(next('a', 'a000001'), 'a000002');
  t.equal(next('a', 'a000001', 'a000002'), 'a000003');
  t.equal(next('a', 'a000002'), 'a000001');
  t.end();
});

t.test('counters find a free name in a few steps, and the next one where none is missing', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_200_000 }), (count) => {
      let asked = 0;
      const name = freeName('a', (one) => {
        asked += 1;
        return one === 'a' || Number(one.slice(1)) <= count;
      });
      return name === `a${String(count + 1).padStart(6, '0')}` && asked < 50;
    }),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 })), (numbers) => {
      const taken = new Set(['a', ...numbers.map((one) => `a${String(one).padStart(6, '0')}`)]);
      return !taken.has(freeName('a', (name) => taken.has(name)));
    }),
  );
  t.end();
});

// The report of a migration: everything is counted, and memory has a bound.

import t from 'tap';
import { ReportBook } from '../../../src/migrate/report-book.ts';

const empty = { shown: [], furtherCount: 0 };

t.test('counts, and several changes of one entity as one', (t) => {
  const book = new ReportBook(new Set());
  for (const id of ['a', 'b', 'c']) {
    book.read('identities');
    if (id === 'c') book.leftOut({ bucket: 'identities', id, name: 'c', text: 'Gone.' });
    else book.taken('identities');
  }
  for (const text of ['One.', 'Two.']) book.changed({ bucket: 'identities', id: 'a', text });
  book.changed({ bucket: 'identities', id: 'b', text: 'One.' });
  book.kept({ bucket: 'identities', id: 'b', text: 'Odd.' });
  book.dropped('identities', 'interfaces');
  book.dropped('identities', 'interfaces');
  book.unknown('identities', 'newField');
  book.passed('sessions', 7, 'Not needed.');
  book.unknown('dragons');
  book.stopped(7, true);
  t.same(book.json, {
    stopped: { atMs: 7, areSessionsKept: true },
    buckets: [
      {
        bucket: 'identities',
        read: 3,
        taken: 2,
        leftOut: 1,
        changed: 2,
        leftOutRemarks: { shown: [{ id: 'c', name: 'c', text: 'Gone.' }], furtherCount: 0 },
        changedRemarks: {
          shown: [
            { id: 'a', text: 'One.' },
            { id: 'a', text: 'Two.' },
            { id: 'b', text: 'One.' },
          ],
          furtherCount: 0,
        },
        keptRemarks: { shown: [{ id: 'b', text: 'Odd.' }], furtherCount: 0 },
        damagedRemarks: empty,
        droppedFields: { interfaces: 2 },
        unknownFields: { newField: 1 },
      },
      {
        bucket: 'sessions',
        read: 7,
        taken: 0,
        leftOut: 7,
        changed: 0,
        reason: 'Not needed.',
        leftOutRemarks: empty,
        changedRemarks: empty,
        keptRemarks: empty,
        damagedRemarks: empty,
        droppedFields: {},
        unknownFields: {},
      },
    ],
    unknownBuckets: { shown: ['dragons'], furtherCount: 0 },
    stops: [],
  });
  t.end();
});

t.test('remarks, names and sentences beyond the bounds are counted', (t) => {
  const book = new ReportBook(new Set());
  for (let n = 0; n < 1500; n += 1) {
    book.damaged({ bucket: 'cas', id: String(n), name: 'n'.repeat(5000), text: 't'.repeat(5000) });
    book.unknown('cas', `field ${n}`);
    book.unknown(`bucket ${n}`);
    book.stop({ what: 'duplicate-key', text: 'x'.repeat(5000) });
  }
  book.unknown('cas', 'field 3');
  const { buckets, unknownBuckets, stops } = book.json;
  const [{ damagedRemarks, unknownFields } = { damagedRemarks: empty, unknownFields: {} }] =
    buckets;
  t.equal(book.damagedCount, 1500);
  t.equal(damagedRemarks.shown.length, 1000);
  t.equal(damagedRemarks.furtherCount, 500);
  t.match(damagedRemarks.shown[0], { name: /^n{1000}$/, text: /^t{1000}$/ });
  t.equal(Object.keys(unknownFields).length, 201);
  t.match(unknownFields, { 'field 0': 1, 'field 3': 2, 'all other fields': 1300 });
  t.equal(unknownBuckets.shown.length, 200);
  t.equal(unknownBuckets.furtherCount, 1300);
  t.match(stops, [{ what: 'duplicate-key', furtherCount: 500 }]);
  t.equal(stops[0]?.shown[0]?.length, 1000);
  t.end();
});

t.test('a stop counts unless it was agreed to', (t) => {
  const book = new ReportBook(new Set(['fabric-only']));
  t.equal(book.stop({ what: 'fabric-only', text: 'A.' }), true);
  t.equal(book.isStopped, false);
  t.equal(book.stop({ what: 'administrator', text: 'B.' }), false);
  t.equal(book.isStopped, true);
  t.same(book.json.stops, [
    { what: 'fabric-only', isAgreed: true, shown: ['A.'], furtherCount: 0 },
    { what: 'administrator', isAgreed: false, shown: ['B.'], furtherCount: 0 },
  ]);
  t.end();
});

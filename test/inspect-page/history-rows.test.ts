// The rows of a history: transitions, and the changes beside and between them.

import t from 'tap';
import { changedFields, historyRows } from '../../src/inspect/page/history-rows.ts';
import { change, transition } from './sample-machines.ts';

t.test('a change stands beside the newest transition of its frame, or alone', async (t) => {
  const transitions = [
    transition({ lsn: 9, event: 'second' }),
    transition({ lsn: 9, event: 'first' }),
    transition({ lsn: 4, event: 'build' }),
  ];
  const changes = [change({ lsn: 12 }), change({ lsn: 9 }), change({ lsn: 6 })];
  const rows = historyRows(transitions, changes);
  t.strictSame(
    rows.map(({ lsn, transition: step, change: what }) => [lsn, step?.event, what?.lsn]),
    [
      [12, undefined, 12],
      [9, 'second', 9],
      [9, 'first', undefined],
      [6, undefined, 6],
      [4, 'build', undefined],
    ],
  );
  t.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
});

t.test('only what is worth telling of a change', async (t) => {
  const fields = {
    updatedAt: { before: 'a', after: 'b' },
    state: { before: 'shut', after: 'open' },
    colour: { before: 'red', after: 'blue' },
  };
  t.strictSame(changedFields(change({ fields })), [
    { field: 'colour', before: 'red', after: 'blue' },
  ]);
  t.strictSame(changedFields(change({ change: 'created', fields })), []);
});

// A frame of the log as text for a terminal.

import t from 'tap';
import { readableFrame } from '../../../src/commands/offline/readable-frame.ts';

const head = { lsn: 7, time: '2026-01-01T00:00:00.000Z', operation: 'patchIdentity' };

t.test('a transaction has a line per event, change and field', async (t) => {
  const text = readableFrame(
    JSON.stringify({
      ...head,
      actor: { id: 'a1', name: 'admin' },
      requestId: 'r1',
      events: [{ kind: 'identity', id: 'i1', event: 'disable', from: 'enabled', to: 'disabled' }],
      changes: [
        {
          kind: 'identity',
          id: 'i1',
          change: 'updated',
          fields: { name: { before: 'old', after: 'new' }, disabled: { after: true } },
        },
        { kind: 'config', id: 'c1', change: 'created', fields: { name: { after: 'fresh' } } },
        { kind: 'config', id: 'c2', change: 'deleted', fields: { name: { before: 'gone' } } },
      ],
    }),
  );
  t.equal(
    text,
    [
      '2026-01-01T00:00:00.000Z  LSN 7  patchIdentity  by admin  request r1',
      '    identity i1: disable, enabled → disabled',
      '    identity i1 updated',
      '        name: "old" → "new"',
      '        disabled: … → true',
      '    config c1 created',
      '        name: "fresh"',
      '    config c2 deleted',
      '        name: "gone"',
    ].join('\n'),
  );
});

t.test('a long value is cut', async (t) => {
  const fields = { name: { after: 'x'.repeat(1000) } };
  const changes = [{ kind: 'config', id: 'c1', change: 'created', fields }];
  const text = readableFrame(JSON.stringify({ ...head, actor: { id: 'a' }, changes }));
  t.equal(text.split('\n').at(-1), `        name: "${'x'.repeat(199)}…`);
});

t.test('a mark has one line', async (t) => {
  t.equal(
    readableFrame(JSON.stringify({ ...head, operation: 'term', term: 3 })),
    '2026-01-01T00:00:00.000Z  LSN 7  term 3',
  );
});

t.test('a terminal gets no control characters', async (t) => {
  const name = '\u001b[2Jx\u009b1m\n';
  const changes = [
    { kind: 'config', id: name, change: 'created', fields: { name: { after: name } } },
  ];
  const text = readableFrame(JSON.stringify({ ...head, actor: { id: 'a', name }, changes }));
  t.notMatch(text.replaceAll('\n', ''), /\p{Cc}/u);
  t.equal(text.split('\n').length, 3, 'nor a line of its own making');
});

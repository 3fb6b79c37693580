// The text of members and marks.

import t from 'tap';
import type { Member } from '../../../src/cluster/membership.ts';
import { memberText, readMark, readMember } from '../../../src/cluster/nats/member-entry.ts';
import fc from '../../properties.ts';

const member = {
  id: 'a1',
  version: '1.0.0',
  formats: { frames: 2 },
  advertised: 'localhost:1280',
  internal: 'localhost:6280',
  role: 'leading',
  generation: 1,
  term: 2,
  last: { lsn: 3, crc: 4 },
  keys: { ca: 'aa' },
  settingsHash: 'x',
  atMs: 5,
} as const;
const condition = {
  lagMs: 1,
  clockSkewMs: -2,
  inFlight: 0,
  takeovers: 1,
  trouble: undefined,
  localLog: undefined,
} as const;
const mark = { id: 'a1', generation: 1, term: 2, lsn: 3, crc: 4 };

t.test('what was written is read, and fields of later releases do not harm', (t) => {
  t.same(readMember(JSON.stringify(member)), member);
  t.same(readMark(JSON.stringify(mark)), mark);
  const told = { ...member, control: 'tls:localhost:6262' };
  t.same(readMember(JSON.stringify(told)), told);
  t.match(readMember(JSON.stringify({ ...member, later: 1 })), member);
  t.match(readMember(JSON.stringify({ ...member, condition }))?.condition, condition);
  t.end();
});

// A node whose entry nobody reads would count as gone.
t.test('an entry is read whatever NATS has told its node', (t) => {
  const bound = { of: 'The account at NATS', usedBytes: 1, bytesMax: 9, copies: 3 };
  const bounds = Array.from({ length: 65 }, (_, n) => ({ ...bound, of: `The NATS server n${n}` }));
  const entry = (but: object): Member => {
    const store = { streamBytes: 5, shared: undefined, bounds: [bound], ...but };
    return { ...member, condition: { ...condition, store } };
  };
  const most = entry({ bounds });
  t.same(readMember(memberText(most)), most, 'an account, and all servers that can be configured');
  for (const but of [{ bounds: [{ ...bound, bytesMax: 2 ** 63 }] }, { streamBytes: -1 }]) {
    t.same(readMember(memberText(entry(but))), {
      ...member,
      condition: { ...condition, store: undefined },
    });
  }
  t.same(readMember(memberText(member)), member);
  t.end();
});

t.test('an entry with a wrong field is none', (t) => {
  const changes: readonly (readonly [keyof typeof member, unknown])[] = [
    ['id', '../x'],
    ['id', ''],
    ['role', 'emperor'],
    ['term', -1],
    ['generation', 1.5],
    ['last', { lsn: 1 }],
    ['last', { lsn: 1, crc: 2 ** 32 }],
    ['keys', { ca: 1 }],
    ['formats', []],
    ['advertised', 'x'.repeat(301)],
    ['atMs', '5'],
  ];
  for (const [field, value] of changes) {
    t.equal(readMember(JSON.stringify({ ...member, [field]: value })), undefined, field);
  }
  for (const field of Object.keys(mark)) {
    t.equal(readMark(JSON.stringify({ ...mark, [field]: undefined })), undefined, field);
  }
  t.end();
});

t.test('no text makes reading fail', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      return readMember(text) === undefined && readMark(text) === undefined;
    }),
  );
  t.end();
});

// Groups as messages: nothing that was changed on the way is taken for a group.

import t from 'tap';
import { GroupInvalid, groupMessage, readGroup } from '../../src/cluster/log/group-message.ts';
import type { Group, StreamMessage } from '../../src/cluster/stream.ts';
import fc from '../properties.ts';
import { groupOf, leadership, trust } from './groups.ts';

const group: fc.Arbitrary<Group> = fc
  .record({
    term: fc.integer({ min: 1, max: 2 ** 40 }),
    nonce: fc.stringMatching(/^[0-9a-f]{32}$/),
    lsn: fc.nat({ max: 2 ** 31 - 1 }),
    crc: fc.nat({ max: 2 ** 31 - 1 }),
    kind: fc.constantFrom('frames', 'term', 'heartbeat', 'resign'),
    values: fc.array(fc.string({ maxLength: 40 }), { minLength: 1, maxLength: 5 }),
  })
  .map(({ term, nonce, lsn, crc, kind, values }) =>
    groupOf({ term, nonce }, { lsn, crc }, kind === 'frames' ? values : [], kind),
  );

const sequence = fc.integer({ min: 1, max: 2 ** 40 });

function messageOf(group: Group, sequence: number): StreamMessage {
  const { headers, body } = groupMessage(group, sequence, trust.key);
  return { sequence, serverTimeMs: 0, headers, body: Buffer.from(body) };
}

function isRefused(message: StreamMessage): boolean {
  try {
    readGroup(message, trust);
    return false;
  } catch (error) {
    if (error instanceof GroupInvalid) return true;
    throw error;
  }
}

t.test('a group is read as it was sent, beside headers of others', async (t) => {
  fc.assert(
    fc.property(group, sequence, (sent, sequence) => {
      const message = messageOf(sent, sequence);
      const headers = new Map([...message.headers, ['Nats-Expected-Last-Sequence', '7']]);
      t.matchOnly(readGroup({ ...message, headers }, trust), sent);
    }),
  );
});

t.test('equal groups at equal places have equal messages', async (t) => {
  const sent = groupOf(leadership(3), { lsn: 4, crc: 5 }, ['a']);
  t.same(messageOf(sent, 9), messageOf(sent, 9));
});

t.test('every truncation and every longer body is refused', async () => {
  fc.assert(
    fc.property(group, sequence, (sent, sequence) => {
      const message = messageOf(sent, sequence);
      for (let length = 0; length < message.body.length; length++) {
        if (!isRefused({ ...message, body: message.body.subarray(0, length) })) return false;
      }
      return isRefused({ ...message, body: Buffer.concat([message.body, Buffer.alloc(8)]) });
    }),
    { numRuns: 20 },
  );
});

t.test('every changed byte, header and place is refused', async () => {
  const flip = fc.integer({ min: 1, max: 255 });
  fc.assert(
    fc.property(group, sequence, flip, (sent, sequence, mask) => {
      const message = messageOf(sent, sequence);
      for (let at = 0; at < message.body.length; at++) {
        const body = Buffer.from(message.body);
        body[at] = (body[at] ?? 0) ^ mask;
        if (!isRefused({ ...message, body })) return false;
      }
      for (const [name, value] of message.headers) {
        for (const other of changesOf(value, mask)) {
          const headers = new Map(message.headers);
          if (other === undefined) headers.delete(name);
          else headers.set(name, other);
          if (!isRefused({ ...message, headers })) return false;
        }
      }
      return isRefused({ ...message, sequence: sequence + 1 });
    }),
    { numRuns: 20 },
  );
});

function* changesOf(value: string, mask: number): Iterable<string | undefined> {
  yield undefined;
  yield `${value}0`;
  yield `0${value}`;
  yield ` ${value}`;
  yield value.repeat(1000);
  for (let at = 0; at < value.length; at++) {
    yield value.slice(0, at) + value.slice(at + 1);
    const other = String.fromCharCode(value.charCodeAt(at) ^ mask);
    yield value.slice(0, at) + other + value.slice(at + 1);
  }
}

t.test('any headers and any body throw nothing else', async () => {
  const names = [...messageOf(groupOf(leadership(1), { lsn: 0, crc: 0 }, ['a']), 1).headers.keys()];
  const values = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{8}$/), fc.bigInt().map(String));
  const headers = fc.dictionary(fc.constantFrom(...names), values);
  fc.assert(
    fc.property(headers, fc.uint8Array({ maxLength: 200 }), (headers, body) =>
      isRefused({
        sequence: 1,
        serverTimeMs: 0,
        headers: new Map(Object.entries(headers)),
        body: Buffer.from(body),
      }),
    ),
  );
});

t.test('a group that contradicts itself is refused, whoever has signed it', async (t) => {
  const point = { lsn: 4, crc: 5 };
  const by = leadership(3);
  const good = groupOf(by, point, ['a', 'b']);
  const term = groupOf(by, point, [], 'term');
  const wrong: Record<string, Group> = {
    'another generation': { ...good, generation: 2 },
    'the last LSN': { ...good, last: { ...good.last, lsn: 7 } },
    'the last checksum': { ...good, last: { ...good.last, crc: 1 } },
    'the first LSN': { ...good, after: { ...point, lsn: 3 } },
    'the checksum before': { ...good, after: { ...point, crc: 6 } },
    'no frames': { ...good, frames: Buffer.alloc(0), last: point },
    'frames in a heartbeat': { ...good, kind: 'heartbeat' },
    'frames in a term': { ...good, kind: 'term' },
    'a term among frames': { ...term, kind: 'frames' },
    'the frame of another term': { ...term, term: 4 },
    'the frame of another process': { ...term, nonce: 'b'.repeat(32) },
    'a frame of another data set': { ...good, frames: Buffer.alloc(good.frames.length, 32) },
  };
  t.notOk(isRefused(messageOf(good, 1)));
  t.notOk(isRefused(messageOf(term, 1)));
  for (const [name, group] of Object.entries(wrong)) t.ok(isRefused(messageOf(group, 1)), name);
});

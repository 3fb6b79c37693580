// The term that a home has after a shared snapshot was put in its place.

import t from 'tap';
import { groupMessage } from '../../src/cluster/log/group-message.ts';
import { termOfSnapshot } from '../../src/cluster/node/snapshot-term.ts';
import { groupOf, leadership, trust } from './groups.ts';

t.test('it is that of the message with its last frame', async (t) => {
  const begun = groupOf(leadership(1), { lsn: 0, crc: 0 }, [], 'term');
  const second = groupOf(leadership(4, 'b'), begun.last, [], 'term');
  const written = groupOf(leadership(4, 'b'), second.last, ['a', 'b']);
  const messages = [begun, second, written].map((group, index) => {
    return { sequence: index + 1, serverTimeMs: 0, ...groupMessage(group, index + 1, trust.key) };
  });
  const stream = { read: async (sequence: number) => messages[sequence - 1] };
  const termAt = (sequence: number, other = trust) => {
    const snapshot = { name: '', generation: 1, sequence, lsn: 1, crc: 1, bytes: 1 };
    return termOfSnapshot(stream, other, snapshot);
  };
  t.equal(await termAt(0), 0, 'the snapshot with which a stream begins');
  t.equal(await termAt(1), 1);
  t.equal(await termAt(3), 4);
  t.equal(await termAt(9), 0, 'a message that is gone');
  t.equal(await termAt(3, { ...trust, generation: 2 }), 0, 'one that is wrong');
});

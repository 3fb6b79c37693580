// What a node makes of the stream, message by message.

import t from 'tap';
import { GroupChain, logMessageAt } from '../../src/cluster/log/group-chain.ts';
import {
  GroupInvalid,
  groupMessage,
  groupsInFlightMax,
} from '../../src/cluster/log/group-message.ts';
import type { Group, LogPoint, StreamMessage } from '../../src/cluster/stream.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedStream } from '../simulated/stream.ts';
import { groupOf, leadership, trust } from './groups.ts';

const start: LogPoint = { lsn: 0, crc: 0 };
const [old, current] = [leadership(4), leadership(5, 'b')];

/** The log of a term and two commits, then a takeover. */
const begun = groupOf(old, start, [], 'term');
const first = groupOf(old, begun.last, ['a', 'b']);
const second = groupOf(old, first.last, ['c', 'd', 'e']);
const beat = groupOf(old, second.last, [], 'heartbeat');
const taken = groupOf(current, second.last, [], 'term');
const third = groupOf(current, taken.last, ['f']);

function message(group: Group, sequence: number): StreamMessage {
  const { headers, body } = groupMessage(group, sequence, trust.key);
  return { sequence, serverTimeMs: 0, headers, body };
}

/** Reads groups as messages from `from` on; what was new, by LSN, or why one was refused. */
function read(groups: readonly Group[], after = start, from = 1): string[] {
  const chain = new GroupChain(trust, after);
  return groups.map((group, index) => {
    const { lsn } = chain.last;
    try {
      const found = chain.next(message(group, from + index));
      if (found === undefined) return 'passed over';
      return found.frames.length === 0 ? 'nothing new' : `${lsn + 1}-${chain.last.lsn}`;
    } catch (error) {
      if (error instanceof GroupInvalid) return error.message.replace(/^.* wrong: /, '');
      throw error;
    }
  });
}

t.test('a log with a takeover', async (t) => {
  const log = [begun, first, second, beat, taken, third];
  t.same(read(log), ['1-1', '2-3', '4-6', 'nothing new', '7-7', '8-8']);
});

t.test('a node that has the beginning gets the rest, from within a group, too', async (t) => {
  const log = [begun, first, second];
  t.same(read(log, begun.last), ['nothing new', '2-3', '4-6']);
  const within = groupOf(old, first.last, ['c']).last;
  t.same(read(log, within), ['nothing new', 'nothing new', '5-6']);
  t.same(read(log, second.last), ['nothing new', 'nothing new', 'nothing new']);
});

t.test('messages of a leader that was fenced are passed over', async (t) => {
  const lost = groupOf(old, second.last, ['lost']);
  const behind = groupOf(old, lost.last, ['behind']);
  const resigned = groupOf(old, behind.last, [], 'resign');
  t.same(read([second, taken, behind, resigned, third], first.last), [
    '4-6',
    '7-7',
    'passed over',
    'passed over',
    '8-8',
  ]);
});

const forked = groupOf(old, first.last, ['x', 'y', 'z']);
const twin = leadership(5, 'c');
const wrong: Record<string, [LogPoint, readonly Group[], RegExp]> = {
  'a missing group': [start, [begun, second], /follows LSN 3 .* comes after LSN 1/],
  'a gap at the beginning': [begun.last, [second], /follows LSN 3 .* ends with LSN 1/],
  'a repeated group': [start, [begun, first, first], /follows LSN 1 .* comes after LSN 3/],
  'another log within a group': [forked.last, [begun, first, second], /it has LSN 6 .* node has/],
  'another log at its end': [forked.last, [taken], /it has LSN 6 .* this node has LSN 6/],
  'a term without its frame': [start, [begun, groupOf(current, begun.last, ['q'])], /without/],
  'a term that begins twice': [start, [begun, groupOf(old, begun.last, [], 'term')], /twice/],
  'two leaders of a term': [
    second.last,
    [taken, groupOf(twin, taken.last, ['q'])],
    /two processes/,
  ],
};

for (const [name, [after, groups, reason]] of Object.entries(wrong)) {
  t.test(`${name} is refused`, async (t) => {
    t.match(read(groups, after).at(-1), reason);
  });
}

t.test('a message that is missing is noticed, even if it had no frames', async (t) => {
  const chain = new GroupChain(trust, first.last);
  chain.next(message(second, 3));
  t.throws(() => chain.next(message(taken, 5)), /where message 4 is expected/);
  t.match(chain, { last: second.last, leadership: old, sequence: 3 });
});

t.test('a search finds the last message of the log, however many were passed over', async (t) => {
  const stream = new SimulatedStream({ clock: new SimulatedClock() });
  const lost = groupOf(old, second.last, ['lost']);
  const behind = groupOf(old, lost.last, [], 'heartbeat');
  const late = Array.from({ length: groupsInFlightMax - 1 }, () => behind);
  const log = [begun, first, second, taken, ...late, third];
  log.forEach((group, index) => {
    stream.take(groupMessage(group, index + 1, trust.key));
  });
  const node = stream.connect();
  const at = async (sequence: number) => {
    const found = logMessageAt(node, trust, sequence);
    await stream.clock.elapse(100);
    return (await found)?.message.sequence;
  };
  t.equal(await at(3), 3);
  for (let sequence = 4; sequence < log.length; sequence++) t.equal(await at(sequence), 4);
  t.equal(await at(log.length), log.length);
  stream.purge(3);
  t.equal(await at(2), undefined);
  t.equal(await at(5), 4);
});

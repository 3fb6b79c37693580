// The journal of a node that follows: it moves with the leader's frames, and appends once it leads.

import t from 'tap';
import { openHome } from '../../snapshots/home/open.ts';
import type { FollowingJournal } from '../../snapshots/journal.ts';
import type { WriterEvents } from '../../snapshots/log/log-writer.ts';
import { smallBounds } from '../crash/life.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

const content = {
  timeMs: 5,
  actor: 'a',
  requestId: 'r',
  operation: 'o',
  causeLsn: 0,
  events: [],
  changes: [],
};

async function opened() {
  const appended: number[] = [];
  const told: WriterEvents[] = [];
  const opened: { journal: FollowingJournal } = await openHome({
    home: '/home',
    disk: new SimulatedDisk(1),
    clock: new SimulatedClock(),
    level: 'disk',
    writer: 'inline',
    newDataSetId: '0123456789abcdef'.repeat(2),
    ...smallBounds,
    load: () => undefined,
    follows: true,
    openWriter: (start, events) => {
      if (start.position.lsn !== 0) throw new Error('not at its beginning');
      told.push(events);
      return {
        append: (kind) => appended.push(kind) > 0,
        wake: () => undefined,
        sync: async () => undefined,
        stop: async () => undefined,
      };
    },
  });
  const [events] = told;
  if (events === undefined) throw new Error('no writer was made');
  return { ...opened, appended, events };
}

t.test('frames of the leader are durable when they are applied', async (t) => {
  const { journal } = await opened();
  const heard: number[] = [];
  journal.onDurable((lsn) => heard.push(lsn));
  journal.followed({ lsn: 3, timeMs: 20, bytes: 100 });
  journal.followed({ lsn: 4, timeMs: 10, bytes: 50 });
  t.same([journal.lastLsn, journal.durableLsn, journal.lastTimeMs], [4, 4, 20]);
  t.same(heard, [3, 4]);
  t.same(journal.figures, { framesWritten: 4, bytesWritten: 150, groupsWritten: 0 });
  await journal.flush();
  t.throws(() => journal.append(content), { name: 'JournalStalled' });
});

t.test('once it leads, frames are durable as the writer says', async (t) => {
  const { journal, appended, events } = await opened();
  journal.followed({ lsn: 4, timeMs: 20, bytes: 150 });
  journal.lead();
  t.equal(journal.append(content), 5);
  t.equal(journal.durableLsn, 4);
  events.progress({ lsn: 5, bytes: 64, groups: 1 });
  t.equal(journal.durableLsn, 5);
  t.equal(journal.lastTimeMs, 20, 'time does not go back');
  t.same(journal.figures, { framesWritten: 5, bytesWritten: 214, groupsWritten: 1 });
  t.throws(() => journal.followed({ lsn: 6, timeMs: 1, bytes: 1 }), /does not follow/);
  await journal.close();
  t.same(appended, [1], 'it writes no seal');
});

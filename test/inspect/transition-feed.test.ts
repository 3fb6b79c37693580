// The feed of transitions: only what is durable, only while it is on, never more than its ring.

import t from 'tap';
import Type from 'typebox';
import { field, name } from '../../src/declare/kinds/field.ts';
import { defineKind, type Kind } from '../../src/declare/kinds/kind.ts';
import { TransitionFeed } from '../../src/inspect/server/stream/transition-feed.ts';
import { identityKind } from '../../src/records/identity.ts';
import { Store } from '../../src/store/store.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { MemoryJournal } from '../store/journal-in-memory.ts';

const identity = defineKind({
  kind: 'identity',
  version: 1,
  fields: { name: name(), level: field(Type.Integer(), { fallback: 0 }) },
  many: [],
}) as unknown as Kind;

function scene(transitionsMax = 10) {
  const clock = new SimulatedClock();
  const journal = new MemoryJournal();
  const store = new Store({
    clock,
    tables: [identity.table],
    freeze: true,
    cascadeRowsMax: 3,
    fatal: endProcess,
  });
  store.attach(journal);
  let watched = 0;
  const feed = new TransitionFeed(store, transitionsMax, () => {
    watched += 1;
  });
  const cause = { actor: 'ada', requestId: 'r', operation: 'op', causeLsn: 3 };
  /** A commit with so many events. */
  const commit = (events: number) =>
    store.transact(cause, (tx) => {
      for (let n = 0; n < events; n++) tx.logEvent(['kind', `i${n}`, 'step', 'a', 'b']);
      tx.put(store.table(identityKind), {
        id: 'ada',
        createdAt: 1,
        updatedAt: tx.now,
        tags: {},
        name: 'Ada',
        level: events,
      } as never);
    });
  return { clock, journal, store, feed, commit, watched: () => watched };
}

t.test('nothing is followed before the start and after the stop', (t) => {
  const { feed, commit, watched, journal } = scene();
  commit(1);
  t.equal(watched(), 0);
  feed.start();
  t.equal(feed.reportedLsn, 1);
  feed.start();
  commit(1);
  t.equal(watched(), 1);
  feed.stop();
  commit(1);
  t.equal(watched(), 1);
  feed.start();
  journal.sync();
  t.match(feed.flush(), { lsn: 3, length: 0, lost: 0 });
  t.end();
});

t.test('frames are told once they are durable, oldest first, with who and what', (t) => {
  const { feed, commit, journal, clock } = scene();
  feed.start();
  commit(2);
  commit(0);
  commit(1);
  t.match(feed.flush(), { lsn: 0, length: 0 }, 'nothing is durable');
  journal.sync(2);
  const first = feed.flush();
  t.match(first, { lsn: 2, length: 2, lost: 0 });
  t.same(first.at(1), {
    lsn: 1,
    timeMs: clock.now(),
    kind: 'kind',
    id: 'i1',
    event: 'step',
    from: 'a',
    to: 'b',
    actor: 'ada',
    operation: 'op',
    requestId: 'r',
    causeLsn: 3,
    actorName: '',
  });
  t.throws(() => first.at(2), RangeError);
  journal.sync();
  const second = feed.flush();
  t.match(second, { lsn: 3, length: 1 });
  t.match(second.at(0), { lsn: 3, actorName: 'Ada' }, 'its name is durable by now');
  t.match(feed.flush(), { lsn: 3, length: 0 });
  t.end();
});

t.test(
  'inspectorRingTransitionsMax: what finds no room is counted when its frame is durable',
  (t) => {
    const { feed, commit, journal } = scene(3);
    feed.start();
    commit(2);
    commit(2);
    commit(1);
    commit(5);
    journal.sync(1);
    t.match(feed.flush(), { lsn: 1, length: 2, lost: 0 });
    journal.sync();
    t.match(feed.flush(), { lsn: 4, length: 1, lost: 7 });
    for (let n = 0; n < 3000; n++) commit(4);
    journal.sync(1004);
    const early = feed.flush();
    journal.sync();
    t.equal(
      early.lost + feed.flush().lost,
      12_000,
      'a stalled log keeps few entries, exact counts',
    );
    t.end();
  },
);

// The data of the stream that the page keeps, and the messages that it sends.

import t from 'tap';
import type { Figures, StreamMessage, TransitionPage } from '../../src/inspect/messages.ts';
import type { Ask } from '../../src/inspect/page/api.ts';
import {
  answeredAfter,
  backOffMs,
  initialOrder,
  orderOf,
  requestsBetween,
} from '../../src/inspect/page/stream-protocol.ts';
import {
  createStreamStore,
  mergedHistory,
  recentReach,
  type StreamStore,
  withLive,
  withRecent,
} from '../../src/inspect/page/stream-store.ts';
import { change, transition } from './sample-machines.ts';

const transitionsKeptMax = 500;

const figures: Figures = {
  timeMs: 0,
  requestsASecond: 1,
  framesASecond: 1,
  framesAGroup: 1,
  logBytesASecond: 1,
  lastLsn: 2,
  durableLsn: 1,
  heapBytes: 1,
  residentBytes: 1,
  longestPauseMs: 1,
  requestsInFlight: 0,
  connections: 1,
  inspectors: 1,
};

const initialStream = createStreamStore().getSnapshot().context;

function after(messages: readonly StreamMessage[]) {
  const store = createStreamStore();
  for (const message of messages) store.send({ type: 'told', message, nowMs: 1_000 });
  return store.getSnapshot().context;
}

function told(lsns: readonly number[], dropped = 0): StreamMessage {
  const transitions = lsns.map((lsn) => transition({ lsn }));
  return { type: 'transitions', transitions, dropped, lsn: lsns.at(-1) ?? 0 };
}

t.test('attached: live, and how far the clocks are apart', async (t) => {
  const state = after([{ type: 'attached', lsn: 7, timeMs: 1_250 }]);
  t.match(state, { phase: 'live', attachments: 1, clockAheadMs: 250, lsn: 7 });
});

t.test('transitions: newest first, bounded, dropped ones counted', async (t) => {
  const few = [told([1, 2]), told([3], 4), told([], 2)];
  const state = after(few);
  t.strictSame(
    state.transitions.map(({ lsn }) => lsn),
    [3, 2, 1],
  );
  t.match(state, { toldCount: 3, droppedCount: 6 });
  const many = Array.from({ length: transitionsKeptMax + 20 }, (_, index) => index + 10);
  const full = after([...few, told(many)]);
  t.equal(full.transitions.length, transitionsKeptMax);
  t.equal(full.transitions[0]?.lsn, many.at(-1));
  t.equal(full.toldCount, 3 + many.length);
});

t.test('figures are kept for two minutes', async (t) => {
  const messages = Array.from({ length: 121 + 5 }, (_, index) => ({
    type: 'figures' as const,
    figures: { ...figures, timeMs: index * 1000 },
  }));
  const state = after(messages);
  t.equal(state.figures.length, 121);
  t.equal(state.figures.at(-1)?.timeMs, (121 + 4) * 1000);
});

t.test('processes and refusals', async (t) => {
  const state = after([
    { type: 'processes', processes: [] },
    { type: 'refused', reason: 'no such symbol' },
  ]);
  t.match(state, { processes: [], refusal: 'no such symbol' });
});

t.test('a view begins with nothing, pauses and leaves', async (t) => {
  const store = createStreamStore();
  const state = () => store.getSnapshot().context;
  store.send({ type: 'told', message: told([1], 3), nowMs: 0 });
  store.send({ type: 'pause', isPaused: true });
  store.send({ type: 'watch', filter: 'kind = "door"' });
  t.match(state(), { transitions: [], droppedCount: 0, filter: 'kind = "door"', isPaused: false });
  store.send({ type: 'told', message: told([2]), nowMs: 0 });
  store.send({ type: 'clear' });
  t.match(state(), { transitions: [], toldCount: 0, filter: 'kind = "door"' });
  store.send({ type: 'connection', phase: 'reconnecting' });
  t.equal(state().phase, 'reconnecting');
  store.send({ type: 'leave' });
  t.strictSame(state(), initialStream);
});

t.test('the controller is told what changed, and a filter before anything flows', async (t) => {
  const idle = orderOf(initialStream);
  const watching = orderOf({ ...initialStream, filter: 'id = "a"' });
  const paused = orderOf({ ...initialStream, filter: 'id = "a"', isPaused: true });
  t.strictSame(requestsBetween(initialOrder, idle), [{ type: 'pause' }]);
  t.strictSame(requestsBetween(idle, watching), [
    { type: 'filter', filter: 'id = "a"' },
    { type: 'resume' },
  ]);
  t.strictSame(requestsBetween(watching, paused), [{ type: 'pause' }]);
  t.strictSame(requestsBetween(paused, paused), []);
  const map = orderOf({ ...initialStream, mapService: '' });
  const circuits = orderOf({ ...initialStream, mapService: 'printer' });
  t.strictSame(requestsBetween(idle, map), [{ type: 'map', isWanted: true, serviceId: '' }]);
  t.strictSame(requestsBetween(map, circuits), [
    { type: 'map', isWanted: true, serviceId: 'printer' },
  ]);
  t.strictSame(requestsBetween(circuits, idle), [{ type: 'map', isWanted: false, serviceId: '' }]);
  t.strictSame(requestsBetween(watching, idle), [
    { type: 'pause' },
    { type: 'filter', filter: '' },
  ]);
});

t.test('which filter was answered last', async (t) => {
  t.equal(answeredAfter('a', { type: 'attached', lsn: 1, timeMs: 1 }), '');
  t.equal(answeredAfter('a', { type: 'filtered', filter: 'b' }), 'b');
  t.equal(answeredAfter('a', { type: 'refused', reason: 'no', filter: 'b' }), 'b');
  t.equal(answeredAfter('a', { type: 'refused', reason: 'no JSON' }), 'a');
  t.equal(answeredAfter('a', told([1])), 'a');
  t.equal(
    after([
      { type: 'refused', reason: 'no' },
      { type: 'filtered', filter: '' },
    ]).refusal,
    '',
  );
});

/** The socket that the page opened last, and what it said. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static last: FakeSocket | undefined;
  readonly readyState = FakeSocket.OPEN;
  readonly said: unknown[] = [];

  constructor() {
    super();
    FakeSocket.last = this;
  }

  send(text: string): void {
    this.said.push(JSON.parse(text));
  }

  close(): void {}

  tell(...messages: readonly StreamMessage[]): void {
    for (const message of messages) {
      this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
    }
  }
}

/** Not by a literal: what it needs of the browser has no types among these tests. */
const connectionPath: string = '../../src/inspect/page/stream-connection.ts';
type Connect = (store: StreamStore, ask: Ask) => () => void;

t.test('what is under way for a former filter is not shown as that of the next', async (t) => {
  t.intercept(globalThis, 'WebSocket', { value: FakeSocket });
  const window = { location: { host: 'localhost', protocol: 'http:' } };
  Object.assign(globalThis, { window });
  t.teardown(() => Reflect.deleteProperty(globalThis, 'window'));
  const { connectStream } = (await import(connectionPath)) as { connectStream: Connect };
  const store = createStreamStore();
  const lsns = () => store.getSnapshot().context.transitions.map(({ lsn }) => lsn);
  const ask = async () => ({ data: { ticket: 'one' }, totalCount: 1 });
  const end = connectStream(store, ask as unknown as Ask);
  await Promise.resolve();
  await Promise.resolve();
  const socket = FakeSocket.last;
  if (socket === undefined) throw new Error('no socket');
  store.send({ type: 'watch', filter: '' });
  socket.tell({ type: 'attached', lsn: 0, timeMs: 0 }, told([1]));
  t.same(lsns(), [1]);
  store.send({ type: 'watch', filter: 'a' });
  t.match(socket.said, [{ type: 'filter', filter: 'a' }]);
  socket.tell(told([2], 7));
  t.same(lsns(), [], 'not answered yet');
  t.equal(store.getSnapshot().context.droppedCount, 0);
  socket.tell({ type: 'filtered', filter: 'a' }, told([3]));
  t.same(lsns(), [3]);
  store.send({ type: 'watch', filter: 'b' });
  store.send({ type: 'watch', filter: 'c =' });
  socket.tell({ type: 'filtered', filter: 'b' }, told([4]));
  t.same(lsns(), [], 'only the last one counts');
  socket.tell({ type: 'refused', reason: 'none', filter: 'c =' }, told([5]));
  t.same(lsns(), [5], 'where it is refused, the one before stays');
  end();
});

t.test('tries are further and further apart, within bounds', async (t) => {
  t.strictSame(
    [0, 1, 2, 5, 50].map((attempt) => backOffMs(attempt, 1)),
    [500, 1_000, 2_000, 15_000, 15_000],
  );
  t.equal(backOffMs(2, 0), 1_000);
});

t.test('what the log told and what the stream told are one list', async (t) => {
  const page = [transition({ lsn: 9 }), transition({ lsn: 4 })];
  const live = [11, 10, 9].map((lsn) => transition({ lsn }));
  const others = [transition({ lsn: 12, id: 'd2' }), transition({ lsn: 13, kind: 'window' })];
  const all = withLive(page, 9, [...others, ...live], { kind: 'door', id: 'd1' });
  t.strictSame(
    all.map(({ lsn }) => lsn),
    [11, 10, 9, 4],
  );
  t.equal(withLive(page, 9, others, { kind: 'door', id: 'd1' }), page);
  const known = withLive(page, 10, live, { kind: 'door', id: 'd1' });
  t.equal(known[0]?.lsn, 11, 'a change without a transition is told, too');
});

t.test('the last transitions stand behind what the stream told since, each once', async (t) => {
  const told = [9, 8, 7].map((lsn) => transition({ lsn }));
  const live = [transition({ lsn: 10 }), transition({ lsn: 9 }), transition({ lsn: 8, id: 'd2' })];
  t.strictSame(
    withRecent(live, told).map(({ lsn, id }) => `${lsn} ${id}`),
    ['10 d1', '9 d1', '8 d2', '8 d1', '7 d1'],
  );
});

t.test('how many of the last transitions there are, and what was left out', async (t) => {
  const kept = 'The last 500 that happen meanwhile are kept here.';
  const transitions = [9, 8, 7].map((lsn) => transition({ lsn }));
  t.equal(
    recentReach({ transitions, fromLsn: 4, dropped: 0 }),
    `It begins with the last 3, found from LSN 4 on. ${kept}`,
  );
  t.equal(
    recentReach({ transitions: [], fromLsn: 4, dropped: 2 }),
    `No transition was found from LSN 4 on. The filter could not be tried on 2. ${kept}`,
  );
});

function pageOf(lsns: readonly number[], hasMore: boolean): TransitionPage {
  const changes = lsns.map((lsn) => change({ lsn }));
  const nextBeforeLsn = lsns.at(-1) ?? 0;
  return { transitions: [], changes, oldestLsn: 1, hasMore, nextBeforeLsn };
}

t.test('pages of a history are put together, older and newer ones', async (t) => {
  const lsnsOf = ({ changes }: TransitionPage) => changes.map(({ lsn }) => lsn);
  const first = mergedHistory(undefined, pageOf([9, 7], true));
  const older = mergedHistory(first, pageOf([5, 3], false));
  t.match(older, { hasMore: false, nextBeforeLsn: 3 });
  t.strictSame(lsnsOf(older), [9, 7, 5, 3]);
  const newer = mergedHistory(older, pageOf([11, 9], true));
  t.strictSame(lsnsOf(newer), [11, 9, 7, 5, 3], 'what was known stays');
  t.match(newer, { hasMore: false, nextBeforeLsn: 3 });
});

t.test('a newest page that does not reach what is known takes its place', async (t) => {
  const lsnsOf = ({ changes }: TransitionPage) => changes.map(({ lsn }) => lsn);
  const known = mergedHistory(undefined, pageOf([5, 3], false));
  const after = mergedHistory(known, pageOf([60, 55], true));
  t.match(after, { hasMore: true, nextBeforeLsn: 55 });
  t.strictSame(lsnsOf(after), [60, 55], 'so that older ones can be asked for');
  t.strictSame(lsnsOf(mergedHistory(after, pageOf([5, 3], false))), [60, 55, 5, 3]);
  const reaching = mergedHistory(known, pageOf([7, 5], true));
  t.match(reaching, { hasMore: false, nextBeforeLsn: 3 });
  const empty = mergedHistory(pageOf([], false), pageOf([60], true));
  t.match(empty, { hasMore: true, nextBeforeLsn: 60 });
});

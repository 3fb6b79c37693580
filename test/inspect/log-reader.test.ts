// The reader of the kept log: its pages are the whole log, whatever their size, and an instance's
// history is what the whole log says of it.

import { t } from 'tap';
import type { TransitionPage } from '../../src/inspect/messages.ts';
import { LogReader } from '../../src/inspect/server/log/log-reader.ts';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { DurableFrames } from '../../src/store/durable-frames.ts';
import { flushed, furnishedNetwork, look } from '../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { SimulatedRandom } from '../simulated/random.ts';

interface Line {
  readonly lsn: number;
  readonly events: readonly {
    readonly kind: string;
    readonly id: string;
    readonly event: string;
  }[];
}

async function logOf(network: Network, ...words: string[]): Promise<readonly string[]> {
  await flushed(network);
  return (await look(network.disk, ['log', ...words])).lines;
}

function readerOf(network: Network, bounds: BoundValues = {}): LogReader {
  const { disk, clock, config, core, env } = network;
  return new LogReader({
    home: config.home,
    disk,
    clock,
    writer: 'inline',
    store: env.store,
    durable: new DurableFrames({ journal: core.journal, clock: clock, lateMs: 1000 }),
    bounds,
  });
}

/** A life with some of everything: changes, ends, a restart. */
async function livelyNetwork(seed: number): Promise<Network> {
  const network = await furnishedNetwork({ seed, limits: smallSegments });
  for (let i = 0; i < 8; i++) {
    const id = await network.createUser(`user ${i}`, 'a-password');
    const token = await network.login(`user ${i}`, 'a-password');
    await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 5 });
    if (i % 2 === 0) await network.must('POST', `M:/identities/${id}/enable`, {});
    if (i % 3 === 0) await network.must('DELETE', `M:/identities/${id}`);
    else if (i % 2 === 0) await network.call('DELETE', 'C:/current-api-session', { token });
    await network.advance(60_000);
  }
  await network.restart();
  await network.logInAdmin();
  await flushed(network);
  return network;
}

const smallSegments = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };

for (const seed of [1, 2, 3]) {
  t.test(`pages put together are the log that the command shows, seed ${seed}`, async (t) => {
    const network = await livelyNetwork(seed);
    const random = new SimulatedRandom(`pages ${seed}`);
    const whole = await logOf(network);
    const some = JSON.parse(whole[seed * 7] ?? '') as Line;
    const { kind = 'identity', id = '' } = some.events[0] ?? {};
    for (const asked of [{}, { kind }, { id }, { kind, id }, { kind: 'router', id }]) {
      const reader = readerOf(network, { logReadFramesMax: 1 + (random.bytes(1)[0] ?? 0) });
      const lines: string[] = [];
      let fromLsn = 1;
      while (fromLsn <= whole.length) {
        const bytesMax = 1 + 40 * (random.bytes(1)[0] ?? 0);
        const page = await reader.frames({ ...asked, fromLsn, toLsn: 1e9, bytesMax });
        t.equal(page.oldestLsn, 1);
        if (page.nextLsn <= fromLsn) throw new Error(`no progress behind ${fromLsn}`);
        lines.push(...page.lines);
        fromLsn = page.nextLsn;
      }
      const words = Object.entries(asked).flatMap(([name, value]) => [`--${name}`, value]);
      t.same(lines, await logOf(network, ...words), JSON.stringify(asked));
      await reader.stop();
    }
    await network.stop();
  });

  t.test(`histories are what the whole log says, seed ${seed}`, async (t) => {
    const network = await livelyNetwork(seed);
    const events = (await logOf(network)).flatMap((text) => {
      const { lsn, events = [] } = JSON.parse(text) as Line;
      return events.map(({ kind, id, event }) => ({ kind, id, lsn, event }));
    });
    const reader = readerOf(network, { logReadHistoryFramesMax: 3 });
    const instances = new Set(events.map(({ kind, id }) => `${kind} ${id}`));
    t.ok(instances.size > 25);
    const random = new SimulatedRandom(seed);
    const lastLsn = Math.max(...events.map(({ lsn }) => lsn));
    for (const name of instances) {
      const [kind = '', id = ''] = name.split(' ');
      const wanted = events.filter((one) => one.kind === kind && one.id === id).reverse();
      for (const limit of [1, 2, 50]) {
        t.same(await historyFrom(Number.MAX_SAFE_INTEGER), wanted, `${name} by ${limit}`);
        // Any LSN may be asked for, also that of a frame which does not change the instance.
        const start = 1 + (random.bytes(4).readUInt32LE() % (lastLsn + 2));
        const older = wanted.filter(({ lsn }) => lsn < start);
        t.same(await historyFrom(start), older, `${name} by ${limit} before ${start}`);

        async function historyFrom(from: number) {
          const found: { lsn: number; event: string }[] = [];
          let [beforeLsn, hasMore] = [from, true];
          while (hasMore) {
            const page = await reader.transitionsOf(kind, id, { beforeLsn, limit });
            found.push(...page.transitions);
            hasMore = page.hasMore;
            if (hasMore && page.nextBeforeLsn >= beforeLsn) throw new Error('no progress');
            beforeLsn = page.nextBeforeLsn;
          }
          return found.map(({ lsn, event }) => ({ kind, id, lsn, event }));
        }
      }
    }
    await reader.stop();
    await network.stop();
  });
}

t.test('a transition says who, when and why', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('berta', 'bertas-password');
  await network.must('POST', `M:/identities/${id}/disable`, { durationMinutes: 5 });
  const path = `M:/inspect/machines/identity/instances/${id}/transitions`;
  const answer = await network.call('GET', path);
  t.match(answer, {
    status: 200,
    data: {
      oldestLsn: 1,
      hasMore: false,
      transitions: [
        {
          kind: 'identity',
          id,
          event: 'disable',
          from: 'enabled',
          to: 'disabled',
          actorName: 'admin',
          operation: 'disableIdentity',
          causeLsn: 0,
          timeMs: network.clock.now(),
          requestId: /^\S{10}$/,
        },
        { event: 'create', from: 'none', to: 'enabled' },
      ],
    },
  });
  t.same(
    (await network.call('GET', `${path}?limit=1`)).data,
    {
      ...(answer.data as TransitionPage),
      hasMore: true,
      nextBeforeLsn: (answer.data as TransitionPage).transitions[0]?.lsn,
      transitions: (answer.data as TransitionPage).transitions.slice(0, 1),
      changes: (answer.data as TransitionPage).changes.slice(0, 1),
    },
    'a page says where to go on',
  );
  await network.advance(5 * 60_000);
  t.match(await network.must('GET', path), {
    transitions: [{ event: 'lapse', actor: 'controller', actorName: '' }, {}, {}],
  });
  await network.must('DELETE', `M:/identities/${id}`);
  t.match(await network.must('GET', path), { transitions: [{ to: 'deleted' }, {}, {}, {}] });
  await network.stop();
});

t.test('what is not durable is not there', async (t) => {
  const network = await furnishedNetwork();
  const { journal } = network.core;
  const reader = new LogReader({
    home: network.config.home,
    disk: network.disk,
    clock: network.clock,
    writer: 'inline',
    store: network.env.store,
    durable: new DurableFrames({
      journal: { durableLsn: 5, onDurable: () => undefined },
      clock: network.clock,
      lateMs: 1000,
    }),
  });
  t.ok(journal.durableLsn > 5);
  const page = await reader.frames({ fromLsn: 3, toLsn: 1e9, bytesMax: 1e9 });
  t.equal(page.lines.length, 3);
  t.equal(page.nextLsn, 6);
  t.match(await reader.frames({ fromLsn: 6, toLsn: 1e9, bytesMax: 1e9 }), {
    lines: [],
    nextLsn: 6,
  });
  t.match(await reader.frames({ fromLsn: 60, toLsn: 1e9, bytesMax: 1e9 }), { nextLsn: 60 });
  await reader.stop();
  await network.stop();
});

t.test('a bounded line, which can be left', async (t) => {
  const network = await bootNetwork();
  const reader = readerOf(network, { logReadsWaitingMax: 2 });
  const order = { fromLsn: 1, toLsn: 1e9, bytesMax: 1 };
  const first = reader.frames(order);
  const second = reader.frames({ ...order, fromLsn: 2 });
  const leaving = new AbortController();
  const third = reader.frames({ ...order, fromLsn: 3 }, leaving.signal);
  const refused = reader.frames(order);
  leaving.abort();
  const fourth = reader.frames(order);
  await t.rejects(refused, { code: 'RATE_LIMITED' });
  await t.rejects(third, { name: 'AbortError' });
  const pages = await Promise.all([first, second, fourth]);
  t.same(
    pages.map(({ nextLsn }) => nextLsn),
    [2, 3, 2],
  );
  await t.rejects(reader.frames(order, AbortSignal.abort()), { name: 'AbortError' });
  const running = reader.frames(order);
  const waiting = reader.frames(order);
  t.equal(reader.waiting, 1);
  void reader.stop();
  await running;
  await t.rejects(waiting, /stopped/);
  await t.rejects(reader.frames(order), /stopped/);
  await network.stop();
});

t.test('who leaves while the log is stalled leaves nothing behind', async (t) => {
  const network = await furnishedNetwork();
  const id = await network.createUser('who waits', 'a-password');
  let proceed: (lsn: number) => void = () => undefined;
  const journal = {
    durableLsn: 1,
    onDurable: (listener: (lsn: number) => void) => {
      proceed = listener;
    },
  };
  const { config, disk, clock, env } = network;
  const reader = new LogReader({
    home: config.home,
    disk,
    clock,
    writer: 'inline',
    durable: new DurableFrames({ journal, clock, lateMs: 1000 }),
    store: env.store,
  });
  const order = { beforeLsn: Number.MAX_SAFE_INTEGER, limit: 5 };
  const ask = (signal?: AbortSignal) => reader.transitionsOf('identity', id, order, signal);
  const leaving = new AbortController();
  const left = ask(leaving.signal);
  const staying = ask();
  t.equal(reader.waiting, 2);
  leaving.abort();
  await t.rejects(left, { name: 'AbortError' });
  t.equal(reader.waiting, 1);
  await t.rejects(ask(AbortSignal.abort()), { name: 'AbortError' });
  await flushed(network);
  journal.durableLsn = network.core.journal.durableLsn;
  proceed(journal.durableLsn);
  t.match((await staying).transitions, [{ event: 'create' }]);
  journal.durableLsn = 1;
  const stopped = ask();
  void reader.stop();
  await t.rejects(stopped, /stopped/);
  t.equal(reader.waiting, 0);
  await network.stop();
});

t.test('a request for transitions waits no longer than its time', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('berta', 'bertas-password');
  const { logReader, limits } = network.env;
  const asked: AbortSignal[] = [];
  logReader.transitionsOf = (_kind, _id, _order, signal) =>
    new Promise((_resolve, reject) => {
      if (signal === undefined) throw new Error('no signal');
      asked.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const path = `M:/inspect/machines/identity/instances/${id}/transitions`;
  const answer = network.call('GET', path);
  await network.clock.settle();
  t.equal(asked[0]?.aborted, false);
  network.clock.advance(limits.handlerTimeoutMs);
  t.equal(asked[0]?.aborted, true);
  t.match(await answer, { status: 503 });
  await network.stop();
});

// A whole controller as a node of a cluster, over real sockets: it follows, takes over, and ends
// when it is fenced. The node is a simulated one.

import { once } from 'node:events';
import { get, request } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { readManifest } from '../../snapshots/home/manifest.ts';
import { openHome } from '../../snapshots/home/open.ts';
import { packValue } from '../../snapshots/log/codec.ts';
import type { LogWriterOptions } from '../../snapshots/log/log-writer.ts';
import { NodeFront } from '../../src/assembly/cluster/front-peers.ts';
import type { HomeNode } from '../../src/assembly/cluster/node.ts';
import { createClusterEvents } from '../../src/assembly/cluster/node-events.ts';
import { initHome, startController } from '../../src/assembly/controller.ts';
import type { ClusterNode, NodeEvents, NodeState } from '../../src/cluster/cluster-node.ts';
import type { LeaderAnswers } from '../../src/cluster/node/leader-answers.ts';
import { ClusterWatch } from '../../src/cluster/node/watch.ts';
import { StreamMisconfigured, StreamUnreachable } from '../../src/cluster/stream.ts';
import { createLog, type Log } from '../../src/observe/logs.ts';
import { systemClock, systemRandom } from '../../src/platform/clock-and-random.ts';
import { type Config, loadConfig } from '../../src/settings/config.ts';
import { anotherLook } from '../real-waits.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { endProcess } from '../simulated/fatal.ts';
import { SharedLog, SharedLogWriter } from '../simulated/shared-log.ts';

/** A node without others: it does what a test says. */
class LoneNode implements ClusterNode {
  readonly did: string[] = [];
  events: NodeEvents | undefined;
  log: SharedLog | undefined;
  writer: SharedLogWriter | undefined;
  isLeading = false;
  /** What it tells nodes that follow. */
  answers: LeaderAnswers | undefined;
  state: NodeState = {
    role: 'following',
    generation: 1,
    term: 0,
    last: { lsn: 0, crc: 0 },
    sequence: 0,
    leaderId: undefined,
    lagMs: 0,
    inFlight: 0,
    clockSkewMs: 0,
    takeovers: 0,
    trouble: undefined,
    localLog: undefined,
  };

  readonly openWriter: ClusterNode['openWriter'] = (start, events) => {
    const log = new SharedLog(start.dataSetId, start.position.lsn);
    this.log = log;
    this.writer = new SharedLogWriter(log, systemClock, events);
    return this.writer;
  };

  start(after: LogWriterOptions['position'] | { lsn: number }, events: NodeEvents): void {
    this.did.push(`start after ${after.lsn === this.log?.lastLsn}`);
    this.events = events;
  }

  mayAnswer(): boolean {
    return this.isLeading;
  }

  lead(): void {
    const { log, events } = this;
    if (log === undefined || events === undefined) throw new Error('it was not started');
    const { lastLsn } = log;
    log.appendTerm(Buffer.from(packValue([systemClock.now(), 1, '00'.repeat(16)])));
    const { frames, lastLsn: lsn } = log.after(lastLsn);
    events.apply(frames, { lsn, crc: 0 });
    this.isLeading = true;
    this.state = { ...this.state, role: 'leading', leaderId: 'n1', term: 1 };
    events.lead(1, { lsn, crc: 0 });
  }

  async leave(): Promise<void> {
    this.did.push('leave');
  }

  async resign(): Promise<void> {
    this.did.push('resign');
    // Whoever has resigned does not lead any more.
    this.events?.fenced('it has resigned');
  }

  async stop(): Promise<void> {
    this.did.push('stop');
    this.writer?.end();
  }
}

async function started(home: string, node = new LoneNode()) {
  const config = loadConfig({
    flags: { home, listen: 'localhost:0', adminUser: 'admin' },
    environment: {
      EDGE_ADMIN_PASSWORD: 'admin-password',
      EDGE_METRICS_LISTEN: '127.0.0.1:0',
    },
    directory: '/',
    cores: 2,
    readFile: (path) => {
      throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    },
  });
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { log } = createLog({ level: 'info', clock: systemClock, readable: false, write });
  const ends: unknown[] = [];
  const fatal = (error: unknown): never => {
    ends.push(error);
    throw error;
  };
  const system = { clock: systemClock, random: systemRandom, log, fatal };
  await initHome(config, system);
  const running = await startController(config, system, homeNodeOf(node, config, log));
  return { node, running, lines, ends };
}

/** The rest of a node, as any has it. */
function homeNodeOf(node: LoneNode, { home, pki }: Config, log: Log): HomeNode {
  const clock = systemClock;
  const context = { disk: nodeDisk, random: systemRandom, clock, host: '', settings: pki };
  const front = new NodeFront({
    id: 'n1',
    cluster: { listen: { host: '127.0.0.1', port: 0 }, leaderWaitMs: 1 },
    pki: { ...context, directory: join(home, 'pki') },
    clock,
    log,
  });
  const watch = new ClusterWatch({
    id: 'n1',
    state: () => node.state,
    members: { list: async () => [] },
    clock,
    log,
    clockSkewMs: 500,
    snapshotAgeMs: 3_600_000,
    keyFiles: () => new Map(),
    membersRead: () => undefined,
  });
  return {
    generation: 1,
    thread: node,
    watch,
    front,
    questions: {
      ask: () => false,
      report: () => false,
      lead: () => undefined,
      answerAs: (answers) => {
        node.answers = answers;
      },
    },
    formats: { follow: () => undefined, finalize: async () => undefined },
    advertise: () => undefined,
    openHome,
    share: () => undefined,
    shareFailed: () => undefined,
    onSnapshotWanted: () => undefined,
    async close() {
      watch.stop();
      await front.stop();
    },
  };
}

async function statusOf(url: string, path: string): Promise<number> {
  const request = get(new URL(path, url), { rejectUnauthorized: false, agent: false });
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode;
}

/** Logs the administrator in. @returns the status, or why there was no answer */
async function logIn(url: string): Promise<unknown> {
  const target = new URL('/edge/client/v1/authenticate?method=password', url);
  const headers = { 'content-type': 'application/json' };
  const options = { method: 'POST', headers, rejectUnauthorized: false, agent: false };
  const sent = request(target, options);
  sent.end(JSON.stringify({ username: 'admin', password: 'admin-password' }));
  try {
    const [response] = await once(sent, 'response');
    return response.resume().statusCode;
  } catch (error) {
    return error;
  }
}

async function healthOf(metricsUrl: string | undefined): Promise<unknown> {
  const answer = await fetch(new URL('/health-checks', metricsUrl));
  return ((await answer.json()) as { data: { state: unknown } }).data.state;
}

/** The listeners open in a later turn. */
async function served(url: string, path: string): Promise<number> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await statusOf(url, path);
    } catch (error) {
      if (attempt > 10_000) throw error;
    }
  }
}

function silentLog() {
  return createLog({ level: 'error', clock: systemClock, readable: false, write: () => {} }).log;
}

t.test('a node follows, says so, and serves once it leads', async (t) => {
  const { node, running, ends } = await started(t.testdir());
  t.same(node.did, ['start after true']);
  t.equal(await healthOf(running.metricsUrl), 'recovering', 'nobody leads');
  t.equal(await statusOf(running.url, '/edge/client/v1/version'), 200, 'its own');
  t.equal(await statusOf(running.url, '/health-checks'), 503, 'its own');
  const ofLeader = '/edge/client/v1/current-identity';
  t.equal(await statusOf(running.url, ofLeader), 503, 'nobody leads');
  t.equal(await statusOf(running.url, '/health-checks?of=leader'), 503, 'nobody leads');
  node.lead();
  t.equal(await served(running.url, ofLeader), 401);
  // The listeners are open a little before the takeover is done.
  while ((await healthOf(running.metricsUrl)) !== 'ready') await anotherLook();
  await running.stop();
  t.same(node.did, ['start after true', 'resign', 'stop']);
  t.same(ends, []);
  const home = readManifest(nodeDisk, t.testdirName);
  t.equal(home?.snapshots[0]?.lsn, node.log?.lastLsn, 'the stop is a clean one, with a snapshot');
});

t.test('a node that starts while NATS is away says so in a sentence', async (t) => {
  const openWriter = () => {
    throw new StreamUnreachable('timeout');
  };
  await t.rejects(started(t.testdir(), Object.assign(new LoneNode(), { openWriter })), {
    name: 'StartProblem',
    message: /^The NATS servers cannot be asked: timeout\. Start this node again/,
  });
});

t.test('a node that the NATS servers refuse says that something has to be changed', async (t) => {
  const openWriter = () => {
    throw new StreamMisconfigured('no connection to NATS: Authorization Violation');
  };
  await t.rejects(started(t.testdir(), Object.assign(new LoneNode(), { openWriter })), {
    name: 'StartProblem',
    message:
      'The NATS servers cannot be used: no connection to NATS: Authorization Violation. Change that, then start this node again.',
  });
});

t.test('an answer waits while the node may not answer', async (t) => {
  const { node, running } = await started(t.testdir());
  node.lead();
  while ((await served(running.url, '/health-checks')) !== 200) await anotherLook();
  node.isLeading = false;
  let status: number | undefined;
  const answered = statusOf(running.url, '/edge/client/v1/nothing-here').then((found) => {
    status = found;
  });
  t.equal(await statusOf(running.url, '/health-checks'), 200, 'health does not wait');
  t.equal(status, undefined);
  node.isLeading = true;
  await answered;
  t.equal(status, 404);
  await running.stop();
});

t.test('a node tells how far the log is only while it leads and may answer', async (t) => {
  const { node, running } = await started(t.testdir());
  const told: unknown[] = [];
  const ask = () => node.answers?.written((position) => told.push(position?.lsn));
  ask();
  t.same(told, [undefined], 'it follows');
  t.equal(node.answers?.noteUses([]), undefined);
  node.lead();
  ask();
  t.same(told, [undefined, undefined], 'it takes over');
  while ((await served(running.url, '/health-checks')) !== 200) await anotherLook();
  ask();
  t.equal(told.length, 3);
  t.equal(told[2], node.log?.lastLsn);
  t.same(node.answers?.noteUses([{ id: 'none', atMs: 0 }]), ['none']);
  node.isLeading = false;
  ask();
  t.equal(told.length, 3, 'it has no lease');
  node.isLeading = true;
  while (told.length === 3) await anotherLook();
  t.equal(told[3], node.log?.lastLsn);
  await running.stop();
});

t.test(
  'a node that is behind closes its connections and fails with a reason of its own',
  async (t) => {
    const { node, running } = await started(t.testdir());
    const snapshot = { name: 's', lsn: 9, crc: 0, generation: 1, sequence: 1, bytes: 1 };
    node.events?.behind(snapshot);
    t.match(await running.failed, { name: 'NodeEnded', message: /snapshot of LSN 9/ });
    t.ok(node.did.includes('stop'));
    await running.stop().catch(() => undefined);
  },
);

t.test('a halted leader stops, though nothing more is ever confirmed', async (t) => {
  const { node, running, ends } = await started(t.testdir());
  node.lead();
  while ((await served(running.url, '/health-checks')) !== 200) await anotherLook();
  if (node.log !== undefined) node.log.isSilent = true;
  const login = logIn(running.url);
  while (node.writer?.isPending !== true) await anotherLook();
  node.isLeading = false;
  node.state = { ...node.state, role: 'halted', trouble: 'a fork' };
  node.events?.halted('a fork');
  await running.stop();
  t.match(await login, { name: 'Error' }, 'its connection was closed');
  t.same(node.did, ['start after true', 'stop'], 'it does not resign');
  t.same(ends, []);
  t.notOk(nodeDisk.exists(join(t.testdirName, 'lock')), 'the home is free');
});

t.test('a fenced node ends, even if its connections do not', async (t) => {
  const clock = new SimulatedClock();
  const failed: unknown[] = [];
  const following = { lastLsn: 4, apply: () => undefined };
  const node = Object.assign(new LoneNode(), { stop: () => new Promise<void>(() => undefined) });
  const events = createClusterEvents({
    node,
    following,
    clock,
    log: silentLog(),
    fatal: endProcess,
    lead: () => failed.push('leads'),
    isLeaving: () => false,
    leaderChanged: () => undefined,
    fail: (error) => failed.push(error),
  });
  t.throws(() => events.lead(2, { lsn: 7, crc: 0 }), { name: 'ProcessEnded' });
  events.lead(2, { lsn: 4, crc: 0 });
  events.halted('a fork');
  t.same(failed, ['leads']);
  events.fenced('another leads');
  clock.advance(2000);
  t.match(failed[1], { name: 'NodeEnded', message: /another leads/ });
});

t.test('a frame that does not fit ends the process', async (t) => {
  const { node, running, ends } = await started(t.testdir());
  const gap = Buffer.alloc(64);
  t.throws(() => node.events?.apply(gap, { lsn: 3, crc: 0 }), { name: 'FrameDoesNotFit' });
  t.equal(ends.length, 1);
  await running.stop();
  t.same(node.did, ['start after true', 'stop'], 'a follower does not resign');
});

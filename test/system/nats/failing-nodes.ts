// Checks of whole controllers of which one fails, or is set up wrongly: what an operator sees, and
// that what the table of docs/cluster.md says to do helps.

import { strict as assert } from 'node:assert';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { temporaryDirectory } from '../endings.ts';
import { controller, linesWith, type Program, runToEnd } from '../process.ts';
import { SmallDisk } from '../small-disk.ts';
import type { Check, World } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';
import { look, Writes } from './writes.ts';

/** The node that has a disk and a clock of its own. */
const own = 2;

/** Room for a home with two segments, and for one more. */
const diskMebibytes = 96;

const configuration = { limits: { segmentBytes: 8 * 1024 * 1024 } };

/** What holds while a node is not as it should be. */
export const failingNodeChecks: readonly Check[] = [
  {
    name: 'failures: keys of another home, other settings, a wrong clock, a pause, a lost node',
    body: async (world) => {
      const clock = new WrongClock(temporaryDirectory(world.endings, 'edge-control-clock-'));
      const cluster = await Cluster.open({ ...world, configuration });
      await cluster.begin();
      await cluster.join(1);
      await keysOfAnother(cluster, world);
      await otherSettings(cluster, clock);
      const writes = new Writes();
      await writes.createAtLast(await cluster.admin(0));
      await wrongClock(cluster, clock);
      await pausedMachine(cluster, writes);
      await lostNode(cluster, writes);
    },
  },
  {
    name: 'failures: the disk of a node hangs, and is full',
    body: async (world) => {
      const directory = temporaryDirectory(world.endings, 'edge-control-disk-');
      const disk = await SmallDisk.mountFor(world.endings, directory, 'ext4', diskMebibytes);
      const homeOf = (index: number) => (index === 1 ? join(disk.path, 'home') : undefined);
      const cluster = await Cluster.open({ ...world, configuration, homeOf });
      await cluster.begin();
      await cluster.join(1);
      await cluster.well(2);
      const writes = new Writes();
      await disk.freeze();
      try {
        await writes.createAtLast(await cluster.admin(0));
        await lacksChanges(cluster, writes);
      } finally {
        await disk.thaw();
      }
      await hasAllAgain(cluster, writes);
      disk.fill();
      const api = await cluster.admin(0);
      await until('the log of the home is full', async () => {
        assert.equal((await writes.create(api, 900_000)).status, 201);
        return (await cluster.health(1)).failing.has('cluster-log');
      });
      await lacksChanges(cluster, writes);
      disk.free();
      await hasAllAgain(cluster, writes);
    },
  },
];

async function keysOfAnother(cluster: Cluster, { endings }: World): Promise<void> {
  const stranger = cluster.path('stranger');
  const made = await runToEnd(endings, ['init', '--home', stranger], {
    EDGE_ADMIN_PASSWORD: 'of-another-network',
  });
  assert.equal(made.code, 0, made.stderr);
  const dataSet = readManifest(nodeDisk, cluster.home(0))?.dataSetId ?? '';
  const words = ['join', '--pki', join(stranger, 'pki'), '--data-set', dataSet];
  const { code, stderr } = await cluster.run(own, words, 'node');
  assert.equal(code, 2);
  assert.match(stderr, /has another CA, API key, token key, sealing key than node [0-9a-f]{16}: /);
  assert.ok(!existsSync(cluster.home(own)));
}

async function otherSettings(cluster: Cluster, clock: WrongClock): Promise<void> {
  cluster.settings[own] = { session: { timeoutMinutes: 7 } };
  await cluster.join(own);
  const problem = 'this node has other settings than the leader: session.timeoutMinutes';
  await until('the health of the node names the setting', async () => {
    const { status, failing } = await cluster.health(own);
    return status === 200 && failing.get('cluster-members') === problem;
  });
  const message = 'not all nodes of the cluster are well';
  await until('its log names the setting', () => {
    return linesWith(cluster.process(own), message).some((line) => line['problem'] === problem);
  });
  const { code, problems } = await cluster.status(0);
  assert.equal(code, 1);
  assert.ok(
    problems.includes(
      `${cluster.nodeId(own)} has other settings than ${cluster.nodeId(0)}: session.timeoutMinutes.`,
    ),
  );
  cluster.settings[own] = {};
  assert.equal((await cluster.process(own).stop()).code, 0);
  await cluster.start(own, { program: clock.program });
  await cluster.well();
}

async function wrongClock(cluster: Cluster, clock: WrongClock): Promise<void> {
  clock.set(1200);
  await until('the health of the node tells of its clock', async () => {
    const { status, failing } = await cluster.health(own);
    return (
      status === 200 && /^the clock differs by 1\d{3} ms/.test(failing.get('cluster-clock') ?? '')
    );
  });
  const message = 'the clock differs from that of the NATS servers';
  await until('its log tells of its clock', () => {
    return linesWith(cluster.process(own), message).length > 0;
  });
  await until('status tells of its clock', async () => {
    const { code, problems } = await cluster.status(0);
    const sentence = new RegExp(`^The clock of ${cluster.nodeId(own)} differs by 1\\d{3} ms`);
    return code === 1 && problems.some((text) => sentence.test(text));
  });
  clock.set(6000);
  // Nobody else can lead now.
  cluster.process(1).signal('SIGSTOP');
  await cluster.process(0).kill();
  try {
    await until('the node says why it does not lead', async () => {
      const { status, failing } = await cluster.health(own);
      const why = failing.get('cluster') ?? '';
      return status === 503 && /the clock of this node differs from that of the server/.test(why);
    });
  } finally {
    cluster.process(1).signal('SIGCONT');
  }
  await until('the other node leads', async () => (await cluster.health(1)).role === 'leading');
  clock.set(0);
  await cluster.start(0);
  await cluster.well();
}

async function pausedMachine(cluster: Cluster, writes: Writes): Promise<void> {
  const leader = await cluster.leader();
  const others = [0, 1, 2].filter((index) => index !== leader);
  const api = await cluster.admin(leader);
  cluster.process(leader).signal('SIGSTOP');
  let answered: Promise<number> | undefined;
  try {
    await until('another node leads', async () => {
      const all = await Promise.all(others.map((index) => cluster.health(index)));
      return all.some(({ role }) => role === 'leading');
    });
    await writes.createAtLast(await cluster.admin(others[0] ?? 0));
    answered = look(api);
  } finally {
    cluster.process(leader).signal('SIGCONT');
  }
  assert.notEqual(await answered, 200);
  assert.equal((await cluster.process(leader).ended).code, 3);
  const message = 'the controller ends, to be started again as a follower';
  assert.equal(linesWith(cluster.process(leader), message).length, 1);
  await cluster.start(leader);
  await cluster.well();
  await writes.lookUp(await cluster.admin(leader));
}

async function lostNode(cluster: Cluster, writes: Writes): Promise<void> {
  const leader = await cluster.leader();
  const [lost = 0, other = 0] = [0, 1, 2].filter((index) => index !== leader);
  const id = cluster.nodeId(lost);
  await cluster.process(lost).kill();
  const refused = await cluster.run(other, ['leave', '--node', id], 'node');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /was heard of within the last seconds: stop it first\./);
  await until('status says that it is away', async () => {
    const { code, problems } = await cluster.status(other);
    return code === 1 && problems.some((text) => text.startsWith(`${id} has been silent for `));
  });
  await until('the health of the others tells of it', async () => {
    return (await cluster.health(other)).failing.get('cluster-members') === `nodes are away: ${id}`;
  });
  const left = await cluster.run(other, ['leave', '--node', id], 'node');
  assert.equal(left.code, 0, left.stderr);
  assert.match(left.stdout, new RegExp(`^node ${id} was removed`));
  await cluster.well(2, other);
  await writes.createAtLast(await cluster.admin(other));
  await writes.lookUp(await cluster.admin(leader));
}

/** Node 1 goes on while its own log does not, and says so. */
async function lacksChanges(cluster: Cluster, writes: Writes): Promise<void> {
  await until('the health of the node tells of its disk', async () => {
    const { status, role, failing } = await cluster.health(1);
    assert.deepEqual([status, role], [200, 'following']);
    return /^the log of the home lacks the newest changes/.test(failing.get('cluster-log') ?? '');
  });
  await until('status tells of its disk', async () => {
    const { code, problems } = await cluster.status(0);
    const beginning = `The log in the home of ${cluster.nodeId(1)} lacks the newest changes`;
    return code === 1 && problems.some((text) => text.startsWith(beginning));
  });
  const message =
    'the log of the home lacks the newest changes, which are safe in the stream: check the disk';
  assert.ok(linesWith(cluster.process(1), message).length > 0);
  // Its front serves as before, too.
  await writes.createAtLast(await cluster.admin(1));
}

async function hasAllAgain(cluster: Cluster, writes: Writes): Promise<void> {
  await until('the log of the home has all again', async () => {
    return !(await cluster.health(1)).failing.has('cluster-log');
  });
  await cluster.well(2);
  // What its own log holds is what it starts from.
  await cluster.process(1).kill();
  await cluster.start(1);
  await cluster.well(2);
  await writes.lookUp(await cluster.admin(1));
}

/**
 * A clock of one process that goes wrong by what a file says: its `Date.now`, in all its threads.
 * Nobody can set the clock of the machine for one process, and its other users need it.
 */
class WrongClock {
  /** A controller that has this clock. */
  readonly program: Program;
  readonly #offset: string;

  constructor(directory: string) {
    this.#offset = join(directory, 'offset');
    const module = join(directory, 'clock.mjs');
    this.set(0);
    writeFileSync(module, clockModule(this.#offset));
    const [node, ...words] = controller;
    this.program = [node, '--import', module, ...words];
  }

  /** From now on, it is ahead by so many ms. */
  set(aheadMs: number): void {
    writeFileSync(this.#offset, `${aheadMs}`);
  }
}

/** The cluster thread passes over what its process preloads, so each thread is told. */
function clockModule(offset: string): string {
  return `
import { readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';
const { now } = Date;
let aheadMs = 0;
const read = () => {
  aheadMs = Number(readFileSync(${JSON.stringify(offset)}, 'utf8'));
};
read();
setInterval(read, 100).unref();
Date.now = () => now() + aheadMs;
const { Worker } = threads;
threads.Worker = class extends Worker {
  constructor(url, options) {
    const words = options?.execArgv;
    const execArgv = words && [...words, '--import', import.meta.url];
    super(url, words ? { ...options, execArgv } : options);
  }
};
syncBuiltinESMExports();
`;
}

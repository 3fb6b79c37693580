// Checks of whole controllers of which one fails, or is set up wrongly: what an operator sees, and
// that what the table of docs/cluster.md says to do helps.

import { strict as assert } from 'node:assert';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { temporaryDirectory } from '../endings.ts';
import { cheapHashes, linesWith, runToEnd } from '../process.ts';
import { digestOfHome } from '../record-digest.ts';
import { SmallDisk } from '../small-disk.ts';
import type { Check, World } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';
import { look, Writes } from './writes.ts';
import { WrongClock } from './wrong-clock.ts';

/** The node that has keys and settings of its own. */
const own = 2;

/** Room for a home with two segments, and for one more. */
const diskMebibytes = 96;

const configuration = { limits: { segmentBytes: 8 * 1024 * 1024 } };

/** What holds while a node is not as it should be. */
export const failingNodeChecks: readonly Check[] = [
  {
    name: 'failures: keys of another home, other settings, a pause, a lost node',
    body: async (world) => {
      const cluster = await Cluster.open(world);
      await cluster.begin();
      await cluster.join(1);
      await keysOfAnother(cluster, world);
      await otherSettings(cluster);
      const writes = new Writes();
      await writes.createAtLast(await cluster.admin(0));
      await pausedMachine(cluster, writes);
      await lostNode(cluster, writes);
    },
  },
  {
    name: 'failures: a wrong clock of the leader, and of a node that would lead',
    body: async (world) => {
      const clock = new WrongClock(temporaryDirectory(world.endings, 'edge-control-clock-'));
      const cluster = await Cluster.open(world);
      await cluster.begin();
      await cluster.process(0).stop();
      await cluster.start(0, { program: clock.program });
      for (const index of [1, 2]) await cluster.join(index);
      await cluster.well();
      await leadsWithWrongClock(cluster, clock);
      await cluster.stepDown(0);
      await cluster.start(0, { program: clock.program });
      await cluster.well();
      await isNotElected(cluster, clock);
    },
  },
  {
    name: 'failures: the disk of a node that follows hangs, and is full',
    body: (world) => diskFails(world, 1),
  },
  {
    name: 'failures: the disk of a node that leads hangs, and is full',
    body: (world) => diskFails(world, 0),
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
  const complaint = `^edge-control: ${join(stranger, 'pki')} has another CA, API key, sealing key than node [0-9a-f]{16}: copy the folder pki`;
  assert.match(stderr, new RegExp(complaint));
  assert.ok(!existsSync(cluster.home(own)));
  assert.equal((await cluster.status(0)).members.length, 2);
}

async function otherSettings(cluster: Cluster): Promise<void> {
  // One of each group that decides. Bounds of the machine may differ.
  cluster.settings[own] = {
    argon2: { ...cheapHashes, timeCost: 2 },
    auth: { sessionLifetimeMaxMinutes: 600 },
    enrollment: { identityMinutes: 60 },
    limits: { pageRowsMax: 400, connectionsMax: 10_000 },
    session: { timeoutMinutes: 7 },
    totp: { windowSteps: 2 },
  };
  await cluster.join(own);
  const names = [
    'argon2.timeCost',
    'auth.sessionLifetimeMaxMinutes',
    'enrollment.identityMinutes',
    'limits.pageRowsMax',
    'session.timeoutMinutes',
    'totp.windowSteps',
  ].join(', ');
  const problem = `this node has other settings than the leader: ${names}`;
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
      `${cluster.nodeId(own)} has other settings than ${cluster.nodeId(0)}: ${names}.`,
    ),
    problems.join(' '),
  );
  cluster.settings[own] = {};
  assert.equal((await cluster.process(own).stop()).code, 0);
  await cluster.start(own);
  await cluster.well();
}

/** Node 0 leads, whatever its clock says: only its own deadlines follow that. */
async function leadsWithWrongClock(cluster: Cluster, clock: WrongClock): Promise<void> {
  const { term } = await cluster.health(0);
  const writes = new Writes();
  await writes.createAtLast(await cluster.admin(1));
  for (const aheadMs of [1200, 3_600_000, -3_600_000]) {
    clock.set(aheadMs);
    await tellsOfClock(cluster, aheadMs);
    for (const index of [0, 1]) await writes.createAtLast(await cluster.admin(index));
    const { status, role, term: now } = await cluster.health(0);
    assert.deepEqual([status, role, now], [200, 'leading', term]);
    const removed = await cluster.run(1, ['leave', '--node', cluster.nodeId(0)], 'node');
    assert.match(removed.stderr, /was heard of within the last seconds: stop it first\./);
  }
  clock.set(0);
  await cluster.well();
  await writes.lookUp(await cluster.admin(0));
}

/** Health and log of node 0, and `status`, warn. */
async function tellsOfClock(cluster: Cluster, aheadMs: number): Promise<void> {
  // Between two samples, a processor that is busy adds to it.
  const isNear = (text: string | undefined) =>
    Math.abs(Number(/ differs by (-?\d+) ms/.exec(text ?? '')?.[1]) - aheadMs) < 1000;
  await until('the health of the node tells of its clock', async () => {
    const { status, failing } = await cluster.health(0);
    return status === 200 && isNear(failing.get('cluster-clock'));
  });
  const message = 'the clock differs from that of the NATS servers';
  await until(
    'its log tells of its clock',
    () => linesWith(cluster.process(0), message).length > 0,
  );
  await until('status tells of its clock alone', async () => {
    const { code, problems } = await cluster.status(1);
    const [only, ...others] = problems;
    assert.deepEqual([code, others], [1, []]);
    return only?.startsWith(`The clock of ${cluster.nodeId(0)} `) === true && isNear(only);
  });
}

async function isNotElected(cluster: Cluster, clock: WrongClock): Promise<void> {
  clock.set(6000);
  await tellsOfClock(cluster, 6000);
  const leader = await cluster.leader();
  const other = leader === 1 ? 2 : 1;
  // Nobody else can lead now.
  cluster.process(other).signal('SIGSTOP');
  await cluster.process(leader).kill();
  const reason = /^the clock of this node differs from that of the server by \d+ ms/;
  try {
    await until('the health of the node says why it does not lead', async () => {
      const { status, role, failing } = await cluster.health(0);
      const why = /^no node leads \((.+)\): /.exec(failing.get('cluster') ?? '')?.[1] ?? '';
      return status === 503 && role === 'following' && reason.test(why);
    });
    const message = 'the node of the cluster has trouble';
    await until('its log says why', () =>
      linesWith(cluster.process(0), message).some(({ trouble }) => reason.test(String(trouble))),
    );
  } finally {
    cluster.process(other).signal('SIGCONT');
  }
  await until('the other node leads', async () => {
    return (await cluster.health(other)).role === 'leading';
  });
  clock.set(0);
  await cluster.start(leader);
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
  const before = await cluster.health(leader);
  await cluster.process(lost).kill();
  // A follower that fails is no loss: the leader goes on, and so do the other addresses.
  for (const index of [leader, other]) await writes.createAtLast(await cluster.admin(index));
  const { status, role, term } = await cluster.health(leader);
  assert.deepEqual([status, role, term], [200, 'leading', before.term]);
  const refused = await cluster.run(other, ['leave', '--node', id], 'node');
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /was heard of within the last seconds: stop it first\./);
  await until('status says since when it is silent', async () => {
    const { code, problems } = await cluster.status(other);
    const sentence = new RegExp(`^${id} has been silent for \\d+ s: start it, or remove it`);
    return code === 1 && problems.some((text) => sentence.test(text));
  });
  const problem = `nodes are away: ${id}`;
  const message = 'not all nodes of the cluster are well';
  for (const index of [leader, other]) {
    await until('health and log of the others tell of it', async () => {
      const lines = linesWith(cluster.process(index), message);
      const isTold = lines.some((line) => line['problem'] === problem);
      return isTold && (await cluster.health(index)).failing.get('cluster-members') === problem;
    });
  }
  const left = await cluster.run(other, ['leave', '--node', id], 'node');
  assert.equal(left.code, 0, left.stderr);
  assert.match(left.stdout, new RegExp(`^node ${id} was removed`));
  await cluster.well(2, other);
  await comesBack(cluster, lost);
  await cluster.well(2, other);
  await writes.createAtLast(await cluster.admin(other));
  await writes.lookUp(await cluster.admin(leader));
}

/** A node that was removed is started nevertheless. */
async function comesBack(cluster: Cluster, removed: number): Promise<void> {
  await cluster.start(removed);
  await until('it is halted', async () => (await cluster.health(removed)).role === 'halted');
  const { status, state, failing } = await cluster.health(removed);
  assert.deepEqual([status, state], [503, 'failed']);
  assert.match(
    failing.get('cluster') ?? '',
    /^the node is halted .*\(this node was removed from the cluster: join with a new home/,
  );
  const message = 'the node is halted and serves nothing: see edge-control cluster status';
  await until('its log says why', () => linesWith(cluster.process(removed), message).length > 0);
}

/** Of two nodes, of which node 0 leads. */
async function diskFails(world: World, failing: 0 | 1): Promise<void> {
  const directory = temporaryDirectory(world.endings, 'edge-control-disk-');
  const disk = await SmallDisk.mountFor(world.endings, directory, 'ext4', diskMebibytes);
  const homeOf = (index: number) => (index === failing ? join(disk.path, 'home') : undefined);
  const cluster = await Cluster.running({ ...world, configuration, homeOf }, 2);
  const writes = new Writes();
  await disk.freeze();
  let lackedLsn: number;
  try {
    await writes.createAtLast(await cluster.admin(0));
    lackedLsn = await lacksChanges(cluster, failing, writes);
  } finally {
    await disk.thaw();
  }
  await hasAllAgain(cluster, failing, lackedLsn, writes);
  disk.fill();
  const api = await cluster.admin(0);
  await until('the log of the home is full', async () => {
    assert.equal((await writes.create(api, 900_000)).status, 201);
    return (await cluster.health(failing)).failing.has('cluster-log');
  });
  lackedLsn = await lacksChanges(cluster, failing, writes);
  disk.free();
  await hasAllAgain(cluster, failing, lackedLsn, writes);
}

/**
 * A node goes on while its own log does not, and says so.
 * @returns an LSN that its log lacks
 */
async function lacksChanges(cluster: Cluster, index: number, writes: Writes): Promise<number> {
  const before = await cluster.health(index);
  const goesOn = [200, before.role, before.term];
  await until('the health of the node tells of its disk', async () => {
    const { status, role, term, failing } = await cluster.health(index);
    assert.deepEqual([status, role, term], goesOn);
    return /^the log of the home lacks the newest changes/.test(failing.get('cluster-log') ?? '');
  });
  await until('status tells of its disk', async () => {
    const { code, problems } = await cluster.status(1 - index);
    const beginning = `The log in the home of ${cluster.nodeId(index)} lacks the newest changes`;
    return code === 1 && problems.some((text) => text.startsWith(beginning));
  });
  const message =
    'the log of the home lacks the newest changes, which are safe in the stream: check the disk';
  assert.ok(linesWith(cluster.process(index), message).length > 0);
  // Its front serves as before, too.
  await writes.createAtLast(await cluster.admin(index));
  const { status, role, term, lsn } = await cluster.health(index);
  assert.deepEqual([status, role, term], goesOn);
  return lsn;
}

async function hasAllAgain(
  cluster: Cluster,
  index: number,
  lackedLsn: number,
  writes: Writes,
): Promise<void> {
  await until('the log of the home has all again', async () => {
    return !(await cluster.health(index)).failing.has('cluster-log');
  });
  await cluster.well(2);
  await cluster.process(index).kill();
  const { lsn } = digestOfHome(cluster.home(index));
  assert.ok(lsn >= lackedLsn, `the home ends at LSN ${lsn}, and lacked LSN ${lackedLsn}`);
  await cluster.start(index);
  await cluster.well(2);
  await writes.lookUp(await cluster.admin(index));
}

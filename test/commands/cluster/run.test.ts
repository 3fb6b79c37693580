// The cluster commands as they are typed: on homes on a simulated disk, with servers in memory.

import t from 'tap';
import { withFile } from '../../../snapshots/home/file-access.ts';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { readMembership } from '../../../snapshots/home/membership.ts';
import { openClusterHome } from '../../../src/cluster/node/home-recovery.ts';
import { readArguments } from '../../../src/commands/arguments.ts';
import { DiskHome } from '../../../src/commands/cluster/disk-home.ts';
import { clusterCommandNames } from '../../../src/commands/cluster/flags.ts';
import { runClusterCommand } from '../../../src/commands/cluster/run.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import { StartProblem } from '../../../src/errors/errors.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import {
  systemClock as clock,
  systemRandom as random,
} from '../../../src/platform/clock-and-random.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { memberOf, SimulatedServers } from '../../simulated/cluster-servers.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { openSimulated, smallBounds } from '../../snapshots/home.ts';
import { LookingContext } from '../offline/looking.ts';

const connection = ['--cluster-servers', '127.0.0.1:4222', '--cluster-listen', '127.0.0.1:1290'];

/** Keys of a home, made once for all tests. */
const keys = makeKeys();

async function makeKeys(): Promise<readonly (readonly [name: string, bytes: Buffer])[]> {
  const disk = new SimulatedDisk(1);
  const settings = { keyType: 'ec-p256' } as const;
  await openAuthority({ disk, clock, random, directory: '/pki', host: 'localhost', settings });
  disk.place('/pki/sealing.key', Buffer.from(`${random.bytes(32).toString('hex')}\n`));
  return disk.list('/pki').map((name) => [name, disk.bytesOf(`/pki/${name}`)] as const);
}

/** A machine with a home that stands alone, which holds one record. */
async function machine(seed = 1) {
  const disk = new SimulatedDisk(seed);
  const { journal } = await openSimulated(disk);
  const values = [0, 0, null, null];
  await journal.writeSnapshot([{ kind: 'identity', id: 'one', lsn: 1, version: 1, values }]);
  await journal.close();
  for (const [name, bytes] of await keys) disk.place(`/home/pki/${name}`, bytes);
  return { disk, servers: new SimulatedServers(disk) };
}

interface Run {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  { disk, servers }: { readonly disk: SimulatedDisk; readonly servers: SimulatedServers },
  ...words: readonly string[]
): Promise<Run> {
  const read = readArguments(['cluster', ...words, ...connection]);
  if (read.command !== 'cluster') throw new Error(`${words.join(' ')} is no command`);
  const context = new LookingContext(disk, {});
  const { name, flags } = read;
  const flagTexts = Object.fromEntries(
    Object.entries(flags).filter((entry): entry is [string, string] => entry[1] !== true),
  );
  const config = loadConfig({
    ...context,
    readFile: context.readFile,
    flags: { home: '/home', ...flagTexts },
  });
  const tools = {
    connect: () => servers.connect(),
    // A short segment is filled with zeros by few calls.
    homeOf: () =>
      new DiskHome({
        disk,
        clock,
        config: { ...config, limits: { ...config.limits, segmentBytes: 64 * 1024 } },
      }),
  };
  const isDone = await runClusterCommand({ name, flags, config, context, tools });
  return { isDone, stdout: context.stdout, stderr: context.stderr };
}

t.test('nothing that others wrote into the directory steers the terminal', async (t) => {
  const one = await machine();
  await run(one, 'init');
  const [kept] = one.servers.kept;
  const steering = '\u001b]0;x\u0007\u009b2J\u202e\nAll is well.';
  const shown = '\\u001b]0;x\\u0007\\u009b2J\\u202e\\u000aAll is well.';
  const told = { version: steering, advertised: steering, role: 'leading' } as const;
  kept?.members.set('n9', memberOf('n9', { ...told, atMs: clock.now() }));
  if (kept !== undefined) kept.halt = steering;
  const { stdout } = await run(one, 'status');
  t.notMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
  t.notOk(stdout.split('\n').includes('All is well.'));
  t.match(stdout, `  ${shown}  ${shown}  0 s ago\n`);
  t.match(stdout, `No node may lead until a reseed: ${shown}.\n`);
  const json = await run(one, 'status', '--json');
  t.notMatch(json.stdout.replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
  t.equal(JSON.parse(json.stdout).halt, steering);
});

t.test('a cluster from its beginning to the end of a node', async (t) => {
  const one = await machine();
  const { disk, servers } = one;
  const dataSetId = readManifest(disk, '/home')?.dataSetId ?? '';
  const init = await run(one, 'init');
  t.ok(init.isDone);
  const node = readMembership(disk, '/home');
  t.match(node, { generation: 1, nodeId: /^[0-9a-f]{16}$/ });
  t.match(init.stdout, `node ${node?.nodeId} of cluster ${dataSetId}, generation 1\n`);
  const [kept] = readManifest(disk, '/home')?.snapshots ?? [];
  t.equal(kept?.records, 1);
  t.equal(servers.kept[0]?.snapshots.size, 1);
  t.same(
    disk.entries('/').filter((name) => name.startsWith('home')),
    ['home'],
  );
  await t.rejects(run(one, 'init'), { message: /is node [0-9a-f]{16} of a cluster already/ });

  const alone = await run(one, 'status');
  t.equal(alone.isDone, false, 'nobody has started it yet');
  t.match(alone.stdout, /No node leads: nothing is served\./);

  const joined = await run(one, 'join', '--home', '/two', '--pki', '/home/pki');
  t.ok(joined.isDone, joined.stderr);
  t.equal(readManifest(disk, '/two')?.dataSetId, dataSetId);
  t.equal(readManifest(disk, '/two')?.snapshots[0]?.records, 1);
  t.same(disk.list('/two/pki'), disk.list('/home/pki'));
  t.not(readMembership(disk, '/two')?.nodeId, node?.nodeId);
  const json = await run(one, 'status', '--json', '--home', '/two');
  const report = JSON.parse(json.stdout);
  t.equal(report.members.length, 2);
  t.match(report.problems, [
    'No node leads: nothing is served.',
    / is recovering, /,
    / is recovering, /,
  ]);
  t.equal(report.problems.length, 3);

  const left = await run(one, 'leave', '--home', '/two');
  t.ok(left.isDone);
  t.notOk(disk.exists('/two'));
  t.equal(servers.kept[0]?.members.size, 1);
  t.equal(servers.openConnections, 0, 'each command closes its connection');
});

/** Opens a home as a node does. @returns the point from which it follows, and its records */
async function opened(
  { disk, servers }: { readonly disk: SimulatedDisk; readonly servers: SimulatedServers },
  home: string,
  generation: number,
) {
  const dataSetId = readManifest(disk, home)?.dataSetId ?? '';
  const { snapshots } = await servers.open({ dataSetId, generation });
  const ids: string[] = [];
  const replaced: string[] = [];
  const { after } = await openClusterHome({
    ...smallBounds,
    home,
    disk,
    clock: new SimulatedClock(),
    level: 'second',
    writer: 'inline',
    newDataSetId: 'ff'.repeat(16),
    load: ({ id }) => void ids.push(id),
    shared: { generation, snapshots, reaches: async () => true, termOf: async () => 0 },
    replacing: (_, reason) => void replaced.push(reason),
  });
  // As if the process had been killed.
  disk.remove(`${home}/lock`);
  return { after, ids, replaced };
}

t.test('the first node and one that joins begin at one point', async (t) => {
  const one = await machine();
  await run(one, 'init');
  await run(one, 'join', '--home', '/two', '--pki', '/home/pki');
  const first = await opened(one, '/home', 1);
  t.same(first.ids, ['one']);
  t.same(first.replaced, [], 'its log goes on');
  t.same(await opened(one, '/two', 1), first);
  await run(one, 'leave', '--home', '/two');
  await run(one, 'reseed', '--yes');
  await run(one, 'join', '--home', '/two', '--pki', '/home/pki');
  const again = await opened(one, '/home', 2);
  t.same(again, first);
  t.same(await opened(one, '/two', 2), first);
});

t.test('a reseed keeps the records and begins the next generation', async (t) => {
  const one = await machine();
  await run(one, 'init');
  const asked = await run(one, 'reseed');
  t.equal(asked.isDone, false);
  t.match(asked.stdout, /confirm it with --yes/);
  t.ok((await run(one, 'reseed', '--yes')).isDone);
  t.equal(readMembership(one.disk, '/home')?.generation, 2);
  t.equal(readManifest(one.disk, '/home')?.snapshots[0]?.records, 1);
  t.same(
    one.servers.kept.map(({ name }) => name.generation),
    [1, 2],
  );
});

t.test('keys of another home', async (t) => {
  const one = await machine();
  await run(one, 'init');
  one.disk.makeDirectory('/keys');
  const settings = { keyType: 'ec-p256' } as const;
  await openAuthority({ disk: one.disk, clock, random, directory: '/keys', host: 'h', settings });
  withFile(one.disk, '/keys/sealing.key', 'create', (file) =>
    file.write([Buffer.from('a'.repeat(64))], 0),
  );
  await t.rejects(run(one, 'join', '--home', '/two', '--pki', '/keys'), {
    message: /^\/keys has another CA, API key, sealing key than node/,
  });
  t.notOk(one.disk.exists('/two'));
});

t.test('servers that do not answer', async (t) => {
  const one = await machine();
  one.servers.unreachable = 'no responders';
  t.same(await run(one, 'init'), {
    isDone: false,
    stdout: '',
    stderr: 'edge-control: The NATS servers cannot be asked: no responders.\n',
  });
  t.equal(readMembership(one.disk, '/home'), undefined);
});

t.test('flags that are wrong', async (t) => {
  const one = await machine();
  await run(one, 'init');
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [
      ['join', '--home', '/two', '--data-set', 'x'],
      /^--data-set is "x" but must be 32 hexadecimal/,
    ],
    [['leave', '--node', 'a b'], /^--node is "a b", which is no id of a node\.$/],
  ];
  for (const [words, message] of cases) {
    await t.rejects(run(one, ...words), { message });
  }
});

t.test('without servers there is nothing to command', async (t) => {
  const one = await machine();
  for (const name of clusterCommandNames) {
    const context = new LookingContext(one.disk, {});
    t.equal(await runCommandLine(['cluster', name, '--home', '/home'], context), 2);
    t.match(context.stderr, 'edge-control: cluster.servers is not set: name the NATS servers');
  }
});

t.test('help names every command and its flags', async (t) => {
  const context = new LookingContext(new SimulatedDisk(1), {});
  t.equal(await runCommandLine(['cluster', '--help'], context), 0);
  for (const name of clusterCommandNames) t.match(context.stdout, name);
  t.equal(await runCommandLine(['cluster', 'reseed', '--help'], context), 0);
  for (const part of ['--yes', '--force', '--cluster-tls-ca', 'EDGE_CLUSTER_SERVERS', '--home']) {
    t.match(context.stdout, part);
  }
});

t.test('a home that cannot be read is one sentence', async (t) => {
  const { disk } = await machine();
  withFile(disk, '/home/manifest', 'edit', (file) => file.write([Buffer.from('x')], 0));
  const config = loadConfig({
    ...new LookingContext(disk, {}),
    readFile: () => '{}',
    flags: { home: '/home' },
  });
  const home = new DiskHome({ disk, clock, config });
  t.throws(() => home.facts(), StartProblem);
});

t.test('a machine that crashes in the middle can repeat the command', async (t) => {
  let crashes = 0;
  for (let call = 1; ; call += 1) {
    const { disk, servers } = await machine(call);
    disk.failCall(call, 'crash');
    await run({ disk, servers }, 'init').catch(() => undefined);
    if (!disk.crashed) break;
    crashes += 1;
    const after = { disk: disk.crash(), servers };
    servers.disk = after.disk;
    const isMember = readMembership(after.disk, '/home') !== undefined;
    if (!isMember) t.ok((await run(after, 'init')).isDone, `crash at call ${call}`);
    const { generation } = readMembership(after.disk, '/home') ?? {};
    const stream = servers.kept.find(({ name }) => name.generation === generation);
    t.equal(stream?.snapshots.size, 1);
    t.equal(readManifest(after.disk, '/home')?.snapshots[0]?.records, 1);
  }
  t.ok(crashes > 10, `${crashes} crashes`);
});

t.test(
  'a machine that crashes while it joins leaves a home that only a cluster can fill',
  async (t) => {
    let crashes = 0;
    for (let call = 1; ; call += 1) {
      const { disk, servers } = await machine(call);
      await run({ disk, servers }, 'init');
      const words = ['join', '--home', '/two', '--pki', '/home/pki'];
      disk.failCall(call, 'crash');
      await run({ disk, servers }, ...words).catch(() => undefined);
      if (!disk.crashed) break;
      crashes += 1;
      const after = disk.crash();
      const isMember = after.exists('/two/cluster');
      if (after.exists('/two/manifest')) t.ok(isMember, `crash at call ${call}`);
    }
    t.ok(crashes > 10, `${crashes} crashes`);
  },
);

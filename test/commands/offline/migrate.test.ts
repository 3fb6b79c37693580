// The command `migrate`: what a home has, what is refused with which exit code, and that the source
// and the disk stay as they were.

import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { readManifest } from '../../../snapshots/home/manifest.ts';
import { runCommandLine } from '../../../src/commands/command-line.ts';
import {
  enrollment,
  enrollmentJwt,
  type NetworkPaths,
  sessionToken,
  smallNetwork,
  totpSecret,
  writeNetwork,
} from '../../migrate/home/small-network.ts';
import { authority, ecKey, leaf } from '../../migrate/keys/peer-network.ts';
import {
  counted,
  type DatabaseContent,
  entity,
  flag,
  int,
  long,
  map,
  text,
} from '../../migrate/peer/database.ts';
import { startMs } from '../../pki/context.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { LookingContext } from './looking.ts';
import { holdDatabase, home, migrated, migratedAt, reportIn } from './migrate-context.ts';

/** A network below the directory of a test. */
function networkOf(t: Test, kinds: DatabaseContent['kinds'] = smallNetwork()): NetworkPaths {
  return writeNetwork(join(t.testdir({}), 'peer'), { kinds });
}

function filesOf({ directory }: NetworkPaths): ReadonlyMap<string, string> {
  const names = readdirSync(directory).sort();
  return new Map(names.map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
}

t.test('a home with all that the network had', async (t) => {
  const network = networkOf(t);
  const before = filesOf(network);
  const disk = new SimulatedDisk(1);
  const { code, stdout, stderr } = await migrated(disk, network);
  t.same([code, stderr], [0, '']);
  t.same(disk.entries(home), [
    'config.json',
    'first-start-after-migration',
    'log',
    'manifest',
    'migration.json',
    'pki',
    'snapshots',
  ]);
  t.same(disk.list(`${home}/pki`), [
    'migrated-ca.pem',
    'migrated-issuer.key',
    'migrated-issuer.pem',
    'sealing.key',
    'server.key',
    'server.pem',
  ]);
  t.match(stdout, /^migrated {2}\/new, \d+ records, answers at ctrl\.example\.com:1280\n/);
  t.match(stdout, /\n {2}access {8}3 identities, 1 service, 5 pairs: as before\n/);
  t.match(stdout, /\n {2}certificates {2}2 of 2 that the network issued are accepted\n/);
  t.match(stdout, /\n {2}enrollments {3}1 of 1 JWTs are verified by the server key\n/);
  t.match(
    stdout,
    /\nNext\n {2}edge-control check --home \/new\n {2}edge-control run --home \/new\n/,
  );
  t.match(reportIn(disk), {
    format: 1,
    isCheck: false,
    home,
    sessions: 'keep',
    source: { database: network.database, release: '2.1', schema: 48, sha256: /^[0-9a-f]{64}$/ },
    counts: { identities: { read: 3, taken: 3, leftOut: 0, changed: 0 } },
    stops: [],
    proof: { access: { pairs: 5 }, certificates: { checked: 2 }, tokens: { checked: 1 } },
  });
  const [snapshot] = readManifest(disk, home)?.snapshots ?? [];
  t.equal(snapshot?.records, reportIn(disk).records);
  t.same(filesOf(network), before, 'nothing of the source is changed');
  t.match(await checked(disk), { code: 0, stderr: /all is well/ });
});

t.test('no secret is written in clear, and none is said', async (t) => {
  const disk = new SimulatedDisk(1);
  const written: Buffer[] = [];
  const { open } = disk;
  disk.open = (path, mode) => {
    const file = open.call(disk, path, mode);
    return {
      size: () => file.size(),
      read: (...range) => file.read(...range),
      sync: () => file.sync(),
      close: () => file.close(),
      write: (buffers, position) => {
        written.push(...buffers.map((buffer) => Buffer.from(buffer)));
        file.write(buffers, position);
      },
    };
  };
  const { stdout } = await migrated(disk, networkOf(t));
  const all = Buffer.concat(written);
  const [, claims = ''] = enrollmentJwt().split('.');
  for (const secret of [totpSecret, sessionToken, claims]) {
    t.notOk(all.includes(secret), 'in no write, temporary files included');
    t.notOk(stdout.includes(secret));
  }
});

t.test('--check writes nothing but the report', async (t) => {
  const network = networkOf(t);
  const disk = new SimulatedDisk(1);
  const { code, stdout, stderr } = await migrated(disk, network, '--check');
  t.same([code, stderr], [0, '']);
  t.match(stdout, /^checked {2}\/new, /);
  t.match(stdout, /\n {2}systemctl stop ziti-controller\n {2}edge-control migrate --from /);
  t.same(disk.entries('/'), []);
  const reported = await migrated(disk, network, '--check', '--report', '/reports/report.json');
  t.equal(reported.code, 1);
  t.match(reported.stderr, /was not made: ENOENT/, 'its folder has to be there');
  disk.makeDirectory('/reports');
  const report = ['--report', '/reports/report.json'];
  t.equal((await migrated(disk, network, '--check', ...report)).code, 0);
  t.same(disk.entries('/'), ['reports']);
  t.same(disk.entries('/reports'), ['report.json']);
  t.match(reportIn(disk, '/reports/report.json'), { format: 1, isCheck: true });
  t.equal((await migrated(disk, network, '--check', ...report)).code, 0, 'it is replaced');
});

t.test('a report takes the place of no other file', async (t) => {
  const network = networkOf(t);
  const disk = new SimulatedDisk(1);
  disk.place('/key.pem', Buffer.from('a key'));
  const refused = await migrated(disk, network, '--report', '/key.pem');
  t.match(refused, { code: 2, stderr: /--report names \/key\.pem, which is a file of others/ });
  t.equal(disk.bytesOf('/key.pem').toString(), 'a key');
});

t.test('what cannot be taken over stops with 3 until it is left out', async (t) => {
  const kinds = smallNetwork();
  const { desk = {} } = kinds['identities'] ?? {};
  const links = counted({ printer: int(1) });
  const network = networkOf(t, {
    ...kinds,
    identities: { ...kinds['identities'], desk: { ...desk, bindServices: links } },
  });
  const disk = new SimulatedDisk(1);
  const stopped = await migrated(disk, network);
  t.equal(stopped.code, 3);
  t.match(stopped.stderr, /Something cannot be taken over, and nothing was written/);
  t.match(stopped.stdout, /^refused/);
  t.match(stopped.stdout, /\n {2}bind: desk \(desk\), printer \(printer\): only in the database\n/);
  t.match(stopped.stdout, /access-difference: leave it out with --leave-out access-difference/);
  t.match(stopped.stdout, /\nNext\n {2}edge-control migrate .* --leave-out access-difference\n/);
  t.same(disk.entries('/'), []);
  const agreed = await migrated(disk, network, '--leave-out', 'access-difference');
  t.equal(agreed.code, 0, agreed.stderr);
  t.match(reportIn(disk).stops, [{ what: 'access-difference', isAgreed: true }]);
});

t.test('a network without an administrator who can log in', async (t) => {
  const { authenticators, mfas, ...others } = smallNetwork();
  const network = networkOf(t, others);
  const disk = new SimulatedDisk(1);
  t.match(await migrated(disk, network), { code: 3, stdout: /No administrator of the network/ });
  const agreed = await migrated(disk, network, '--leave-out', 'administrator');
  t.match(agreed, { code: 0, stdout: /\n {2}edge-control admin reset --home \/new\n/ });
  t.notOk(disk.exists(`${home}/admin-password`));
});

t.test('certificates and JWTs that the new home does not accept are named', async (t) => {
  const stranger = leaf('desk', authority('Strangers', 'self'));
  const kinds = smallNetwork();
  const { ofDesk = {}, ...authenticators } = kinds['authenticators'] ?? {};
  const network = networkOf(t, {
    ...kinds,
    authenticators: {
      ...authenticators,
      ofDesk: { ...ofDesk, certPem: text(stranger.certificate.toString()) },
    },
    enrollments: { ofPhone: enrollment(enrollmentJwt(ecKey())) },
  });
  const disk = new SimulatedDisk(1);
  const { code, stdout } = await migrated(disk, network);
  t.equal(code, 0, 'it is only reported');
  t.match(stdout, /\n {2}identity desk \(desk\), certificate [0-9a-f]{40}: no CA of the new home/);
  t.match(
    stdout,
    /\n {2}ofPhone \(ott of phone\): it was signed with another key than that of the/,
  );
});

t.test('a database that is damaged, or holds damaged content', async (t) => {
  const disk = new SimulatedDisk(1);
  const network = networkOf(t);
  const whole = readFileSync(network.database);
  for (const bytes of [Buffer.alloc(0), whole.subarray(0, 1), whole.subarray(0, 8191)]) {
    writeFileSync(network.database, bytes);
    const { code, stdout, stderr } = await migrated(disk, network);
    t.same([code, stdout], [1, ''], `${bytes.length} bytes`);
    t.match(stderr, /^edge-control: [^\n]+\.\n$/);
  }
  const kinds = smallNetwork();
  const broken = networkOf(t, {
    ...kinds,
    identities: { ...kinds['identities'], odd: { name: Buffer.of(8, 1) } },
  });
  const { code, stdout, stderr } = await migrated(disk, broken);
  t.equal(code, 1);
  t.match(stderr, /^edge-control: One entity of the database cannot be read\.\n$/);
  t.match(stdout, /\nDamaged\n {2}identities odd: /);
  t.same(disk.entries('/'), []);
});

t.test('a schema that is too old, and one that is too new', async (t) => {
  const disk = new SimulatedDisk(1);
  const directory = t.testdir({});
  const old = writeNetwork(join(directory, 'old'), { schema: 35, kinds: smallNetwork() });
  t.match(await migrated(disk, old), { code: 2, stderr: /schema 35.*upgrade the network with/ });
  const newer = writeNetwork(join(directory, 'newer'), {
    schema: 50,
    kinds: smallNetwork(),
    ziti: { novelties: map({ first: map({ value: flag(true) }) }), novel: map({ n: long(1) }) },
  });
  t.match(await migrated(disk, newer), { code: 3, stdout: /newer-schema: leave it out with/ });
  const agreed = await migrated(disk, newer, '--leave-out', 'newer-schema');
  t.equal(agreed.code, 0, agreed.stderr);
  t.match(agreed.stdout, /\nBuckets that no known release has\n(.*\n)*? {2}novelties\n/);
});

t.test('wrong flags and files', async (t) => {
  const disk = new SimulatedDisk(1);
  const network = networkOf(t);
  const wrong = async (flags: readonly string[], stderr: RegExp, paths = network) =>
    t.match(await migrated(disk, paths, ...flags), { code: 2, stdout: '', stderr });
  await wrong(
    ['--leave-out', 'fabric-only,everything'],
    /--leave-out names "everything", but what/,
  );
  await wrong(['--sessions', 'some'], /--sessions is "some" but must be keep or drop\./);
  await wrong(['--set-variable', 'x'], /--set-variable must be NAME=VALUE/);
  await wrong(['--listener', 'ctrl.example.com:1'], /--listener is "ctrl\.example\.com:1", but/);
  const { database, configuration } = network;
  await wrong([], /none cannot be read: there is no such file/, {
    ...network,
    database: `${database}.none`,
  });
  await wrong([], /cannot be read: it is no regular file/, { ...network, database: t.testdirName });
  await wrong([], /none cannot be read: there is no such file/, {
    ...network,
    configuration: `${configuration}.none`,
  });
  writeFileSync(configuration, 'edge: {a: 1, a: 2}\nweb: 7\n');
  const several = await migrated(disk, network);
  t.equal(several.code, 2);
  t.ok(
    several.stderr.split('\n').every((line) => line === '' || line.startsWith('edge-control: ')),
  );
  t.same(disk.entries('/'), []);
});

t.test('a database that its controller holds', async (t) => {
  const network = networkOf(t);
  const release = await holdDatabase(network.database);
  t.teardown(release);
  const disk = new SimulatedDisk(1);
  const refused = await migrated(disk, network);
  t.match(refused, { code: 2, stdout: '', stderr: /is in use: .* read a snapshot that it makes/ });
  const snapshot = join(network.directory, 'snapshot.db');
  copyFileSync(network.database, snapshot);
  const rehearsed = await migrated(disk, { ...network, database: snapshot }, '--check');
  t.equal(rehearsed.code, 0);
  t.match(rehearsed.stdout, /The controller is running on .*ctrl\.db: what it changes from now on/);
});

t.test(
  'sessions of a controller that stopped long ago are dropped, unless they are wanted',
  async (t) => {
    const network = networkOf(t);
    const dayMs = 24 * 3600 * 1000;
    const disk = new SimulatedDisk(1);
    const kept = await migrated(disk, network, '--check');
    t.match(kept.stdout, /API sessions that were alive go on with their tokens/);
    for (const [flags, said, taken] of [
      [[], 'drop', 0],
      [['--sessions', 'keep'], 'keep', 1],
    ] as const) {
      const after = new SimulatedDisk(1);
      const { code } = await migratedAt(startMs + 2 * dayMs, after, network, ...flags);
      t.equal(code, 0);
      t.equal(reportIn(after).sessions, said);
      t.equal(reportIn(after).counts.apiSessions.taken, taken);
    }
  },
);

t.test('variables and the listener of a configuration', async (t) => {
  const directory = join(t.testdir({}), 'peer');
  const network = writeNetwork(
    directory,
    { kinds: smallNetwork() },
    { ctrl: { listener: `tls:0.0.0.0:\${PORT}` } },
  );
  const disk = new SimulatedDisk(1);
  const unknown = await migrated(disk, network);
  t.match(unknown, { code: 2, stderr: /ctrl\.listener names the variable PORT, which is not set/ });
  const set = await migrated(disk, network, '--set-variable', 'PORT=6262', 'OTHER=x');
  t.equal(set.code, 0, set.stderr);
  t.equal(JSON.parse(disk.bytesOf(`${home}/config.json`).toString()).ctrlListen, '0.0.0.0:6262');
  const check = await migrated(
    new SimulatedDisk(1),
    network,
    '--check',
    '--set-variable',
    'PORT=7',
  );
  t.match(check.stdout, / --set-variable PORT=…/);
});

t.test('a cluster: its nodes, and which one answers from now on', async (t) => {
  const node = (name: string) =>
    entity({ name: text(name), ctrlAddress: text(`tls:${name}.example.com:1280`) });
  const network = networkOf(t, {
    ...smallNetwork(),
    controllers: { one: node('ctrl'), two: node('ctrl-2') },
  });
  const { code, stdout } = await migrated(new SimulatedDisk(1), network);
  t.equal(code, 0);
  t.match(stdout, /\n {2}two \(ctrl-2\) at tls:ctrl-2\.example\.com:1280\n/);
  t.match(
    stdout,
    /\n {2}ctrl\.example\.com:1280 answers from now on, the other addresses do not\.\n/,
  );
});

t.test('a full disk, and one that fails', async (t) => {
  const network = networkOf(t);
  const disk = new SimulatedDisk(1);
  disk.fill();
  const full = await migrated(disk, network);
  t.match(full, {
    code: 1,
    stdout: '',
    stderr: /\/new was not made: the disk is full; nothing is/,
  });
  disk.free();
  t.same(disk.entries('/'), []);
  disk.failCall(9, 'EIO');
  t.match(await migrated(disk, network), {
    code: 1,
    stderr: /was not made: EIO.*; nothing is left/,
  });
  t.same(disk.entries('/'), []);
  t.equal((await migrated(disk, network)).code, 0, 'and then it works');
});

t.test('a home that exists', async (t) => {
  const network = networkOf(t);
  const disk = new SimulatedDisk(1);
  disk.place('/new/data', Buffer.from('of others'));
  for (const flags of [[], ['--check']]) {
    const refused = await migrated(disk, network, ...flags);
    t.match(refused, {
      code: 2,
      stdout: '',
      stderr: /\/new is not empty: a network is taken over/,
    });
  }
  t.same(disk.entries(home), ['data']);
  disk.remove('/new/data');
  t.equal((await migrated(disk, network)).code, 0, 'an empty directory will do');
});

t.test('a symbolic link as database is followed, and the report names the file', async (t) => {
  const network = networkOf(t);
  const link = join(network.directory, 'link.db');
  symlinkSync(network.database, link);
  const disk = new SimulatedDisk(1);
  t.equal((await migrated(disk, { ...network, database: link })).code, 0);
  t.equal(reportIn(disk).source.database, network.database);
});

t.test('names cannot steer a terminal', async (t) => {
  const steering = '\u001b]0;x\u0007\nall is well';
  const kinds = smallNetwork();
  const { authenticators = {} } = kinds;
  const network = networkOf(t, {
    ...kinds,
    authenticators: { ...authenticators, [steering]: authenticators['ofDesk'] ?? {} },
  });
  const { stdout, stderr } = await migrated(new SimulatedDisk(1), network);
  const said = stdout + stderr;
  t.notOk(['\u001b', '\u0007', '\nall is well'].some((part) => said.includes(part)));
  t.match(stdout, /\\u001b\]0;x\\u0007\\u000aall is well/);
});

async function checked(disk: SimulatedDisk) {
  const context = new LookingContext(disk, {});
  const code = await runCommandLine(['check', '--home', home], context);
  return { code, stderr: context.stderr };
}

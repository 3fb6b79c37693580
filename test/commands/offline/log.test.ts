// The command `log`: what it shows, what it hides, and where it ends.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { identityKind } from '../../../src/records/identity.ts';
import { goldenDirectory, goldenFiles } from '../../golden/golden-home.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';
import { adminPassword, bootNetwork, type Network } from '../../simulated/network.ts';
import { segmentsOf, stateOf, tearTail } from './damage.ts';
import { appendRaw, flushed, furnishedNetwork, look, secretsOf } from './looking.ts';

interface Line {
  readonly lsn: number;
  readonly time: string;
  readonly actor: { readonly id: string; readonly name?: string };
  readonly requestId?: string;
  readonly operation: string;
  readonly causeLsn?: number;
  readonly events: readonly unknown[];
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly change: string;
    readonly fields: Readonly<Record<string, { before?: unknown; after?: unknown }>>;
  }[];
}

async function logOf(network: Network, ...words: string[]): Promise<Line[]> {
  await flushed(network);
  const { lines, code, stderr } = await look(network.disk, ['log', ...words]);
  if (code !== 0) throw new Error(stderr);
  return lines.map((line) => JSON.parse(line) as Line);
}

/** Segments that a few dozen frames fill. */
const smallSegments = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };

t.test('who did what, when, and what was before', async (t) => {
  const network = await bootNetwork();
  const id = await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.must('PATCH', `M:/services/${id}`, { name: 'scanner' });
  await network.must('DELETE', `M:/services/${id}`);
  const [created, updated, deleted] = await logOf(network, '--id', id);
  t.match(created, {
    time: '2026-01-01T00:00:00.000Z',
    actor: { name: 'admin' },
    operation: 'createService',
    changes: [{ kind: 'service', id, change: 'created', fields: { name: { after: 'printer' } } }],
  });
  t.notOk('before' in (created?.changes[0]?.fields['name'] ?? {}));
  t.match(updated?.requestId, /^\S{10}$/);
  t.same(updated?.changes, [
    {
      kind: 'service',
      id,
      change: 'updated',
      fields: { name: { before: 'printer', after: 'scanner' } },
    },
  ]);
  t.match(deleted?.changes, [{ change: 'deleted', fields: { name: { before: 'scanner' } } }]);
  t.notOk('after' in (deleted?.changes[0]?.fields['name'] ?? {}));
});

t.test('frames of golden homes, whose records are older', async (t) => {
  for (const version of readdirSync(goldenDirectory)) {
    const disk = new SimulatedDisk(1);
    for (const [path, bytes] of goldenFiles(version)) disk.place(join('/home', path), bytes);
    const before = stateOf(disk);
    const { code, lines, stderr } = await look(disk, ['log']);
    t.equal(code, 0, stderr);
    const changes = lines.flatMap((line) => (JSON.parse(line) as Partial<Line>).changes ?? []);
    const logins = changes.filter(
      ({ kind, change }) => kind === 'apiSession' && change === 'created',
    );
    t.ok(logins.length > 0, 'API sessions of version 1');
    for (const { fields } of logins) {
      t.match(fields, { state: { after: 'full' }, token: { after: /\*/ } });
      t.notOk('mfaPassedAt' in fields, 'which none had');
    }
    t.same(stateOf(disk), before);
  }
});

t.test('text on a terminal, JSON lines on request', async (t) => {
  const network = await bootNetwork();
  const id = await network.create('services', { name: 'printer', encryptionRequired: true });
  await flushed(network);
  const words = ['log', '--id', id];
  const { stdout } = await look(network.disk, words, { outIsTerminal: true });
  t.match(
    stdout,
    /^TIME +LSN +WHO +WHAT +CHANGE\n\S+ \S+ +\d+ +admin +create service 'printer'\n$/,
  );
  t.equal((await look(network.disk, [...words, '--text'])).stdout, stdout, 'the same in a pipe');
  const json = await look(network.disk, [...words, '--json'], { outIsTerminal: true });
  t.equal(JSON.parse(json.stdout).operation, 'createService');
  const both = await look(network.disk, [...words, '--json', '--text']);
  t.match(both, { code: 2, stderr: /--json and --text exclude each other/ });
});

t.test('marks, values and names in text', async (t) => {
  const network = await bootNetwork();
  const name = '語'.repeat(40);
  const id = await network.create('services', { name, encryptionRequired: true });
  await network.must('PATCH', `M:/services/${id}`, { tags: { hall: '\u202e\u001b[2J\n' } });
  await network.restart();
  await flushed(network);
  const { stdout } = await look(network.disk, ['log', '--text']);
  t.match(stdout, `update service '${name}'  tags: {} -> {"hall":`);
  t.match(stdout, /^\S+ \S+ +\d+ {2,}clean stop$/m);
  t.notMatch(stdout.replaceAll('\n', ''), /[\p{Cc}\u202e]/u);
});

t.test('what was before the kept log is not known, but who acts is', async (t) => {
  const network = await bootNetwork({ limits: smallSegments });
  const id = await network.create('services', { name: 'old', encryptionRequired: true });
  const noise = { name: 'noise', encryptionRequired: true, tags: { text: 'x'.repeat(15_000) } };
  const other = await network.create('services', noise);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 6; i++)
      await network.must('PATCH', `M:/services/${other}`, { tags: { i: `${i}` } });
    for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const tags = { text: letter.repeat(15_000) };
      await network.must('PATCH', `M:/services/${other}`, { tags });
    }
    await network.must('POST', 'M:/database/snapshot');
    await network.advance(120_000);
  }
  await network.logInAdmin();
  await network.must('PATCH', `M:/services/${id}`, { name: 'new' });
  const [updated] = await logOf(network, '--id', id);
  t.match(updated?.actor, { name: 'admin' }, 'from the snapshot');
  t.match(updated?.changes, [{ change: 'updated', fields: { name: { after: 'new' } } }]);
  t.notOk('before' in (updated?.changes[0]?.fields['name'] ?? {}));
  const early = await look(network.disk, ['log', '--from-lsn', '1', '--to-lsn', '20']);
  t.match(early.stderr, /the log begins with LSN \d+: what was before it went with a snapshot\n$/);
  t.equal(early.code, 0);
});

t.test('filters', async (t) => {
  const network = await furnishedNetwork();
  await network.restart();
  await network.logInAdmin();
  const all = await logOf(network);
  t.same(
    all.map(({ lsn }) => lsn),
    all.map((_, at) => at + 1),
    'the seal too',
  );
  t.match(
    all.find(({ operation }) => operation === 'seal'),
    { time: String },
  );
  const some = await logOf(network, '--from-lsn', '3', '--to-lsn', '5');
  t.same(some, all.slice(2, 5));
  const routers = await logOf(network, '--kind', 'router');
  t.same(
    routers.map(({ operation }) => operation),
    ['createEdgeRouter'],
  );
  t.equal(routers[0]?.changes.length, 2, 'with all that the frame changed');
  const id = routers[0]?.changes[0]?.id ?? '';
  t.same(await logOf(network, '--kind', 'enrollment', '--id', id), []);
  t.same(await logOf(network, '--from-lsn', '1000'), []);
  await network.stop();
});

t.test('no secret, whatever is shown', async (t) => {
  const network = await furnishedNetwork();
  const secrets = new Set([...secretsOf(network), adminPassword, 'bertas-password', network.admin]);
  const patch = { name: 'berta', tags: { seen: true } };
  const identity = network.env.store.table(identityKind).findBy('name', 'berta')?.record.id;
  await network.must('PATCH', `M:/identities/${identity}`, patch);
  await network.restart();
  await network.logInAdmin();
  for (const secret of [...secretsOf(network), network.admin]) secrets.add(secret);
  await network.must('DELETE', `M:/identities/${identity}`);
  await flushed(network);
  for (const name of network.disk.list('/home/pki')) {
    const text = network.disk.bytesOf(join('/home/pki', name)).toString();
    const isKey = name.endsWith('.key');
    if (isKey) for (const line of text.trim().split('\n').slice(1, -1)) secrets.add(line);
  }
  t.ok(secrets.size > 15);
  const shown = await look(network.disk, ['log']);
  const checked = await look(network.disk, ['check']);
  t.match(shown.stdout, /"passwordHash":\{"before":"\*{6}"\}/, 'masked, also what was');
  for (const secret of secrets) {
    const isShown = [shown, checked].some((said) => (said.stdout + said.stderr).includes(secret));
    t.notOk(isShown, secret.slice(0, 12));
  }
  await network.stop();
});

t.test('what a value holds under the name of a secret is masked as well', async (t) => {
  const network = await bootNetwork();
  const tags = { password: 'in-a-tag', floor: '3' };
  const id = await network.create('services', { name: 'a', encryptionRequired: true, tags });
  const [line] = await logOf(network, '--id', id);
  t.same(line?.changes[0]?.fields['tags'], { after: { password: '******', floor: '3' } });
});

t.test('older records are read through their migrations, newer ones are refused', async (t) => {
  const network = await bootNetwork();
  const old = [1, 1, null, null, 'full', 'an-old-token', 'nobody', null, [], null];
  await appendRaw(network, [{ kind: 'apiSession', id: 'old', version: 1, values: old }]);
  const [line] = await logOf(network, '--id', 'old');
  t.match(line?.changes[0]?.fields, {
    token: { after: '******' },
    identityId: { after: 'nobody' },
  });
  const newer: [Parameters<typeof appendRaw>[1][number], RegExp][] = [
    [{ kind: 'service', id: 'x', version: 9, values: [] }, /service records of version 9, newer/],
    [{ kind: 'moon', id: 'x', version: 1, values: [] }, /records of the unknown kind moon/],
  ];
  for (const [change, sentence] of newer) {
    const next = await bootNetwork();
    await appendRaw(next, [change]);
    for (const command of ['log', 'check']) {
      const { code, stderr } = await look(next.disk, [command]);
      t.equal(code, 2, command);
      t.match(stderr, sentence);
      t.match(stderr, /^edge-control: [^\n]*later version of the controller\.\n$/);
    }
  }
});

t.test('damage and a torn tail are told, behind all that is good', async (t) => {
  const network = await bootNetwork();
  for (const name of ['a', 'b', 'c', 'd']) {
    await network.create('services', { name, encryptionRequired: true });
  }
  await flushed(network);
  const disk = network.disk.kill();
  const whole = await look(disk, ['log']);
  t.equal(whole.code, 0);
  t.equal(whole.stderr, '');
  const { path, frames } = segmentsOf(disk)[0] ?? { path: '', frames: [] };

  const mend = tearTail(disk);
  const torn = await look(disk, ['log']);
  t.equal(torn.code, 1);
  t.equal(torn.stdout, whole.stdout);
  const end = frames.at(-1);
  const place = `${path} has a torn tail at offset ${(end?.offset ?? 0) + (end?.bytes ?? 0)}, LSN 7:`;
  t.match(torn.stderr, `edge-control: ${place} 40 bytes`);
  mend();

  const { offset = 0, lsn } = frames[3] ?? {};
  disk.corrupt(path, (bytes) => bytes.writeUInt8(bytes.readUInt8(offset + 50) ^ 1, offset + 50));
  const damaged = await look(disk, ['log']);
  t.equal(damaged.code, 1);
  t.same(damaged.lines, whole.lines.slice(0, 3));
  t.match(damaged.stderr, `edge-control: ${path} is damaged at offset ${offset}, LSN ${lsn}: `);
});

t.test('a follower sees new frames, across segments, until it is stopped', async (t) => {
  const network = await bootNetwork({ limits: smallSegments });
  let rounds = 0;
  const tags = { text: 'x'.repeat(10_000) };
  const { code, stdout, stderr } = await look(
    network.disk,
    ['log', '--follow', '--from-lsn', '3'],
    {
      waiting: async (context) => {
        rounds++;
        if (rounds === 15) return context.signal();
        await network.create('services', { name: `s${rounds}`, encryptionRequired: true, tags });
      },
    },
  );
  t.equal(code, 0);
  t.equal(stderr, '');
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  t.same(
    lines.map(({ lsn, operation }) => [lsn, operation]),
    Array.from({ length: 14 }, (_, at) => [at + 3, 'createService']),
  );
  t.ok(segmentsOf(network.disk).length > 2, 'several segments');
});

t.test('a follower ends with the LSN it was given', async (t) => {
  const network = await bootNetwork();
  let waits = 0;
  const { code, lines } = await look(network.disk, ['log', '--follow', '--to-lsn', '5'], {
    waiting: async () => {
      waits++;
      await network.create('services', { name: `s${waits}`, encryptionRequired: true });
      await flushed(network);
    },
  });
  t.equal(code, 0);
  t.equal(lines.length, 5);
  t.equal(waits, 3);
});

t.test('ends when nobody reads any more', async (t) => {
  const network = await bootNetwork();
  const { code, lines } = await look(network.disk, ['log', '--follow'], { linesRead: 1 });
  t.equal(code, 0);
  t.equal(lines.length, 1);
});

t.test('changes nothing, running or not', async (t) => {
  const network = await furnishedNetwork();
  const before = stateOf(network.disk);
  await look(network.disk, ['log']);
  t.same(stateOf(network.disk), before, 'beside the controller');
  const disk = network.disk.kill();
  const { calls } = disk;
  await look(disk, ['log']);
  t.equal(disk.calls, calls, 'no call that could change anything');
});

t.test('what it cannot show', async (t) => {
  const network = await bootNetwork();
  const cases: [readonly string[], RegExp][] = [
    [['log', '--kind', 'moon'], /there is no kind moon; the kinds are apiSession, /],
    [['log', '--from-lsn', 'x'], /--from-lsn is "x" but must be an integer from 1 to /],
    [['log', '--to-lsn', '0'], /--to-lsn is "0" but must be an integer from 1 to /],
  ];
  for (const [words, sentence] of cases) {
    const { code, stderr, stdout } = await look(network.disk, words);
    t.equal(code, 2);
    t.match(stderr, /^edge-control: [^\n]+\n$/);
    t.match(stderr, sentence);
    t.equal(stdout, '');
  }
  const { disk } = network;
  const mend = disk.bytesOf('/home/manifest');
  disk.corrupt('/home/manifest', (bytes) => bytes.write('2', 22));
  t.match(await look(disk, ['log']), { code: 2, stderr: /manifest format 2/ });
  disk.place('/home/manifest', mend.fill(0, 30, 31));
  const damaged = await look(disk, ['log']);
  t.match(damaged, { code: 1, stderr: /manifest is damaged/ });
  t.ok(damaged.lines.length > 1, 'the log is shown all the same');
});

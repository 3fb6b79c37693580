// The audit feed of a real process over TLS: readers that read, that don't, that come back, and
// frames that are gone.

import { readFileSync } from 'node:fs';
import { type Test, t } from 'tap';
import { type Api, connect, logIn, management } from './client.ts';
import { adminPassword, makeHome, runToEnd, type Serving, serve } from './process.ts';
import { type Raw, tls } from './raw-connection.ts';
import { privateKeysIn, secretsIn } from './secrets.ts';

/** Opens a feed. */
async function follow(
  t: Pick<Test, 'teardown'>,
  serving: Serving,
  { token }: Api,
  query: string,
  ...headers: string[]
): Promise<Raw> {
  const raw = await tls(t, serving);
  const path = `${management}/audit${query}`;
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', `zt-session: ${token}`, ...headers];
  raw.socket.write([...lines, '', ''].join('\r\n'));
  return raw;
}

/** The events in what was received, without the frames of its chunks. */
function eventsOf({ received }: Raw): { id: number; line: string }[] {
  const body = received.slice(received.indexOf('\r\n\r\n') + 4);
  const bytes = body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, '');
  const text = Buffer.from(bytes, 'latin1').toString('utf8');
  return [...text.matchAll(/id: (\d+)\ndata: (.*)\n\n/g)].map(([, id, line = '']) => {
    return { id: Number(id), line };
  });
}

/**
 * Resolves when the event of frame `id` began to arrive, or when nothing more can; looks at no byte
 * twice.
 */
async function tells(raw: Raw, id: number): Promise<void> {
  const wanted = `id: ${id}\n`;
  let tail = raw.received;
  await new Promise<void>((resolve) => {
    void raw.closed.then(() => resolve());
    const look = (text: string) => {
      tail += text;
      if (tail.includes(wanted)) resolve();
      tail = tail.slice(-wanted.length);
    };
    raw.socket.on('data', look);
    look('');
  });
}

function idsOf(raw: Raw): number[] {
  return eventsOf(raw).map(({ id }) => id);
}

/** Resident memory of a process, bytes. */
function residentBytes({ process }: Serving): number {
  const status = readFileSync(`/proc/${process.child.pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
}

t.test('as the command shows it, then live; a reader that comes back misses nothing', async (t) => {
  // The time-out of a quiet connection is shorter than the test.
  const home = makeHome(t, { limits: { idleTimeoutMs: 1000 } });
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  const feed = await follow(t, serving, admin, '?fromLsn=1');
  await admin.create('services', { name: 'first', encryptionRequired: true });
  await feed.receives('"first"');
  t.match(feed.received, /^HTTP\/1.1 200 OK\r\n.*content-type: text\/event-stream\r\n/is);
  feed.socket.destroy();
  const known = eventsOf(feed).at(-1)?.id ?? 0;
  await admin.create('services', { name: 'between', encryptionRequired: true });
  const again = await follow(t, serving, admin, '?fromLsn=1', `last-event-id: ${known}`);
  await again.receives('"between"');
  t.equal(eventsOf(again)[0]?.id, known + 1);
  // Comments keep the connection through many time-outs.
  await again.receives(':\nid: ');
  for (let count = 2; count < 8; count++) {
    const seen = again.received.length;
    await new Promise<void>((resolve) => again.socket.once('data', () => resolve()));
    t.ok(again.received.length > seen);
  }
  await admin.create('services', { name: 'late', encryptionRequired: true });
  await again.receives('"late"');

  const told = [...eventsOf(feed), ...eventsOf(again)];
  const { stdout } = await runToEnd(t, ['log', '--home', home]);
  const shown = stdout.trim().split('\n');
  t.same(
    told.map(({ line }) => line),
    shown.slice(0, told.length),
  );
  t.same(secretsIn(feed.received, [adminPassword, ...privateKeysIn(home)]), []);
  t.match(stdout, '******', 'there was something to mask');
  t.notOk(feed.received.slice(feed.received.indexOf('\r\n\r\n')).includes(admin.token));

  const other = await logIn(connect(t, serving));
  await other.ask('DELETE', `/edge/client/v1/current-api-session`);
  const dead = await follow(t, serving, other, '');
  await dead.receives('UNAUTHORIZED');

  t.equal((await serving.process.stop()).code, 0);
  t.match(await again.closed, /\r\n0\r\n\r\n$/, 'a stop ends it as a whole answer');
});

t.test('readers that do not read cost next to nothing, and lose nothing', async (t) => {
  const home = makeHome(t);
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  const id = await admin.create('services', { name: 'noise', encryptionRequired: true });
  const count = 40;
  const patch = async (i: number) => {
    const tags = { text: String.fromCharCode(97 + (i % 26)).repeat(500_000) };
    await admin.ask('PATCH', `${management}/services/${id}`, { tags });
  };
  for (let i = 0; i < count; i++) await patch(i);
  const reader = await follow(t, serving, admin, '?fromLsn=1');
  await tells(reader, 1);
  const before = residentBytes(serving);
  // Unread, all of it would be 10 times 40 MB.
  const silent: Raw[] = [];
  for (let i = 0; i < 10; i++) {
    const raw = await follow(t, serving, admin, '?fromLsn=1');
    await tells(raw, 1);
    raw.socket.pause();
    silent.push(raw);
  }
  // Frame 1 is the set-up, 2 the log-in, 3 creates the service.
  await tells(reader, 3 + count);
  await admin.create('services', { name: 'meanwhile', encryptionRequired: true });
  await tells(reader, 4 + count);
  const grownBytes = residentBytes(serving) - before;
  t.ok(grownBytes < 250e6, `${Math.round(grownBytes / 1e6)} MB for ten`);
  const ids = Array.from({ length: 3 + count }, (_, at) => at + 1);
  t.same(idsOf(reader).slice(0, ids.length), ids);
  // Who took nothing for 10 s was closed, and goes on where it was.
  let [late] = silent;
  const seen: number[] = [];
  while (late !== undefined && seen.length < ids.length) {
    late.socket.resume();
    await tells(late, 4 + count);
    seen.push(...idsOf(late));
    late = await follow(t, serving, admin, '?fromLsn=1', `last-event-id: ${seen.at(-1) ?? 0}`);
  }
  t.same(seen.slice(0, ids.length), ids);
  t.equal((await serving.process.stop()).code, 0);
});

t.test('what went with a snapshot is told', async (t) => {
  const home = makeHome(t, { limits: { segmentBytes: 8 * 1024 * 1024, snapshotIntervalMs: 0 } });
  const serving = await serve(t, home);
  const admin = await logIn(connect(t, serving));
  const id = await admin.create('services', { name: 'noise', encryptionRequired: true });
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 20; i++) {
      const tags = { text: String.fromCharCode(97 + i).repeat(500_000) };
      await admin.ask('PATCH', `${management}/services/${id}`, { tags });
    }
    await admin.ask('POST', `${management}/database/snapshot`);
  }
  await admin.create('services', { name: 'last', encryptionRequired: true });
  const feed = await follow(t, serving, admin, '?fromLsn=1');
  await tells(feed, 3 + 40 + 1);
  await feed.receives('"last"');
  const [, toLsn] =
    /event: gone\nid: (\d+)\ndata: \{"fromLsn":1,"toLsn":\1\}/.exec(feed.received) ?? [];
  const events = eventsOf(feed).filter(({ line }) => line.startsWith('{"lsn"'));
  t.equal(events[0]?.id, Number(toLsn) + 1);
  const path = `${management}/inspect/machines/identity/instances`;
  const { stdout } = await runToEnd(t, ['log', '--home', home, '--from-lsn', String(toLsn)]);
  const ids = stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { lsn: number }).lsn);
  t.same(
    events.map((event) => event.id),
    ids,
  );
  const admins = await admin.all('identities');
  const own = admins.find(({ name }) => name === 'Default Admin' || name === 'admin');
  const page = await admin.ask('GET', `${path}/${own?.['id']}/transitions`);
  t.match(page, { transitions: [], hasMore: false, oldestLsn: Number(toLsn) + 1 });
  t.equal((await serving.process.stop()).code, 0);
});

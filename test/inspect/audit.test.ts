// The audit feed through a whole controller: its contents, its readers, its pace, and its end.

import { t } from 'tap';
import { auditCommentMs } from '../../src/inspect/server/log/audit-feed.ts';
import { identityKind } from '../../src/records/identity.ts';
import { flushed, furnishedNetwork, look, secretsOf } from '../commands/offline/looking.ts';
import { adminPassword, bootNetwork, type Network } from '../simulated/network.ts';
import { follow, type SentEvent } from './following.ts';

async function logOf(network: Network, ...words: string[]): Promise<readonly string[]> {
  await flushed(network);
  return (await look(network.disk, ['log', ...words])).lines;
}

const dataOf = (events: readonly SentEvent[]) => events.map(({ data }) => data);

t.test('everything as the command shows it, then live', async (t) => {
  const network = await furnishedNetwork();
  const feed = await follow(network, '?fromLsn=1');
  t.match(feed.stream.head, {
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  });
  t.same(dataOf(feed.events()), await logOf(network));
  t.same(
    feed.events().map(({ id }) => Number(id)),
    feed.events().map((_, at) => at + 1),
  );
  const before = feed.events().length;
  await network.create('services', { name: 'live', encryptionRequired: true });
  t.equal(feed.events().length, before, 'gathered');
  await network.advance(50);
  t.match(feed.events().at(-1), { data: /"createService".*"live"/ });
  const [{ id = '' } = {}] = feed.events().slice(-2);
  const again = await follow(network, '?fromLsn=1', { 'last-event-id': id });
  t.same(again.events(), feed.events().slice(-1), 'goes on where it was');
  const now = await follow(network);
  t.same(now.events(), [], 'only what comes');
  await network.create('services', { name: 'later', encryptionRequired: true });
  await network.advance(50);
  t.same(now.events(), feed.events().slice(-1));
  await network.stop();
  for (const { stream } of [feed, again, now]) t.ok(stream.isOver, 'ends with the controller');
});

t.test('filters', async (t) => {
  const network = await furnishedNetwork();
  const routers = await follow(network, '?fromLsn=1&kind=router');
  t.same(dataOf(routers.events()), await logOf(network, '--kind', 'router'));
  const { id } = network.env.store.table(identityKind).findBy('name', 'berta')?.record ?? {};
  const berta = await follow(network, `?fromLsn=1&id=${id}`);
  t.same(dataOf(berta.events()), await logOf(network, '--id', String(id)));
  await network.advance(auditCommentMs);
  const last = network.core.journal.durableLsn;
  t.match(routers.stream.text, new RegExp(`:\\nid: ${last}\\n\\n$`), 'how far it looked');
  await network.stop();
});

t.test('no secret', async (t) => {
  const network = await furnishedNetwork();
  const secrets = new Set([...secretsOf(network), adminPassword, 'bertas-password', network.admin]);
  const berta = network.env.store.table(identityKind).findBy('name', 'berta')?.record.id;
  const feed = await follow(network, '?fromLsn=1');
  await network.must('DELETE', `M:/identities/${berta}`);
  await network.advance(50);
  t.match(feed.stream.text, /"passwordHash":\{"before":"\*{6}"\}/);
  t.ok(secrets.size > 10);
  let told = feed.stream.text;
  for (const kind of network.env.inspection.kinds) {
    for (const { record } of network.env.store.tableNamed(kind).all()) {
      const path = `M:/inspect/machines/${kind}/instances/${record.id}/transitions`;
      told += (await network.call('GET', path)).body.toString();
    }
  }
  for (const secret of secrets) t.notOk(told.includes(secret), secret.slice(0, 12));
  await network.stop();
});

t.test(
  'a policy that lets somebody in is told in full, and free-form secrets are not',
  async (t) => {
    const network = await bootNetwork();
    const feed = await follow(network);
    const updb = { allowed: true, minPasswordLength: 5, requireSpecialChar: false };
    await network.create('auth-policies', {
      name: 'back door',
      primary: {
        cert: { allowed: false, allowExpiredCerts: false },
        extJwt: { allowed: true, allowedSigners: [] },
        updb: {
          ...updb,
          requireNumberChar: false,
          requireMixedCase: false,
          maxAttempts: 0,
          lockoutDurationMinutes: 0,
        },
      },
      secondary: { requireTotp: false },
      tags: { apiKey: 'hidden-1', note: 'seen' },
    });
    await network.create('config-types', {
      name: 'free',
      schema: { type: 'object', properties: { passphrase: { default: 'hidden-2' } } },
    });
    await network.advance(50);
    const told = feed.stream.text;
    t.match(told, /"extJwt":\{"allowed":true,"allowedSigners":\[\]\}/);
    t.match(told, /"apiKey":"\*{6}","note":"seen"/);
    for (const secret of ['hidden-1', 'hidden-2']) t.notOk(told.includes(secret), secret);
    await network.stop();
  },
);

t.test('the callers that may read, and for how long', async (t) => {
  const network = await bootNetwork();
  await network.createUser('berta', 'bertas-password');
  const berta = await network.login('berta', 'bertas-password');
  t.match(await network.call('GET', 'M:/audit', { token: berta }), {
    status: 401,
    code: 'UNAUTHORIZED',
  });
  t.match(await network.call('GET', 'M:/audit', { token: null }), { status: 401 });
  const feed = await follow(network, '', { 'zt-session': network.admin });
  const second = await network.login('admin', adminPassword);
  await network.must('DELETE', 'C:/current-api-session');
  t.notOk(feed.stream.isOver);
  await network.advance(50);
  t.ok(feed.stream.isOver, 'ends with its API session');
  t.notMatch(feed.stream.text, 'deleteCurrentApiSession', 'and tells nothing behind that');
  t.equal(network.env.audit.size, 0);

  network.admin = second;
  const active = await follow(network);
  await network.advance(network.config.session.timeoutMinutes * 60_000 * 2);
  t.notOk(active.stream.isOver, 'who reads along is active');
  active.leave();
  t.equal(network.env.audit.size, 0);
  await network.stop();
});

t.test('a former administrator', async (t) => {
  const network = await bootNetwork();
  const id = await network.createUser('berta', 'bertas-password', { isAdmin: true });
  const berta = await network.login('berta', 'bertas-password');
  const feed = await follow(network, '', { 'zt-session': berta });
  await network.must('PATCH', `M:/identities/${id}`, { isAdmin: false });
  await network.advance(50);
  t.ok(feed.stream.isOver);
  t.same(feed.events(), []);
  await network.stop();
});

t.test('nothing is read for a client that does not read', async (t) => {
  const network = await bootNetwork({ bounds: { auditPageBytes: 2048 } });
  for (let i = 0; i < 20; i++) await network.createUser(`user ${i}`, 'a-password');
  const whole = await logOf(network);
  const feed = await follow(network, '?fromLsn=1');
  t.same(dataOf(feed.events()), whole);
  feed.stream.takes(1);
  const read = network.env.logReader.frames;
  let reads = 0;
  network.env.logReader.frames = (...args) => {
    reads += 1;
    return read.apply(network.env.logReader, args);
  };
  for (let i = 0; i < 20; i++) await network.createUser(`other ${i}`, 'a-password');
  await network.advance(60_000);
  const told = feed.events().length;
  t.ok(told < whole.length + 10, 'one page is told');
  const before = reads;
  await network.advance(60_000);
  t.equal(reads, before);
  feed.stream.takes(Number.POSITIVE_INFINITY);
  await network.advance(1000);
  t.same(dataOf(feed.events()), await logOf(network), 'all of it, once it reads again');
  await network.stop();
});

t.test('frames that went with a snapshot', async (t) => {
  const limits = { segmentBytes: 64 * 1024, frameBytesMax: 48 * 1024 };
  const network = await bootNetwork({ limits });
  const id = await network.create('services', { name: 'noise', encryptionRequired: true });
  const feed = await follow(network);
  feed.stream.takes(0);
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 12; i++) {
      const tags = { text: String.fromCharCode(97 + i).repeat(15_000) };
      await network.must('PATCH', `M:/services/${id}`, { tags });
    }
    await network.must('POST', 'M:/database/snapshot');
    await network.advance(120_000);
    await network.logInAdmin();
  }
  const lines = await logOf(network);
  const oldest = Number(/^\{"lsn":(\d+)/.exec(lines[0] ?? '')?.[1]);
  t.ok(oldest > 1);
  const fresh = await follow(network, '?fromLsn=1');
  const [gone, ...rest] = fresh.events();
  t.match(gone, { event: 'gone', id: String(oldest - 1) });
  t.same(JSON.parse(gone?.data ?? ''), { fromLsn: 1, toLsn: oldest - 1 });
  t.same(
    rest.map(({ id }) => Number(id)),
    lines.map((_, at) => oldest + at),
  );
  await network.stop();
});

t.test('invalid requests, and too many of them', async (t) => {
  const network = await bootNetwork({ limits: { auditStreamsMax: 1 } });
  for (const query of ['fromLsn=0', 'fromLsn=x', 'fromLsn=-1', 'fromLsn=1.5', 'kind=cat']) {
    const answer = await network.call('GET', `M:/audit?${query}`);
    const [field, value] = query.split('=');
    t.match(answer, { status: 400, cause: { field, value } }, query);
  }
  const headers = { 'last-event-id': 'x' };
  t.match(await network.call('GET', 'M:/audit', { headers }), {
    status: 400,
    cause: { field: 'last-event-id' },
  });
  const head = await network.call('HEAD', 'M:/audit');
  t.match(head, { status: 200, headers: { 'content-type': 'text/event-stream' } });
  const feed = await follow(network);
  t.match(await network.call('GET', 'M:/audit'), { status: 429, code: 'RATE_LIMITED' });
  feed.leave();
  const next = await follow(network);
  t.notOk(next.stream.isOver);
  await network.stop();
});

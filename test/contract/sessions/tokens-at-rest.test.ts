// Tokens on disk: no file of a home holds one in clear, and a home finds them again by their hash.

import t from 'tap';
import type { Sealing } from '../../../src/auth/sealing/sealing.ts';
import { StartProblem, secretMask } from '../../../src/errors/errors.ts';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { look } from '../../commands/offline/looking.ts';
import { bootNetwork, type Network } from '../../simulated/network.ts';

interface Outstanding {
  readonly token: string;
  readonly jwt: string;
}

/** A network in which somebody logs in, and an identity and two routers have yet to enroll. */
async function withTokens() {
  const network = await bootNetwork();
  await network.createUser('alice', 'alice-password');
  const session = await network.login('alice', 'alice-password');
  const desk = { name: 'desk', type: 'Default', isAdmin: false, enrollment: { ott: true } };
  await network.create('identities', desk);
  await network.create('edge-routers', { name: 'edge' });
  await network.create('transit-routers', { name: 'transit' });
  const shown = await network.must<Outstanding[]>('GET', 'M:/enrollments');
  const secrets = shown.flatMap(({ token, jwt }) => [token, jwt]);
  return { network, session, secrets: [network.admin, session, ...secrets] };
}

/** The secrets that some file below the home holds as they are. */
function inClear({ disk }: Network, secrets: readonly string[]): string[] {
  const files = ['/home', '/home/log', '/home/snapshots'].flatMap((folder) =>
    disk.list(folder).map((name) => `${folder}/${name}`),
  );
  const bytes = files.map((path) => disk.bytesOf(path));
  return secrets.filter((secret) => bytes.some((content) => content.includes(secret)));
}

t.test('neither log nor snapshots hold a token or an enrollment JWT', async (t) => {
  const { network, session, secrets } = await withTokens();
  t.equal(secrets.length, 8);
  await network.core.journal.flush();
  t.same(inClear(network, secrets), [], 'the log');
  await network.restart();
  t.same(inClear(network, secrets), [], 'the snapshot');
  const answer = await network.call('GET', 'C:/current-api-session', { token: session });
  t.match(answer.data, { token: session }, 'the token is good after a start');
  const shown = await network.must<Outstanding[]>('GET', 'M:/enrollments');
  t.same(
    shown.flatMap(({ token, jwt }) => [token, jwt]),
    secrets.slice(2),
    'and each JWT is the one that was handed out',
  );
  for (const plural of ['edge-routers', 'transit-routers']) {
    const [router] = await network.must<{ enrollmentToken: string; enrollmentJwt: string }[]>(
      ...(['GET', `M:/${plural}`] as const),
    );
    t.ok(secrets.includes(router?.enrollmentToken ?? ''));
    t.ok(secrets.includes(router?.enrollmentJwt ?? ''));
  }
  for (const command of ['log', 'check']) {
    const { stdout, stderr } = await look(network.disk, [command]);
    const hashes = secrets.map(tokenHash);
    const told = [...secrets, ...hashes].filter((one) => `${stdout}${stderr}`.includes(one));
    t.same(told, [], command);
  }
  await network.stop();
});

t.test(
  'a record that is written again keeps its sealed text, and no request opens it',
  async (t) => {
    const { network, session } = await withTokens();
    const { env } = network;
    const row = env.store.table(apiSessionKind).findBy('tokenHash', tokenHash(session));
    const { token: sealed, lastActivityAt } = row?.record ?? { token: '', lastActivityAt: 0 };
    t.not(sealed, session);
    const used: string[] = [];
    const { seal, open } = env.sealing;
    const watched: Sealing = Object.assign(env.sealing, {
      seal: (...args: Parameters<Sealing['seal']>) => {
        used.push('seal');
        return seal(...args);
      },
      open: (...args: Parameters<Sealing['open']>) => {
        used.push('open');
        return open(...args);
      },
    });
    t.equal(watched, env.sealing);
    await network.advance(1000);
    const answer = await network.call('GET', 'C:/current-api-session', { token: session });
    t.match(answer.data, { token: session });
    await network.advance(90_000);
    t.ok((row?.record.lastActivityAt ?? 0) > (lastActivityAt ?? 0), 'the activity was flushed');
    t.equal(row?.record.token, sealed);
    await network.must('GET', 'M:/api-sessions');
    t.same(used, []);
    await network.stop();
  },
);

t.test('a list of API sessions shows no token but that of the caller', async (t) => {
  const { network, session } = await withTokens();
  const answer = await network.call('GET', 'M:/api-sessions');
  t.notOk(answer.body.toString().includes(session));
  const shown = answer.data as { id: string; token: string }[];
  t.same(shown.map(({ token }) => token).sort(), [secretMask, network.admin].sort());
  for (const { id, token } of shown) {
    t.match(await network.must('GET', `M:/api-sessions/${id}`), { token });
  }
  const half = session.slice(0, 18);
  for (const query of [
    `filter=token%20contains%20%22${half}%22`,
    `filter=token%20%3E%20%22${half}%22`,
    'sort=token',
  ]) {
    const refused = await network.call('GET', `M:/api-sessions?${query}`);
    t.equal(refused.status, 400, `a part of a token is not found out by ${query}`);
  }
  const whole = await network.call('GET', `M:/api-sessions?filter=token%20%3D%20%22${session}%22`);
  t.match(whole.data, [{ token: secretMask }], 'whoever knows a token finds its session');
  t.notOk(whole.body.toString().includes(session));
  await network.stop();
});

t.test('a home whose sealing key is missing or another one does not start', async (t) => {
  const { network } = await withTokens();
  await network.stop();
  const path = '/home/pki/sealing.key';
  const key = network.disk.bytesOf(path);
  network.disk = network.disk.kill();
  network.disk.place(path, Buffer.from(`${'ab'.repeat(32)}\n`));
  await t.rejects(network.open(), StartProblem);
  await t.rejects(network.open(), /sealing\.key is not the key that .* tokens of this home/);
  const other = await look(network.disk, ['check']);
  t.match(other, { code: 1, stdout: /^\/home\/pki\/sealing\.key is not the key .*\n$/ });
  network.disk.place(path, Buffer.from('no key\n'));
  t.match((await look(network.disk, ['check'])).stdout, /does not hold a key/);
  network.disk.remove(path);
  const missing = await look(network.disk, ['check']);
  t.match(missing, { code: 1, stdout: /^\/home\/pki\/sealing\.key is missing, .*\n$/ });
  t.notOk(network.disk.exists(path), 'and none is made');
  network.disk.place(path, key);
  await network.open();
  await network.stop();
});

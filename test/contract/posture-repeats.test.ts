// Posture responses that say nothing new: they write no frame, and their times are flushed as the
// activity of API sessions is.

import t from 'tap';
import type { BoundValues } from '../../src/settings/bounds.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';

const secondMs = 1000;
const flushMs = 90_000;

interface Scene {
  readonly network: Network;
  readonly alice: string;
  readonly token: string;
}

async function boot(options: NetworkOptions = {}): Promise<Scene> {
  const network = await bootNetwork(options);
  const alice = await network.createUser('alice', 'alice-password');
  return { network, alice, token: await network.login('alice', 'alice-password') };
}

async function respond({ network, token }: Scene, body: object): Promise<void> {
  const path = Array.isArray(body) ? 'C:/posture-response-bulk' : 'C:/posture-response';
  await network.must('POST', path, body, token);
}

/** The frames of the log, by the operations that wrote them. */
function framesOf({ network }: Scene): string[] {
  const written: string[] = [];
  network.env.store.follow(({ cause }) => void written.push(cause.operation));
  return written;
}

interface Part {
  readonly lastUpdatedAt: string;
  readonly postureCheckId: string;
}

interface Shown {
  readonly os: Part;
  readonly domain: Part & { readonly domain: string };
  readonly mac: Part;
  readonly processes: readonly Part[];
}

const shown = ({ network, alice }: Scene) =>
  network.must<Shown>('GET', `M:/identities/${alice}/posture-data`);

const timeNow = ({ network }: Scene) => new Date(network.clock.now()).toISOString();

const stampOf = ({ network, token }: Scene) =>
  network
    .must<{ lastChangeAt: string }>(
      ...(['GET', 'C:/current-api-session/service-updates', undefined, token] as const),
    )
    .then(({ lastChangeAt }) => lastChangeAt);

const os = { id: 'o', typeId: 'OS', type: 'Linux', version: '6.1.0' };
const domain = { id: 'd', typeId: 'DOMAIN', domain: 'corp.example' };
const mac = { id: 'm', typeId: 'MAC', macAddresses: ['00:11:22:33:44:55'] };
const process = (id: string, path: string, more: object = {}) => ({
  id,
  typeId: 'PROCESS',
  path,
  isRunning: true,
  ...more,
});
const all = [os, domain, mac, process('p', '/bin/a'), process('p', '/bin/b')];

t.test('a repeated response writes nothing; its time and its stamp are right', async (t) => {
  const scene = await boot();
  const { network } = scene;
  await respond(scene, all);
  const written = framesOf(scene);
  for (const body of [all, ...all]) {
    await network.advance(secondMs);
    await respond(scene, body);
    t.equal(await stampOf(scene), timeNow(scene), 'its identity looks at its services again');
  }
  t.same(written, []);
  const data = await shown(scene);
  const at = (secondsAgo: number) =>
    new Date(network.clock.now() - secondsAgo * secondMs).toISOString();
  t.same(
    [data.os, data.domain, data.mac, ...data.processes].map(({ lastUpdatedAt }) => lastUpdatedAt),
    [at(4), at(3), at(2), at(1), at(0)],
  );
  await network.stop();
});

t.test(
  'a response that says something else is written at once, with the times before',
  async (t) => {
    const scene = await boot();
    const { network } = scene;
    await respond(scene, all);
    const written = framesOf(scene);
    await network.advance(secondMs);
    const repeatedAt = timeNow(scene);
    await respond(scene, [os, mac]);
    await network.advance(secondMs);
    await respond(scene, { ...domain, domain: 'other.example' });
    t.same(written, ['createPostureResponse']);
    await network.crash();
    const data = await shown(scene);
    t.equal(data.domain.domain, 'other.example');
    t.equal(data.os.lastUpdatedAt, repeatedAt, 'the record took the time of the repetition along');
    t.equal(data.mac.lastUpdatedAt, repeatedAt);
    await network.stop();
  },
);

t.test('a flush writes the times, moves no stamp and is not repeated', async (t) => {
  const scene = await boot();
  const { network } = scene;
  await respond(scene, all);
  await network.advance(secondMs);
  await respond(scene, all);
  const repeatedAt = timeNow(scene);
  const written = framesOf(scene);
  const flushes = () => written.filter((operation) => operation === 'flushPosture').length;
  await network.advance(flushMs);
  t.equal(flushes(), 1);
  t.equal(await stampOf(scene), repeatedAt);
  await network.advance(flushMs);
  t.equal(flushes(), 1, 'nothing moved');
  await network.crash();
  t.equal((await shown(scene)).os.lastUpdatedAt, repeatedAt);
  await network.stop();
});

t.test('a crash costs times, never a verdict; a clean stop costs nothing', async (t) => {
  const scene = await boot();
  const { network } = scene;
  await respond(scene, all);
  const writtenAt = timeNow(scene);
  await network.advance(secondMs);
  await respond(scene, all);
  await network.crash();
  let data = await shown(scene);
  t.equal(data.os.lastUpdatedAt, writtenAt);
  t.equal(data.domain.domain, 'corp.example');
  await network.advance(secondMs);
  await respond(scene, all);
  const repeatedAt = timeNow(scene);
  await network.restart();
  data = await shown(scene);
  t.equal(data.os.lastUpdatedAt, repeatedAt);
  await network.stop();
});

t.test('responses are repetitions only while no check can tell them apart', async (t) => {
  const scene = await boot();
  const { network } = scene;
  const checks: Record<string, string> = {};
  const wanted = { osType: 'Linux', path: '/bin/a' };
  const more = {
    PROCESS: { process: wanted },
    PROCESS_MULTI: { semantic: 'AllOf', processes: [wanted] },
  };
  for (const [typeId, own] of Object.entries(more)) {
    checks[typeId] = await network.create('posture-checks', { name: typeId, typeId, ...own });
  }
  const { PROCESS: single = '', PROCESS_MULTI: multi = '' } = checks;
  const steps: [string, object, number][] = [
    ['processes of a check of many', [process(multi, '/a'), process(multi, '/b')], 1],
    ['the first of them again', process(multi, '/a'), 0],
    ['in another order', [process(multi, '/b'), process(multi, '/a')], 0],
    ['one that ended', process(multi, '/a', { isRunning: false }), 1],
    ['that again', process(multi, '/a', { isRunning: false }), 0],
    ['the same path under another check, alike', process('x', '/b'), 1],
    ['again', process('x', '/b'), 0],
    ['under that check it ended', process('x', '/b', { isRunning: false }), 1],
    ['under the first it runs: the latest of a path counts', process(multi, '/b'), 1],
    ['again', process(multi, '/b'), 0],
    ['two paths for a check of one process', [process(single, '/a'), process(single, '/b')], 1],
    ['the latest again', process(single, '/b'), 0],
    ['the other: the latest of the check counts', process(single, '/a'), 1],
    ['a system for another check', { ...os, id: 'first' }, 1],
    ['the same system for another check', { ...os, id: 'second' }, 0],
    ['another build of it', { ...os, build: '7' }, 1],
    ['an address', mac, 1],
    ['the same, written otherwise', { ...mac, macAddresses: ['001122334455'] }, 0],
    ['one more', { ...mac, macAddresses: ['001122334455', 'aa'] }, 1],
  ];
  const written = framesOf(scene);
  for (const [what, body, frames] of steps) {
    written.length = 0;
    await respond(scene, body);
    t.equal(written.length, frames, what);
  }
  await network.stop();
});

t.test('what is repeated counts as recent where older processes go', async (t) => {
  const scene = await boot({ bounds: { postureProcessesMax: 3 } });
  const kept = async () => (await shown(scene)).processes.map((one) => one.postureCheckId).join('');
  await respond(
    scene,
    ['a', 'b', 'c'].map((id) => process(id, `/${id}`)),
  );
  await respond(scene, process('a', '/a'));
  await respond(scene, process('d', '/d'));
  t.equal(await kept(), 'cad');
  await scene.network.stop();
});

t.test('postureFlushRowsMax rows and postureFlushBytesMax bytes in a frame', async (t) => {
  const rowsOfFlushes = async (bounds: BoundValues) => {
    const scene = await boot({ bounds });
    const { network } = scene;
    const body = { ...os, version: '1'.repeat(900) };
    const tokens = [scene.token];
    for (const name of ['bobby', 'carol']) {
      await network.createUser(name, 'some-password');
      tokens.push(await network.login(name, 'some-password'));
    }
    for (let i = 0; i < 2; i++) {
      for (const token of tokens) await network.must('POST', 'C:/posture-response', body, token);
    }
    const rows: number[] = [];
    network.env.store.follow(({ cause, changes }) => {
      if (cause.operation === 'flushPosture') rows.push(changes.length);
    });
    await network.advance(flushMs);
    await network.stop();
    return rows;
  };
  t.same(await rowsOfFlushes({}), [3]);
  t.same(await rowsOfFlushes({ postureFlushRowsMax: 2 }), [2, 1]);
  t.same(await rowsOfFlushes({ postureFlushBytesMax: 1024 }), [1, 1, 1]);
});

t.test('postureBytesMax bytes of an identity, before and after a restart', async (t) => {
  const scene = await boot({ bounds: { postureBytesMax: 4000 } });
  const { network, token } = scene;
  const long = (id: string) => process(id, 'p'.repeat(1000));
  await respond(scene, [domain, long('a'), long('b'), long('c')]);
  const kept = async () => (await shown(scene)).processes.map((one) => one.postureCheckId).join('');
  t.equal(await kept(), 'abc');
  await network.restart();
  const written = framesOf(scene);
  await respond(scene, long('d'));
  t.equal(await kept(), 'bcd', 'what was submitted earlier makes room');
  const tooMuch = ['e', 'f', 'g', 'h'].map(long);
  const refused = await network.call('POST', 'C:/posture-response-bulk', { token, body: tooMuch });
  t.match(refused, { status: 400, code: 'POSTURE_DATA_TOO_LARGE' });
  t.equal(await kept(), 'bcd', 'nothing of it was taken');
  t.same(written, ['createPostureResponse']);
  await network.stop();
});

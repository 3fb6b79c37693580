// MFA beyond the text cases: many requests at once, blocks, the data on disk, other settings.

import t, { type Test } from 'tap';
import { StartProblem } from '../../../src/errors/errors.ts';
import { mfaEnrollmentKind } from '../../../src/records/mfa-enrollment.ts';
import { appCode, fromBase32 } from '../../simulated/authenticator-app.ts';
import { bootNetwork, Network, type NetworkOptions } from '../../simulated/network.ts';

const own = 'C:/current-identity/mfa';

/** An identity with verified MFA, its session, and what stands on its phone and on its paper. */
async function enrolled(options: NetworkOptions = {}) {
  const network = await bootNetwork(options);
  const alice = await network.createUser('alice', 'alice-password');
  const session = await network.login('alice', 'alice-password');
  await network.must('POST', own, undefined, session);
  const shown = await network.must<{ provisioningUrl: string; recoveryCodes: string[] }>(
    ...(['GET', own, undefined, session] as const),
  );
  const code = (steps = 0) => appCode(shown.provisioningUrl, network.clock.now(), steps);
  const give = (value: string, path = 'C:/authenticate/mfa') =>
    network.call('POST', path, { token: session, body: { code: value } });
  await network.must('POST', `${own}/verify`, { code: code() }, session);
  return { network, alice, session, ...shown, code, give };
}

const outcome = ({ status, code }: { status: number; code: string | undefined }) =>
  code === undefined ? String(status) : `${status} ${code}`;

t.test('of a hundred uses of one code at once, one succeeds', async (t) => {
  const { network, code, give, recoveryCodes, session } = await enrolled();
  const atOnce = async (value: string) =>
    (await Promise.all(Array.from({ length: 100 }, () => give(value)))).map(outcome);
  const byCode = await atOnce(code());
  t.equal(byCode.filter((one) => one === '200').length, 1);
  t.equal(byCode.filter((one) => one === '401 MFA_INVALID_TOKEN').length, 99, 'none is a guess');
  const [first = ''] = recoveryCodes;
  const byRecovery = await atOnce(first);
  t.equal(byRecovery.filter((one) => one === '200').length, 1);
  t.equal(byRecovery.filter((one) => one === '429 RATE_LIMITED').length, 89, 'once it is gone');
  await network.advance(60_000);
  const left = await network.call('GET', `${own}/recovery-codes`, {
    token: session,
    headers: { 'mfa-validation-code': code() },
  });
  t.same((left.data as { recoveryCodes: string[] }).recoveryCodes, recoveryCodes.slice(1));
  await network.stop();
});

t.test(
  'what was opened goes when nothing is shown any more, and with its enrollment',
  async (t) => {
    const network = await bootNetwork({});
    const forgotten = t.capture(network.env.mfa, 'forget', network.env.mfa.forget);
    const rows = () => forgotten().map(({ args }) => args[0].record.identityId);
    const alice = await network.createUser('alice', 'alice-password');
    const session = await network.login('alice', 'alice-password');
    await network.must('POST', own, undefined, session);
    rows();
    const { provisioningUrl: url } = await network.must<{ provisioningUrl: string }>(
      ...(['GET', own, undefined, session] as const),
    );
    const code = () => ({ code: appCode(url, network.clock.now(), 0) });
    await network.must('POST', `${own}/verify`, code(), session);
    t.same(rows(), [alice], 'it is verified');
    await network.advance(60_000);
    await network.must('POST', 'C:/authenticate/mfa', code(), session);
    t.same(rows(), [], 'a login leaves it');
    await network.must('DELETE', `M:/identities/${alice}`);
    t.same(rows(), [alice]);
    await network.stop();
  },
);

t.test('a login by code is one frame', async (t) => {
  const { network, code, give } = await enrolled();
  const { journal } = network.core;
  const before = journal.durableLsn;
  t.equal(outcome(await give(code())), '200');
  t.equal(journal.durableLsn, before + 1);
  await network.stop();
});

t.test('a removed MFA makes a partial session full without a frame', async (t) => {
  const { network, alice } = await enrolled();
  const partial = await network.login('alice', 'alice-password');
  const list = async () => outcome(await network.call('GET', 'C:/services', { token: partial }));
  t.equal(await list(), '401 UNAUTHORIZED');
  await network.must('DELETE', `M:/identities/${alice}/mfa`);
  const { journal } = network.core;
  const before = journal.durableLsn;
  t.equal(await list(), '200');
  t.equal(await list(), '200');
  t.equal(journal.durableLsn, before);
  await network.stop();
});

/** Every operation that takes a code of a verified enrollment, and what a barred caller is told. */
const takers = [
  ['POST', 'C:/authenticate/mfa', '429 RATE_LIMITED'],
  ['POST', 'M:/authenticate/mfa', '429 RATE_LIMITED'],
  ['GET', `${own}/recovery-codes`, '401 RATE_LIMITED'],
  ['POST', `${own}/recovery-codes`, '401 RATE_LIMITED'],
  ['DELETE', own, '401 RATE_LIMITED'],
] as const;

type Enrolled = Awaited<ReturnType<typeof enrolled>>;

async function use({ network, session }: Enrolled, method: string, path: string, code: string) {
  const carried =
    method === 'POST' ? { body: { code } } : { headers: { 'mfa-validation-code': code } };
  return outcome(await network.call(method, path, { token: session, ...carried }));
}

const minute = 60_000;

for (const isRestarted of [false, true]) {
  const when = isRestarted ? ', after a crash' : '';
  for (const [usedBy, method, path] of [
    ['verify', undefined, ''],
    ['authenticate', 'POST', 'C:/authenticate/mfa'],
    ['the look at recovery codes', 'GET', `${own}/recovery-codes`],
    ['their replacement', 'POST', `${own}/recovery-codes`],
  ] as const) {
    t.test(`the clock is set back${when}: the code of ${usedBy} is not good again`, async (t) => {
      const world = await enrolled();
      const { network, code } = world;
      const used = code();
      if (method !== undefined) {
        await network.advance(2 * minute);
        t.equal(await use(world, method, path, code()), '200');
      }
      const spent = method === undefined ? used : code();
      await network.advance(10 * minute);
      network.clock.jump(-10 * minute);
      if (isRestarted) await network.crash();
      t.equal(code(), spent, 'the app shows it again');
      for (const [again, at] of takers) {
        t.equal(await use(world, again, at, spent), '401 MFA_INVALID_TOKEN', `${again} ${at}`);
      }
      await network.advance(minute);
      for (const [again, at] of takers.slice(1)) {
        t.equal(await use(world, again, at, code()), '200', `${again} ${at}, the next code`);
      }
      await network.stop();
    });
  }

  t.test(`the clock is set back${when}: a recovery code is not good again`, async (t) => {
    const world = await enrolled();
    const { network, recoveryCodes } = world;
    const [first = '', second = ''] = recoveryCodes;
    t.equal(await use(world, 'POST', 'C:/authenticate/mfa', first), '200');
    await network.advance(10 * minute);
    network.clock.jump(-10 * minute);
    if (isRestarted) await network.crash();
    for (const [again, at] of takers) {
      t.equal(await use(world, again, at, first), '401 MFA_INVALID_TOKEN', `${again} ${at}`);
    }
    t.equal(await use(world, 'POST', 'C:/authenticate/mfa', second), '200', 'another one is');
    await network.stop();
  });
}

t.test('an enrollment of version 1 counts what authenticate-MFA accepted as used', async (t) => {
  const values = [1, 1, null, null, 'verified', 'alice', 'sealed', 'sealed', 58_000_000];
  t.match(mfaEnrollmentKind.codec.decode('m', 1, values), {
    lastTimeStep: 58_000_000,
    lastUsedStep: 58_000_000,
  });
});

t.test('a code serves several operations while it is shown, and each login one code', async (t) => {
  const world = await enrolled();
  const { network, code } = world;
  for (const [method, path] of takers.slice(1)) {
    t.equal(await use(world, method, path, code()), '200', `${method} ${path}, after verify`);
  }
  await network.stop();
});

t.test('ten wrong codes, wherever they are given, bar the identity everywhere', async (t) => {
  const world = await enrolled();
  const { network, code, give } = world;
  for (let wrong = 0; wrong < 10; wrong++) {
    const [method, path] = takers[wrong % takers.length] ?? takers[0];
    t.equal(await use(world, method, path, '000000'), '401 MFA_INVALID_TOKEN');
  }
  for (const [method, path, refusal] of takers) {
    t.equal(await use(world, method, path, code()), refusal, `${method} ${path}: right`);
    t.equal(await use(world, method, path, '000000'), refusal, 'wrong');
    t.equal(await use(world, method, path, ''), refusal, 'none');
  }
  t.match(await network.call('GET', own, { token: world.session }), { status: 200 });
  await network.advance(59_999);
  t.equal(outcome(await give(code())), '429 RATE_LIMITED');
  await network.advance(1);
  t.equal(outcome(await give(code())), '200', 'what was barred is not spent');
  await network.stop();
});

t.test('the bar doubles until a right code; one given twice is neither', async (t) => {
  const { network, code, give } = await enrolled();
  const wrong = async (count: number) => {
    for (let n = 0; n < count; n++) t.equal(outcome(await give('000000')), '401 MFA_INVALID_TOKEN');
  };
  for (const barMs of [60_000, 120_000, 240_000]) {
    await wrong(10);
    await network.advance(barMs - 1);
    t.equal(outcome(await give('000000')), '429 RATE_LIMITED', `${barMs} ms`);
    await network.advance(1);
  }
  await wrong(9);
  t.equal(outcome(await give(code())), '200');
  await wrong(9);
  t.equal(outcome(await give(code())), '401 MFA_INVALID_TOKEN', 'given twice: not counted');
  await wrong(1);
  t.equal(outcome(await give('000000')), '429 RATE_LIMITED', 'and it did not clear the count');
  await network.advance(60_000);
  t.equal(outcome(await give(code())), '200', 'the first bar again');
  await network.stop();
});

t.test('the code of a pending enrollment is counted as well', async (t) => {
  const network = await bootNetwork();
  await network.must('POST', 'M:/current-identity/mfa');
  const verify = async (code: string) =>
    outcome(await network.call('POST', 'M:/current-identity/mfa/verify', { body: { code } }));
  const path = 'M:/current-identity/mfa';
  const { provisioningUrl } = await network.must<{ provisioningUrl: string }>('GET', path);
  t.equal(await verify(''), '401 MFA_INVALID_TOKEN', 'no code is no guess');
  for (let n = 0; n < 10; n++) t.equal(await verify('000000'), '401 MFA_INVALID_TOKEN');
  t.equal(await verify(appCode(provisioningUrl, network.clock.now())), '401 RATE_LIMITED');
  await network.must('DELETE', path);
  await network.must('POST', path);
  t.equal(await verify('000000'), '401 MFA_INVALID_TOKEN', 'another secret, another count');
  await network.stop();
});

t.test('others are not barred, and an administrator frees who is', async (t) => {
  const { network, alice, code, give } = await enrolled();
  for (let n = 0; n < 11; n++) await give('000000');
  t.equal(outcome(await give(code())), '429 RATE_LIMITED');
  t.match(await network.call('POST', 'C:/authenticate/mfa', { body: { code: '000000' } }), {
    status: 401,
    code: 'MFA_NOT_ENROLLED',
  });
  await network.must('DELETE', `M:/identities/${alice}/mfa`);
  t.equal(outcome(await give(code())), '401 MFA_NOT_ENROLLED');
  await network.stop();
});

t.test('settings: issuer and window', async (t) => {
  for (const windowSteps of [0, 2]) {
    const { network, provisioningUrl, code, give } = await enrolled({
      config: { totp: { issuer: 'edge & co', windowSteps } },
    });
    const url = new URL(provisioningUrl);
    t.equal(url.pathname, '/edge%20%26%20co:alice');
    t.equal(url.searchParams.get('issuer'), 'edge & co');
    t.equal(outcome(await give(code(-windowSteps - 1))), '401 MFA_INVALID_TOKEN');
    t.equal(outcome(await give(code(windowSteps + 1))), '401 MFA_INVALID_TOKEN');
    t.equal(outcome(await give(code(-windowSteps))), '200');
    if (windowSteps > 0) t.equal(outcome(await give(code(windowSteps))), '200');
    await network.stop();
  }
});

t.test('neither disk nor log nor refusals show a secret or a code', async (t) => {
  const { network, session, provisioningUrl, recoveryCodes, code, give } = await enrolled();
  const secret = new URL(provisioningUrl).searchParams.get('secret') ?? '';
  const refused: string[] = [];
  const note = (answer: { status: number; body: Buffer }) => {
    t.ok(answer.status >= 400);
    refused.push(answer.body.toString());
  };
  const [first = '', second = ''] = recoveryCodes;
  await give(first);
  note(await give(first));
  await give(code());
  note(await give(code()));
  const bodies = [{ code: { code: second } }, { code: [second] }, [{ code: second }]];
  for (const body of bodies) {
    note(await network.call('POST', 'C:/authenticate/mfa', { token: session, body }));
  }
  const headers = { 'mfa-validation-code': second };
  note(await network.call('GET', `${own}/recovery-codes`, { token: session, headers }));
  await network.restart();
  const secrets = [secret, ...recoveryCodes, code()];
  for (const text of [...refused, ...network.logged]) leaks(t, Buffer.from(text), secrets);
  for (const folder of ['/home/log', '/home/snapshots', '/home']) {
    for (const name of network.disk.list(folder)) {
      const bytes = network.disk.bytesOf(`${folder}/${name}`);
      leaks(t, bytes, [...secrets.slice(0, -1), fromBase32(secret)]);
    }
  }
  await network.stop();
});

function leaks(t: Test, bytes: Buffer, secrets: readonly (string | Buffer)[]): void {
  for (const secret of secrets) t.notOk(bytes.includes(secret), bytes.toString('latin1', 0, 200));
}

t.test('a home whose key is another does not start, and starts with its own again', async (t) => {
  const { network, code, give } = await enrolled();
  await network.stop();
  const path = '/home/pki/sealing.key';
  const key = network.disk.bytesOf(path);
  network.disk.place(path, Buffer.from(`${'0'.repeat(64)}\n`));
  await t.rejects(network.open(), StartProblem);
  await t.rejects(network.open(), /sealing\.key is not the key that the second factors/);
  network.disk.place(path, key);
  await network.open();
  t.equal(outcome(await give(code())), '401 MFA_INVALID_TOKEN', 'the one of before the stop');
  await network.advance(30_000);
  t.equal(outcome(await give(code())), '200');
  await network.stop();
  const other = new Network({});
  other.disk.place(path, Buffer.from(`${'0'.repeat(64)}\n`));
  await other.open();
  await other.stop();
});

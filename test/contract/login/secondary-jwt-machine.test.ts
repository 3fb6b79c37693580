// A secondary JWT makes the API session fully authenticated for as long as it is valid: in its
// machine, in its history, and wherever it is shown (behaviour/api-sessions#secondary-jwts).

import t, { type Test } from 'tap';
import { apiSessionKind } from '../../../src/records/api-session.ts';
import { claims, sign, startSeconds } from '../../auth/identity-provider.ts';
import { appCode } from '../../simulated/authenticator-app.ts';
import { inject } from '../../simulated/inject.ts';
import { type NetworkOptions, urlOf } from '../../simulated/network.ts';
import { key, type SecondFactor, setUp } from './second-factor-token.ts';

const minuteMs = 60_000;

/** A token that expires `seconds` after the start. */
const tokenFor = (seconds: number, more: object = {}) =>
  sign(key, claims({ exp: startSeconds + seconds, ...more }));

/** A session of alice that owes a token. */
async function logIn(options: NetworkOptions = {}, isAdmin = true) {
  const factor = await setUp(options, isAdmin);
  const session = await factor.network.login('alice', 'alice-password');
  const { id } = (await factor.call('C:/current-api-session', session)).data as { id: string };
  return { ...factor, session, id };
}

type Scene = SecondFactor & { readonly session: string; readonly id: string };

/** The session as its machine, its own client, lists, counts and the inspector have it. */
async function isShown(
  t: Test,
  scene: Scene,
  state: string,
  isMfaComplete: boolean,
  needsJwt = true,
) {
  const { network, call, session, id } = scene;
  const words = `${state}, each request needs a JWT of signer 'idp'`;
  const stateInWords = needsJwt ? words : undefined;
  const { record } = network.env.store.table(apiSessionKind).find(id) ?? {};
  t.match(record, { state, isMfaComplete }, 'the record');
  const seen = { isMfaComplete, stateInWords };
  t.match((await call('C:/current-api-session', session)).data, seen, 'its own view');
  t.match(await network.must('GET', `M:/api-sessions/${id}`), seen);
  const filter = encodeURIComponent(`id = "${id}" and mfaComplete = ${isMfaComplete}`);
  const rows = await network.must<unknown[]>('GET', `M:/api-sessions?filter=${filter}`);
  t.match(rows, [seen], 'a filter');
  t.equal(rows.length, 1);
  const machines = await network.must<{ id: string; counts: object }[]>(
    'GET',
    'M:/inspect/machines',
  );
  const counts = { full: 1, partial: 0, [state]: state === 'full' ? 2 : 1 };
  t.match(machines.find((machine) => machine.id === 'apiSession')?.counts, counts, 'the counts');
  const byId = encodeURIComponent(`id = "${id}"`);
  const path = `M:/inspect/machines/apiSession/instances/${id}`;
  t.match(await network.must('GET', path), { state, stateInWords }, 'the inspector');
  const instances = `M:/inspect/machines/apiSession/instances?filter=${byId}`;
  t.match(await network.must('GET', instances), [{ state, stateInWords }], 'its lists');
}

/** The events of the session in the log, the newest first. */
async function history({ network, id }: Scene): Promise<string[]> {
  const path = `M:/inspect/machines/apiSession/instances/${id}/transitions`;
  const { transitions } = await network.must<{
    transitions: { event: string; from: string; to: string; operation: string }[];
  }>('GET', path);
  return transitions.map(({ event, from, to, operation }) => `${operation} ${event} ${from} ${to}`);
}

/** When the session changes next by itself, and how. */
async function wait({ network, id }: Scene): Promise<unknown> {
  const path = `M:/inspect/machines/apiSession/instances/${id}`;
  return (await network.must<{ deadline: unknown }>('GET', path)).deadline;
}

const framesOf = ({ network }: Scene) => network.core.journal.lastLsn;
const became = 'secondaryJwt completeSecondFactor partial full';
const fellBack = 'deadline expireSecondaryJwt full partial';

t.test('the first request that brings one, and the end of its time', async (t) => {
  const scene = await logIn();
  const { network, call, session } = scene;
  await isShown(t, scene, 'partial', false);
  const token = await tokenFor(600);
  const before = framesOf(scene);
  t.match(await call('C:/services', session, token), { status: 200 });
  t.equal(framesOf(scene), before + 1);
  for (let n = 0; n < 3; n++) await call('C:/services', session, token);
  t.equal(framesOf(scene), before + 1, 'no frame per request');
  await isShown(t, scene, 'full', true);
  t.match(await call('C:/services', session), { status: 401 }, 'each request must bring one');
  t.match((await call('C:/current-api-session', session)).data, {
    authQueries: [{ typeId: 'EXT-JWT' }],
  });
  t.match(await wait(scene), {
    at: new Date((startSeconds + 600) * 1000).toISOString(),
    event: 'expireSecondaryJwt',
  });
  await network.advance(600_000 - 1);
  await isShown(t, scene, 'full', true);
  await network.advance(1);
  await isShown(t, scene, 'partial', false);
  t.match(await wait(scene), { event: 'timeout' });
  t.same((await history(scene)).slice(0, 2), [fellBack, became]);
  await network.stop();
});

t.test('of a partial session even the view of itself, and a public operation', async (t) => {
  for (const path of ['M:/current-api-session', 'C:/version']) {
    const scene = await logIn();
    const { network, call, session } = scene;
    const { data } = await call(path, session, await tokenFor(600));
    if (path.startsWith('M')) t.match(data, { isMfaComplete: true, authQueries: [] });
    await isShown(t, scene, 'full', true);
    await network.stop();
  }
});

t.test('one that comes with the login', async (t) => {
  const factor = await setUp();
  const { network } = factor;
  const answer = await network.call('POST', 'C:/authenticate?method=password', {
    token: null,
    headers: { authorization: `Bearer ${await tokenFor(600)}` },
    body: { username: 'alice', password: 'alice-password' },
  });
  t.match(answer.data, { isMfaComplete: true, isMfaRequired: false, authQueries: [] });
  const { id, token: session } = answer.data as { id: string; token: string };
  const scene = { ...factor, session, id };
  await isShown(t, scene, 'full', true);
  await network.advance(600_000);
  await isShown(t, scene, 'partial', false);
  await network.stop();
});

t.test('a later one extends the time, if it is noticeably later', async (t) => {
  const scene = await logIn();
  const { network, call, session } = scene;
  const use = async (seconds: number) => {
    const before = framesOf(scene);
    t.match(await call('C:/services', session, await tokenFor(seconds)), { status: 200 });
    return framesOf(scene) - before;
  };
  t.equal(await use(60), 1);
  t.equal(await use(69), 0, 'clients may get a new one for every request');
  t.equal(await use(30), 0, 'an earlier one');
  t.equal(await use(70), 1);
  t.equal(await use(60), 0);
  t.equal(await use(600), 1);
  await network.advance(600_000 - 1);
  await isShown(t, scene, 'full', true);
  await network.advance(1);
  await isShown(t, scene, 'partial', false);
  t.equal(await use(1200), 1);
  await isShown(t, scene, 'full', true);
  await network.stop();
});

for (const way of ['restart', 'crash', 'kill'] as const) {
  t.test(`after a ${way} it is the same`, async (t) => {
    const scene = await logIn();
    const { network, call, session } = scene;
    t.match(await call('C:/services', session, await tokenFor(600)), { status: 200 });
    await network[way]();
    await isShown(t, scene, 'full', true);
    t.match(await wait(scene), { event: 'expireSecondaryJwt' });
    await network.advance(600_000);
    await isShown(t, scene, 'partial', false);
    t.match(await call('C:/services', session, await tokenFor(1200)), { status: 200 });
    network.clock.jump(600_000);
    await network[way]();
    await network.advance(0);
    await isShown(t, scene, 'partial', false);
    t.same((await history(scene)).slice(0, 4), [fellBack, became, fellBack, became]);
    await network.stop();
  });
}

t.test('a session that is idle ends before its token does', async (t) => {
  const scene = await logIn();
  const { network, call, session, id } = scene;
  t.match(await call('C:/services', session, await tokenFor(86_400)), { status: 200 });
  t.match(await wait(scene), { event: 'timeout' });
  await network.advance(30 * minuteMs);
  t.equal(network.env.store.table(apiSessionKind).find(id), undefined);
  await network.stop();
});

t.test('a code stays accepted when the token expires', async (t) => {
  const scene = await logIn();
  const { network, call, session, signerId, authPolicyId } = scene;
  const secondary = { requireTotp: true, requireExtJwtSigner: signerId };
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, { secondary });
  const token = await tokenFor(600);
  const before = framesOf(scene);
  t.match(await call('C:/services', session, token), { status: 401 });
  t.equal(framesOf(scene), before, 'a code is owed as well');
  const own = 'C:/current-identity/mfa';
  t.match(await call(own, session, undefined, 'POST'), { status: 201 });
  const { provisioningUrl } = (await call(own, session)).data as { provisioningUrl: string };
  const code = appCode(provisioningUrl, network.clock.now());
  t.match(await call(`${own}/verify`, session, token, 'POST', { code }), { status: 200 });
  await isShown(t, scene, 'full', true);
  await network.advance(600_000);
  await isShown(t, scene, 'partial', true);
  const next = await tokenFor(1200);
  t.match(await call('C:/services', session, next), { status: 200 }, 'no code is owed again');
  await isShown(t, scene, 'full', true);
  await network.stop();
});

t.test('a token is never taken for a code', async (t) => {
  const scene = await logIn();
  const { network, call, session, signerId, authPolicyId } = scene;
  const token = await tokenFor(600);
  t.match(await call('C:/services', session, token), { status: 200 });
  const secondary = { requireTotp: true, requireExtJwtSigner: signerId };
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, { secondary });
  t.match((await call('C:/current-api-session', session, token)).data, {
    authQueries: [{ typeId: 'MFA' }],
  });
  t.match(await call('C:/services', session, token), { status: 401 });
  await network.stop();
});

t.test('a policy that has stopped asking for one leaves the session full', async (t) => {
  const scene = await logIn();
  const { network, call, session, authPolicyId } = scene;
  t.match(await call('C:/services', session, await tokenFor(600)), { status: 200 });
  const secondary = { requireExtJwtSigner: '' };
  await network.must('PATCH', `M:/auth-policies/${authPolicyId}`, { secondary });
  await network.advance(600_000);
  await isShown(t, scene, 'full', false, false);
  t.match(await call('C:/services', session), { status: 200 });
  await network.stop();
});

t.test('a policy that begins to ask for one', async (t) => {
  const scene = await logIn();
  const { network, call, authPolicyId, signerId } = scene;
  const policy = `M:/auth-policies/${authPolicyId}`;
  await network.must('PATCH', policy, { secondary: { requireExtJwtSigner: '' } });
  const session = await network.login('alice', 'alice-password');
  await network.must('PATCH', policy, { secondary: { requireExtJwtSigner: signerId } });
  const before = framesOf(scene);
  const token = await tokenFor(600);
  for (let n = 0; n < 2; n++) t.match(await call('C:/services', session, token), { status: 200 });
  t.equal(framesOf(scene), before + 1);
  t.match((await call('C:/current-api-session', session)).data, { isMfaComplete: true });
  await network.advance(600_000);
  t.match((await call('C:/current-api-session', session)).data, { isMfaComplete: false });
  await network.stop();
});

t.test('times of tokens that no date can hold, and parts of a ms', async (t) => {
  for (const exp of [1e300, 1e306, startSeconds + 60.0001, Number.MAX_SAFE_INTEGER]) {
    const scene = await logIn();
    const { network, call, session } = scene;
    const token = await sign(key, claims({ exp }));
    t.match(await call('C:/services', session, token), { status: 200 }, String(exp));
    await isShown(t, scene, 'full', true);
    await network.crash();
    await isShown(t, scene, 'full', true);
    await network.stop();
  }
});

t.test('a clock that jumps over the end of a token, and back', async (t) => {
  const scene = await logIn();
  const { network, call, session } = scene;
  const token = await tokenFor(600);
  t.match(await call('C:/services', session, token), { status: 200 });
  network.clock.jump(10 * minuteMs);
  t.match(await call('C:/services', session, token), { status: 401 });
  await network.advance(minuteMs);
  await isShown(t, scene, 'partial', false);
  network.clock.jump(-11 * minuteMs);
  await network.advance(minuteMs);
  t.match(await call('C:/services', session, token), { status: 200 });
  await isShown(t, scene, 'full', true);
  network.clock.jump(-60 * minuteMs);
  await network.advance(minuteMs);
  await isShown(t, scene, 'full', true);
  await network.stop();
});

t.test('a log that accepts no writes keeps nobody out', async (t) => {
  const scene = await logIn();
  const { network, call, session } = scene;
  const token = await tokenFor(600);
  network.disk.fill();
  const body = { name: 'in-doubt', type: 'Default', isAdmin: false };
  const inDoubt = inject(network.core.handler, {
    method: 'POST',
    url: urlOf('M:/identities'),
    headers: { 'zt-session': network.admin },
    body,
  });
  await network.advance(200);
  t.equal(network.core.journal.health.state, 'stalled');
  const before = framesOf(scene);
  t.match(await call('C:/services', session, token), { status: 200 });
  t.equal(framesOf(scene), before, 'the transition is left for later');
  network.disk.free();
  await network.advance(5000);
  t.equal((await inDoubt).status, 201);
  t.match(await call('C:/services', session, token), { status: 200 });
  await isShown(t, scene, 'full', true);
  await network.stop();
});

t.test('the transition counts as a write of its caller, and keeps nobody out', async (t) => {
  const limits = { writesPerSecondMax: 1, writesBurstMax: 2 };
  const scene = await logIn({ limits }, false);
  const { network, call, session } = scene;
  const use = async (seconds: number) => {
    const before = framesOf(scene);
    t.match(await call('C:/services', session, await tokenFor(seconds)), { status: 200 });
    return framesOf(scene) - before;
  };
  t.equal(await use(60), 1, 'the second write after the login');
  t.equal(await use(600), 0, 'left for later');
  await network.advance(1000);
  t.equal(await use(600), 1);
  await network.stop();
});

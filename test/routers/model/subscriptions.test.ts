// Subscriptions to the router data model (behaviour/control-channel#router-data-model).

import t from 'tap';
import { rollTokenKey } from '../../../src/auth/token-keys/roll.ts';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeHeaders } from '../../../src/channel/headers.ts';
import { edge, encodeMessage } from '../../../src/channel/messages/messages.ts';
import { NaiveRouter } from '../../model/naive-router.ts';
import { ModelTraffic } from '../../model/router-model-run.ts';
import { truthFor } from '../../model/router-model-truth.ts';
import { Network, type NetworkOptions } from '../../simulated/network.ts';
import {
  bodyOf,
  handleWhole,
  type RecordedRouter,
  receivedFrame,
  recordedRouter,
} from '../../simulated/routers.ts';

async function world(options: NetworkOptions = {}) {
  const traffic = new ModelTraffic();
  const network = new Network({ traffic: traffic.parts, ...options });
  await network.open();
  await network.logInAdmin();
  const ask = (router: RecordedRouter, body: Buffer) => {
    network.env.store.fence.begin();
    const { handlers } = traffic.of(network).model;
    const type = contentTypes.subscribeToModel;
    handleWhole(handlers.get(type), router, receivedFrame(type, body));
  };
  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await network.advance(10);
  };
  /** What a router was sent, in short. */
  const told = (router: RecordedRouter): string[] =>
    router.channel.sent.splice(0).map((message) => {
      const { contentType } = message;
      const body = bodyOf(message);
      if (contentType === contentTypes.modelState) {
        return `state of ${edge.DataState.decode(body).events.length > 0 ? 'some' : 'none'}`;
      }
      if (contentType === contentTypes.modelIndex) return 'index';
      const { changes, index, previousIndex } = edge.ChangeSet.decode(body);
      return `${changes.length} events, ${index > previousIndex ? 'forward' : 'backward'}`;
    });
  const create = async (name: string, roleAttributes: readonly string[] = []) => {
    const id = await network.create('edge-routers', { name, roleAttributes });
    return { id, router: recordedRouter(id), naive: new NaiveRouter() };
  };
  const take = ({ router, naive }: { router: RecordedRouter; naive: NaiveRouter }) => {
    for (const message of router.channel.sent.splice(0)) naive.take(message);
  };
  const isRight = ({ id, naive }: { id: string; naive: NaiveRouter }) =>
    naive.model.text() === truthFor(network.env.store, id, traffic.of(network).keys).text();
  return { network, traffic, ask, settle, told, create, take, isRight };
}

const request = (fields: edge.SubscribeToDataModelRequest.$Properties) =>
  encodeMessage(edge.SubscribeToDataModelRequest, { subscriptionDurationSeconds: 300, ...fields });

t.test('a router that knows nothing gets all of it, then each change', async (t) => {
  const { network, ask, settle, create, take, isRight } = await world();
  const one = await create('one', ['a']);
  await network.create('edge-router-policies', {
    name: 'gate',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    edgeRouterRoles: ['#a'],
  });
  t.notOk(one.router.hasModel);
  ask(one.router, one.naive.ask());
  t.ok(one.router.hasModel, 'from now on it can judge posture');
  await settle();
  t.strictSame(
    one.router.channel.sent.map(({ contentType }) => contentType),
    [contentTypes.modelState],
  );
  const [sent] = one.router.channel.sent;
  const headers = decodeHeaders(sent?.headers ?? Buffer.alloc(0));
  t.equal(headers.get(1026)?.toString(), one.naive.subscriptionId);
  take(one);
  t.ok(isRight(one));
  await network.createUser('user', 'user-password');
  await settle();
  t.equal(one.router.channel.sent.length, 1, 'the authenticator is no part of the model');
  take(one);
  t.ok(isRight(one));
  t.equal(one.naive.misses, 0);
  await network.stop();
});

t.test('a service policy comes with the first identity that may use the router', async (t) => {
  const { network, ask, settle, create, take, isRight } = await world();
  const semantic = 'AnyOf';
  const one = await create('one', ['a']);
  const user = (name: string) =>
    network.create('identities', { name, type: 'Default', isAdmin: false, roleAttributes: [name] });
  await user('near');
  await user('nearer');
  await user('far');
  const gate = await network.create('edge-router-policies', {
    name: 'gate',
    semantic,
    identityRoles: ['#near', '#nearer'],
    edgeRouterRoles: ['#a'],
  });
  const service = await network.create('services', { name: 'printer', encryptionRequired: true });
  const policy = { type: 'Dial', semantic, serviceRoles: [`@${service}`] };
  await network.create('service-policies', { name: 'p', ...policy, identityRoles: ['#far'] });
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  await network.call('PATCH', `M:/edge-router-policies/${gate}`, {
    body: { identityRoles: ['#near', '#nearer', '#far'] },
  });
  await settle();
  take(one);
  t.ok(isRight(one));
  t.equal(one.naive.fulls, 1);
  t.match(one.naive.model.text(), /printer/);
  await network.stop();
});

t.test('what each request is answered with', async (t) => {
  const { network, traffic, ask, settle, told, create, take, isRight } = await world({
    bounds: { modelChangesMax: 3 },
  });
  const one = await create('one');
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  const { timeline, index } = one.naive;
  const asked = async (fields: edge.SubscribeToDataModelRequest.$Properties) => {
    await network.advance(61_000);
    one.router.channel.sent.length = 0;
    ask(one.router, request({ subscriptionId: 's', timelineId: timeline, ...fields }));
    await settle();
    return told(one.router);
  };
  t.strictSame(await asked({ currentIndex: index }), [], 'the present index');
  t.strictSame(await asked({ currentIndex: 0 }), ['state of some'], 'no index');
  t.strictSame(await asked({ currentIndex: index, timelineId: 'other' }), ['state of some']);
  t.strictSame(await asked({ currentIndex: index, timelineId: '' }), ['state of some']);
  t.strictSame(await asked({ currentIndex: index + 1 }), ['state of some'], 'the future');
  traffic.of(network).model.disconnected?.(one.router);
  for (const name of ['x', 'y']) {
    await network.create('config-types', { name, schema: {} });
  }
  t.strictSame(await asked({ currentIndex: index }), ['2 events, forward'], 'two changes as one');
  for (const name of ['z', 'u']) {
    await network.create('config-types', { name, schema: {} });
  }
  t.strictSame(await asked({ currentIndex: index }), ['state of some'], 'before the change log');
  one.naive.index = 0;
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  t.ok(isRight(one));
  await network.stop();
});

t.test('many missed changes are not encoded in one turn', async (t) => {
  const { network, traffic, ask, settle, told, create, take } = await world({
    bounds: { modelMissedIdsMax: 5 },
  });
  const one = await create('one');
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  const returned = async (changes: number) => {
    traffic.of(network).model.disconnected?.(one.router);
    for (let n = 0; n < changes; n++) {
      await network.create('config-types', { name: `${changes}-${n}`, schema: {} });
    }
    ask(one.router, request({ timelineId: one.naive.timeline, currentIndex: one.naive.index }));
    await settle();
    const answer = told(one.router);
    await network.advance(61_000);
    told(one.router);
    return answer;
  };
  t.strictSame(await returned(2), ['2 events, forward']);
  t.strictSame(await returned(1), ['state of some'], 'three changes since, of two ids each');
  await network.stop();
});

t.test('how long a subscription lasts, and what a renewal does', async (t) => {
  const { network, ask, settle, told, create } = await world();
  const one = await create('one');
  const type = async (name: string) => {
    await network.create('config-types', { name, schema: {} });
    await settle();
    return told(one.router).length;
  };
  const ofSeconds = (subscriptionDurationSeconds: number, renew = false) =>
    ask(one.router, request({ subscriptionId: 's', subscriptionDurationSeconds, renew }));
  ofSeconds(1);
  await settle();
  told(one.router);
  await network.advance(8_000);
  t.equal(await type('a'), 1, 'at least 10 s');
  await network.advance(12_000);
  t.equal(await type('b'), 0, 'it is over');
  ofSeconds(100_000);
  await settle();
  t.strictSame(told(one.router), ['state of some']);
  for (let second = 0; second < 355; second += 5) await network.advance(5_000);
  told(one.router);
  t.equal(await type('c'), 1);
  ofSeconds(20, true);
  await settle();
  t.strictSame(told(one.router), [], 'a renewal sends nothing');
  t.equal(await type('d'), 1, 'and goes on');
  for (let second = 0; second < 25; second += 5) await network.advance(5_000);
  told(one.router);
  t.equal(await type('e'), 0, 'at most 360 s');
  await network.stop();
});

t.test('a router that asks too often waits', async (t) => {
  const { network, ask, settle, told, create } = await world();
  const one = await create('one');
  for (let count = 0; count < 1000; count++) {
    ask(one.router, request({ subscriptionId: `s${count}` }));
    if (count < 5) await settle();
  }
  await settle();
  t.equal(told(one.router).length, 5);
  for (let second = 0; second < 14; second++) await network.advance(1_000);
  t.equal(told(one.router).length, 1, 'the last request is answered when there is a token again');
  await network.stop();
});

t.test('a router that does not read gets later what it has missed', async (t) => {
  const { network, ask, settle, told, create, take, isRight } = await world();
  const one = await create('one');
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  one.router.channel.unsentBytes = 10_000_000;
  for (const name of ['a', 'b', 'c']) await network.create('config-types', { name, schema: {} });
  await network.advance(2_000);
  t.strictSame(told(one.router), []);
  one.router.channel.unsentBytes = 0;
  await network.advance(2_000);
  await settle();
  t.equal(one.router.channel.sent.length, 1);
  take(one);
  t.ok(isRight(one));
  t.equal(one.naive.fulls, 1);
  await network.stop();
});

t.test('the index is told while it moves', async (t) => {
  const { network, ask, settle, told, create } = await world();
  const one = await create('one');
  ask(one.router, one.naive.ask());
  await settle();
  for (let second = 0; second < 65; second++) await network.advance(1_000);
  told(one.router);
  for (let second = 0; second < 65; second++) await network.advance(1_000);
  t.strictSame(told(one.router), [], 'it has not moved');
  await network.create('config-types', { name: 'a', schema: {} });
  for (let second = 0; second < 35; second++) await network.advance(1_000);
  t.strictSame(told(one.router), ['1 events, forward', 'index']);
  await network.stop();
});

t.test('changes of which a router sees nothing are sent within a second, as one', async (t) => {
  const { network, ask, settle, told, create } = await world();
  const one = await create('one');
  ask(one.router, one.naive.ask());
  await settle();
  told(one.router);
  const user = (name: string) =>
    network.create('identities', { name, type: 'Default', isAdmin: false });
  for (const name of ['a', 'b', 'c']) await user(name);
  await settle();
  t.strictSame(told(one.router), []);
  await network.advance(1_000);
  t.strictSame(told(one.router), ['0 events, forward']);
  for (const name of ['d', 'e']) await user(name);
  await network.create('config-types', { name: 'a', schema: {} });
  await settle();
  t.strictSame(
    told(one.router),
    ['0 events, forward', '1 events, forward'],
    'at once when it sees something that follows',
  );
  await user('f');
  await network.stop();
  t.strictSame(told(one.router), ['0 events, forward'], 'before a stop');
});

t.test('one state and one change set for all routers of a group', async (t) => {
  const { network, ask, settle, create } = await world();
  const all = [await create('one'), await create('two'), await create('three')];
  for (const { router, naive } of all) ask(router, naive.ask());
  await settle();
  await network.create('config-types', { name: 'a', schema: {} });
  await settle();
  const [first] = all;
  for (const { router } of all) {
    t.equal(router.channel.sent.length, 2);
    for (const [at, { body, bodyRest }] of router.channel.sent.entries()) {
      const other = first?.router.channel.sent[at];
      t.equal(body, other?.body, 'the same buffer');
      t.equal(bodyRest, other?.bodyRest, 'the same rest');
    }
  }
  await network.stop();
});

t.test('a model that is too large is not sent', async (t) => {
  const { network, ask, settle, told, create } = await world({
    limits: { routerModelBytesMax: 1024 },
  });
  const one = await create('one');
  for (let i = 0; i < 40; i++) await network.create('config-types', { name: `t${i}`, schema: {} });
  ask(one.router, one.naive.ask());
  await settle();
  t.strictSame(told(one.router), []);
  const health = await network.call('GET', '/health-checks', { token: null });
  const checks = (health.data as { checks: { id: string; healthy: boolean; message: string }[] })
    .checks;
  const check = checks.find(({ id }) => id === 'router-model');
  t.equal(health.status, 200, 'the controller as a whole is well');
  t.equal(check?.healthy, false);
  t.match(check?.message, /routerModelBytesMax/);
  await network.stop();
});

t.test('revocations are told to every router, and go when they expire', async (t) => {
  const { network, ask, settle, create, take, isRight } = await world();
  const [one, two] = [await create('one'), await create('two')];
  const user = await network.createUser('user', 'user-password');
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  await network.create('revocations', { id: user, type: 'IDENTITY' });
  const jti = '8d7f1a52-2f0e-4bb1-9a8e-0d2c6a4f1b33';
  await network.create('revocations', { id: jti, type: 'JTI' });
  await settle();
  take(one);
  t.same([...one.naive.model.revocations.keys()], [user], 'none of single tokens');
  ask(two.router, two.naive.ask());
  await settle();
  take(two);
  for (const router of [one, two]) t.ok(isRight(router));
  await network.sleep(24 * 3_600_000);
  for (const router of [one, two]) {
    ask(router.router, router.naive.ask());
    await settle();
    take(router);
    t.equal(router.naive.model.revocations.size, 0);
    t.ok(isRight(router));
    t.equal(router.naive.misses, 0);
  }
  await network.stop();
});

t.test('a router that was away hears of token keys that have come and gone', async (t) => {
  const { network, ask, settle, create, take, isRight } = await world();
  const one = await create('one', ['a']);
  ask(one.router, one.naive.ask());
  await settle();
  take(one);
  const former = network.env.tokenKeys.signer.kid;
  const hasKey = (kid: string) => one.naive.model.text().includes(kid);
  t.ok(hasKey(former));
  const { kid } = await network.pump(rollTokenKey(network.env, { endsSessions: true }));
  // It is away from here on, and the controller ends before the key signs.
  await network.kill();
  network.clock.jump(60_000);
  await network.kill();
  await settle();
  t.equal(network.env.tokenKeys.signer.kid, kid);
  const back = { ...one, router: recordedRouter(one.id) };
  ask(back.router, one.naive.ask());
  await settle();
  t.notOk(
    back.router.channel.sent.some(({ contentType }) => contentType === contentTypes.modelState),
    'by what it has missed alone',
  );
  take(back);
  t.ok(hasKey(kid));
  t.notOk(hasKey(former));
  await network.logInAdmin();
  t.ok(isRight(back));
  await network.stop();
});

t.test('a router that follows is told of changes that are too many for a frame', async (t) => {
  const { network, ask, settle, create, take, isRight } = await world();
  const one = await create('one', ['a']);
  const roles = { semantic: 'AnyOf', edgeRouterRoles: ['#all'], identityRoles: ['#all'] };
  await network.create('edge-router-policies', { name: 'everyone', ...roles });
  await network.create('services', { name: 's', encryptionRequired: true, roleAttributes: ['s'] });
  for (let count = 0; count < 260; count++) {
    const body = { name: `m${count}`, type: 'Default', isAdmin: false, roleAttributes: ['m'] };
    await network.create('identities', body);
  }
  ask(one.router, request({}));
  await settle();
  take(one);
  const policy = { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#m'], serviceRoles: ['#s'] };
  await network.create('service-policies', { name: 'all of them', ...policy });
  await settle();
  const types = one.router.channel.sent.map(({ contentType }) => contentType);
  t.notOk(types.includes(contentTypes.modelState));
  take(one);
  t.ok(isRight(one));
  await network.stop();
});

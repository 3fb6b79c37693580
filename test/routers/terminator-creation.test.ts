// Routers create terminators: what is stored, what is refused, and when the answer leaves.

import t from 'tap';
import { MalformedMessage } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import { hostDataOf } from '../../src/routers/terminators/host-data.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import { bootHosting, type Host, type Hosting } from './hosting.ts';
import { lastCreation, Terminating } from './terminating.ts';

const { SUCCESS, ID_CONFLICT, OTHER, BUSY, INVALID_SESSION } = edge.CreateTerminatorResult;
const id = '4Hk2mXq9Zt0aBcDeFgHiJk';

const recordOf = ({ network }: Hosting, terminatorId = id) =>
  network.env.store.table(terminatorKind).find(terminatorId)?.record;

t.test('a terminator of a client', async (t) => {
  const hosting = await bootHosting();
  const { network, host } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const reply = await routers.bound(router, id, {
    cost: 7,
    precedence: edge.TerminatorPrecedence.REQUIRED,
    instanceId: 'desk',
    instanceSecret: Buffer.from('secret'),
    peerData: { 1003: Buffer.from('key'), 1011: Buffer.alloc(0) },
  });
  t.match(reply, { terminatorId: id, result: SUCCESS, errorCode: 0, retryHint: 0 });
  const record = recordOf(hosting);
  t.match(record, {
    id,
    service: hosting.service,
    router: hosting.router,
    binding: 'edge',
    address: id,
    cost: 7,
    precedence: 'required',
    identity: 'desk',
    identitySecret: Buffer.from('secret').toString('base64'),
    hostId: host.id,
    sessionId: host.sessionId,
    isOfRouter: true,
  });
  const data = new Map([
    [1003, Buffer.from('key')],
    [1011, Buffer.alloc(0)],
  ]);
  t.same(hostDataOf({ peerData: record?.peerData }), data);
  t.match(await network.must('GET', `M:/terminators/${id}`), {
    id,
    identity: 'desk',
    precedence: 'required',
    dynamicCost: 0,
    peerData: undefined,
    identitySecret: undefined,
  });
  const filter = encodeURIComponent(`hostId="${host.id}"`);
  t.match(await network.must('GET', `M:/terminators?filter=${filter}`), [{ id }]);
  t.match(await network.must('GET', `M:/services/${hosting.service}/terminators`), [{ id }]);
  t.match(await network.must('GET', 'M:/inspect/machines/terminator/instances'), [
    { id, state: 'hosted' },
  ]);
  await network.restart();
  t.same(recordOf(hosting), record, 'as it was after a restart');
  await network.stop();
});

t.test('the answer leaves when the frame is durable', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  routers.bind(router, id);
  t.same(router.channel.replies, [], 'not before');
  t.ok(recordOf(hosting));
  await network.crash();
  t.equal(recordOf(hosting), undefined, 'a crash may take what was not answered');
  const again = new Terminating(hosting);
  const back = again.connect();
  t.match(await again.bound(back, id), { result: SUCCESS });
  await network.crash();
  t.ok(recordOf(hosting), 'and never what was');
  await network.stop();
});

t.test('a host whose session is not known any more learns it at once', async (t) => {
  const hosting = await bootHosting();
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const ended = () => {
    const messages = router.channel.sent.splice(0);
    return messages
      .filter(({ contentType }) => contentType === contentTypes.sessionRemoved)
      .map(({ body }) => decodeMessage(edge.SessionRemoved, body ?? Buffer.alloc(0)).ids);
  };
  ended();
  await routers.bound(router, id, { sessionToken: 'former' });
  t.same(ended(), [['former']]);
  await routers.bound(router, id, { apiSessionToken: 'unknown' });
  await routers.bound(router, id, { cost: 65536 });
  const other = await hosting.person('other');
  const refused = await routers.bound(router, id, { sessionToken: other.sessionId });
  t.match(refused, { result: INVALID_SESSION, errorCode: 3 });
  t.same(ended(), [], 'that of another client goes on');
  t.same(ended(), [], 'what else is refused says nothing of the session');
  await hosting.network.stop();
});

t.test('the settings of the identity fill in what the host leaves open', async (t) => {
  const hosting = await bootHosting();
  const { network, host, service } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  await network.must('PATCH', `M:/identities/${host.id}`, {
    defaultHostingCost: 3,
    defaultHostingPrecedence: 'failed',
  });
  await routers.bound(router, 'one');
  t.match(recordOf(hosting, 'one'), { cost: 3, precedence: 'failed' });
  await network.must('PATCH', `M:/identities/${host.id}`, {
    serviceHostingCosts: { [service]: 4 },
    serviceHostingPrecedences: { [service]: 'required' },
  });
  await routers.bound(router, 'two');
  t.match(recordOf(hosting, 'two'), { cost: 4, precedence: 'required' });
  await routers.bound(router, 'three', { cost: 9, precedence: edge.TerminatorPrecedence.FAILED });
  t.match(recordOf(hosting, 'three'), { cost: 9, precedence: 'failed' });
  await network.stop();
});

t.test('a repeated request', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const peerData = { 1003: Buffer.from('key') };
  await routers.bound(router, id, { cost: 1, instanceId: 'desk', peerData });
  const { journal } = network.core;
  const before = journal.lastLsn;
  t.match(await routers.bound(router, id, { cost: 1, instanceId: 'other' }), { result: SUCCESS });
  t.equal(journal.lastLsn, before, 'writes nothing');
  const login = await hosting.logIn('host');
  t.match(await routers.bound(router, id, { cost: 5 }, login), { result: SUCCESS });
  t.match(recordOf(hosting), { cost: 5, identity: 'desk', sessionId: login.sessionId });
  t.same(hostDataOf({ peerData: recordOf(hosting)?.peerData }).get(1003), Buffer.from('key'));
  await network.must('DELETE', `M:/sessions/${hosting.host.sessionId}`);
  t.ok(recordOf(hosting), 'and rests on the later session from then on');
  await network.stop();
});

type Asked = Parameters<Terminating['bind']>;
type Case = [title: string, asked: Asked, wanted: object];

/** What the cases of refusals are about. */
interface Parties {
  readonly router: RecordedRouter;
  readonly another: RecordedRouter;
  readonly host: Host;
  readonly other: Host;
  /** A session of the host for dialing. */
  readonly dialing: Host;
  /** A session of the host for another service. */
  readonly second: Host;
  /** The id of a terminator that an operator has made, with the instance id `made`. */
  readonly made: string;
}

/** Requests with ids that are malformed or taken. */
function ofIds({ router, another, other, second, made }: Parties): Case[] {
  return [
    ['no id', [router, ''], { result: OTHER, errorCode: 8, retryHint: 3 }],
    ['a path as id', [router, '../x'], { result: OTHER, errorCode: 8, retryHint: 3 }],
    ['a long id', [router, 'x'.repeat(101)], { result: OTHER, errorCode: 8, retryHint: 3 }],
    ['an id of another router', [another, id], { result: ID_CONFLICT, errorCode: 1, retryHint: 3 }],
    ['an id of an operator', [router, made], { result: ID_CONFLICT, errorCode: 1, retryHint: 3 }],
    [
      'an id of another host',
      [router, id, {}, other],
      { result: ID_CONFLICT, errorCode: 1, retryHint: 3 },
    ],
    [
      'an id of another service',
      [router, id, {}, second],
      { result: ID_CONFLICT, errorCode: 1, retryHint: 3 },
    ],
  ];
}

/** Requests without a right, or with values out of range. */
function ofSessions({ router, dialing }: Parties): Case[] {
  return [
    [
      'no API session',
      [router, 'a', { apiSessionToken: 'x' }],
      { result: INVALID_SESSION, errorCode: 2, retryHint: 2 },
    ],
    [
      'no session',
      [router, 'a', { sessionToken: 'x' }],
      { result: INVALID_SESSION, errorCode: 3, retryHint: 2 },
    ],
    [
      'a session for dialing',
      [router, 'a', {}, dialing],
      { result: OTHER, errorCode: 4, retryHint: 2 },
    ],
    ['a cost', [router, 'a', { cost: 65536 }], { result: OTHER, errorCode: 10, retryHint: 3 }],
    [
      'a precedence',
      [router, 'a', { precedence: 3 as edge.TerminatorPrecedence }],
      { result: OTHER, errorCode: 9, retryHint: 3 },
    ],
  ];
}

/** Requests with instances that are malformed or taken. */
function ofInstances({ router, other }: Parties): Case[] {
  return [
    [
      'an instance id of another host',
      [router, 'a', { instanceId: 'desk' }, other],
      { result: OTHER, errorCode: 13, retryHint: 3 },
    ],
    [
      'an instance id of an operator',
      [router, 'a', { instanceId: 'made' }],
      { result: OTHER, errorCode: 13, retryHint: 3 },
    ],
    [
      'a long instance id',
      [router, 'a', { instanceId: 'x'.repeat(1001) }],
      { result: OTHER, errorCode: 13, retryHint: 3 },
    ],
    [
      'a long secret',
      [router, 'a', { instanceSecret: Buffer.alloc(3073) }],
      { result: OTHER, errorCode: 13, retryHint: 3 },
    ],
    [
      'much peer data',
      [router, 'a', { peerData: { 1: Buffer.alloc(8193) } }],
      { result: OTHER, errorCode: 1, retryHint: 3 },
    ],
  ];
}

/** Requests beyond the bounds, and some that are not. */
function ofNumbers({ router, another, other, second }: Parties): Case[] {
  return [
    [
      'the same instance id of one host',
      [router, 'b', { instanceId: 'desk' }],
      { result: SUCCESS },
    ],
    [
      'the instance id at another service',
      [router, 'c', { instanceId: 'made' }, second],
      { result: SUCCESS },
    ],
    [
      'more than an identity may have',
      [another, 'd'],
      { result: OTHER, errorCode: 1, retryHint: 0 },
    ],
    [
      'more than a router may have',
      [router, 'e', {}, other],
      { result: OTHER, errorCode: 1, retryHint: 0 },
    ],
    ['a further host at another router', [another, 'f', {}, other], { result: SUCCESS }],
  ];
}

t.test('refusals', async (t) => {
  const hosting = await bootHosting({
    limits: { terminatorsPerRouterMax: 4, terminatorsPerIdentityMax: 3 },
  });
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const another = routers.connect(await network.create('edge-routers', { name: 'another' }));
  const other = await hosting.person('other');
  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  const dial = await hosting.session(hosting.host, hosting.service, 'Dial');
  const secondService = await network.create('services', { name: 's2', encryptionRequired: true });
  const second = await hosting.session(hosting.host, secondService);
  const made = await network.create('terminators', {
    service: hosting.service,
    router: hosting.router,
    binding: 'edge',
    address: 'x',
    identity: 'made',
  });
  await routers.bound(router, id, { instanceId: 'desk' });
  const { host } = hosting;
  const parties = {
    router,
    another,
    host,
    other,
    dialing: { ...host, ...dial },
    second: { ...host, ...second },
    made,
  };
  const cases = [ofIds, ofSessions, ofInstances, ofNumbers].flatMap((of) => of(parties));
  for (const [title, asked, wanted] of cases) {
    const reply = await routers.bound(...asked);
    t.match(reply, { terminatorId: asked[1], ...wanted }, title);
    t.equal(reply.msg === '', reply.result === SUCCESS);
  }
  t.throws(
    () => routers.receive(router, contentTypes.createTerminatorV2, Buffer.from('ff', 'hex')),
    MalformedMessage,
  );
  t.equal(recordOf(hosting)?.hostId, host.id);
  await network.stop();
});

t.test('a router that asks too fast, and a controller without room', async (t) => {
  const hosting = await bootHosting({
    bounds: { terminatorCreatesPerSecondMax: 10, terminatorCreatesBurstMax: 2 },
  });
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const busy = { result: BUSY, errorCode: 1, retryHint: 1 };
  t.match(await routers.bound(router, 'a'), { result: SUCCESS });
  t.match(await routers.bound(router, 'b'), { result: SUCCESS });
  t.match(await routers.bound(router, 'c'), busy);
  await network.advance(100);
  t.match(await routers.bound(router, 'c'), { result: SUCCESS });
  await network.advance(1000);
  network.heap.fill(950);
  t.match(await routers.bound(router, 'd'), busy, 'a full heap');
  network.heap.fill(0);
  t.match(await routers.bound(router, 'd'), { result: SUCCESS });
  t.same(routers.logged, []);
  await network.stop();
});

t.test('a tunneler hosts as the identity with its own id', async (t) => {
  const hosting = await bootHosting();
  const { network, service } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const ask = async (more: edge.CreateTunnelTerminatorRequestV2.$Properties = {}) => {
    const body = encodeMessage(edge.CreateTunnelTerminatorRequestV2, {
      serviceId: service,
      address: id,
      startTime: 1234,
      ...more,
    });
    routers.receive(router, contentTypes.createTunnelTerminator, body);
    await routers.settle();
    const { message } = router.channel.replies.at(-1) ?? {};
    t.equal(message?.contentType, contentTypes.createTunnelTerminatorResponse);
    return decodeMessage(edge.CreateTunnelTerminatorResponseV2, message?.body ?? Buffer.alloc(0));
  };
  t.match(await ask(), { result: OTHER, errorCode: 7, retryHint: 3, startTime: 1234 });
  await network.must('PATCH', `M:/edge-routers/${hosting.router}`, { isTunnelerEnabled: true });
  t.match(await ask({ address: '' }), { result: OTHER, errorCode: 8, retryHint: 3 });
  t.match(await ask({ serviceId: 'none' }), { result: OTHER, errorCode: 6, retryHint: 3 });
  t.match(await ask({ cost: 65536 }), { result: OTHER, errorCode: 10, retryHint: 3 });
  t.match(await ask(), { terminatorId: id, result: SUCCESS, startTime: 1234 });
  t.match(recordOf(hosting), {
    binding: 'tunnel',
    address: id,
    hostId: hosting.router,
    sessionId: undefined,
    isOfRouter: true,
  });
  t.match(await ask(), { result: SUCCESS }, 'again');
  await network.stop();
});

t.test('a binding of the router itself needs the right of a tunneler', async (t) => {
  const hosting = await bootHosting();
  const { network, service } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const ask = async (more: fabric.CreateTerminatorRequest.$Properties = {}) => {
    const body = encodeMessage(fabric.CreateTerminatorRequest, {
      serviceId: service,
      binding: 'proxy',
      address: 'tcp:printer:9100',
      ...more,
    });
    routers.receive(router, contentTypes.createTerminator, body);
    await routers.settle();
    return router.channel.results.at(-1);
  };
  t.match(await ask(), { isSuccess: false });
  await network.must('PATCH', `M:/edge-routers/${hosting.router}`, { isTunnelerEnabled: true });
  t.match(await ask({ binding: 'a b' }), { isSuccess: false });
  t.match(await ask({ address: '' }), { isSuccess: false });
  const answer = await ask();
  t.match(answer, { isSuccess: true });
  t.match(recordOf(hosting, answer?.text), { binding: 'proxy', address: 'tcp:printer:9100' });
  await network.stop();
});

t.test('an operator does not take the instance id of a host', async (t) => {
  const hosting = await bootHosting();
  const { network, service, router } = hosting;
  const routers = new Terminating(hosting);
  await routers.bound(routers.connect(), id, { instanceId: 'desk' });
  const body = { service, router, binding: 'edge', address: 'x' };
  const asked = async (identity: string) => {
    const answer = await network.call('POST', 'M:/terminators', { body: { ...body, identity } });
    return [answer.status, answer.cause?.['field']];
  };
  t.same(await asked('desk'), [400, 'identity']);
  t.same(await asked('other'), [201, undefined]);
  t.same(await asked('other'), [201, undefined], 'operators share theirs');
  await network.must('PATCH', `M:/terminators/${id}`, { cost: 4 });
  t.equal(recordOf(hosting)?.cost, 4, 'and may change those of routers');
  await network.stop();
});

t.test('no answer goes to a router that left meanwhile', async (t) => {
  const hosting = await bootHosting();
  const routers = new Terminating(hosting);
  const router = routers.connect();
  routers.bind(router, id);
  routers.disconnect(router);
  await routers.settle();
  t.match(lastCreation(router), { result: SUCCESS }, 'its channel drops it');
  t.ok(recordOf(hosting), 'the router is asked for it when it comes back');
  await hosting.network.stop();
});

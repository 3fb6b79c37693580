// Terminators end with what they rest on: session, service, router, identity, and rights.

import t from 'tap';
import { JournalStalled } from '../../snapshots/errors.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, edge, encodeMessage } from '../../src/channel/messages/messages.ts';
import { rowOf, run, slip } from '../integrity/scene.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import { bootHosting, type Hosting } from './hosting.ts';
import { Terminating } from './terminating.ts';

/** Ids of the sessions that a router was told to close. */
function removedSessions({ channel }: RecordedRouter): string[] {
  return channel.sent
    .filter(({ contentType }) => contentType === contentTypes.sessionRemoved)
    .flatMap(({ body }) => decodeMessage(edge.SessionRemoved, body ?? Buffer.alloc(0)).ids);
}

interface Ending {
  readonly title: string;
  end(hosting: Hosting): Promise<unknown>;
  /** Whether the session goes on, and only this router is told to close it. */
  readonly isOfRouter?: boolean;
}

const endings: readonly Ending[] = [
  {
    title: 'the session',
    end: ({ network, host }) => network.must('DELETE', `M:/sessions/${host.sessionId}`),
  },
  {
    title: 'the session, by its client',
    end: ({ network, host }) =>
      network.must('DELETE', `C:/sessions/${host.sessionId}`, undefined, host.token),
  },
  {
    title: 'the API session',
    end: ({ network, host }) =>
      network.must('DELETE', 'C:/current-api-session', undefined, host.token),
  },
  {
    title: 'the identity',
    end: ({ network, host }) => network.must('DELETE', `M:/identities/${host.id}`),
  },
  {
    title: 'the identity, disabled',
    end: ({ network, host }) =>
      network.must('POST', `M:/identities/${host.id}/disable`, { durationMinutes: 5 }),
  },
  {
    title: 'the service',
    end: ({ network, service }) => network.must('DELETE', `M:/services/${service}`),
  },
  {
    title: 'the router',
    end: ({ network, router }) => network.must('DELETE', `M:/edge-routers/${router}`),
  },
  ...['M:', 'F:'].map((api) => ({
    title: `its own deletion over ${api}`,
    end: async (hosting: Hosting) => {
      const { network, service } = hosting;
      const of = `${api}/services/${service}/terminators`;
      const [hosted] = await network.must<{ id: string }[]>('GET', of);
      const path = `/terminators/${hosted?.id}`;
      // behaviour/fabric#terminators
      const change = await network.call('PATCH', `F:${path}`, { body: { cost: 5 } });
      if (change.code !== 'ENTITY_CAN_NOT_BE_UPDATED') throw new Error(String(change.body));
      await network.must('DELETE', `${api}${path}`);
    },
    isOfRouter: true,
  })),
  {
    title: 'the right to bind',
    end: ({ network, bindPolicy }) => network.must('DELETE', `M:/service-policies/${bindPolicy}`),
  },
  {
    title: 'the right of the host to the router',
    end: ({ network, edgeRouterPolicy }) =>
      network.must('DELETE', `M:/edge-router-policies/${edgeRouterPolicy}`),
    isOfRouter: true,
  },
  {
    title: 'the right of the service to the router',
    end: ({ network, serviceEdgeRouterPolicy }) =>
      network.must('PATCH', `M:/service-edge-router-policies/${serviceEdgeRouterPolicy}`, {
        edgeRouterRoles: ['#others'],
      }),
    isOfRouter: true,
  },
  {
    title: 'a right that access gave by mistake until an integrity run',
    end: async ({ network, edgeRouterPolicy }) => {
      const policy = rowOf(network, 'edgeRouterPolicy', edgeRouterPolicy);
      slip(policy, { edgeRouterRoles: ['#others'] });
      await run(network, true);
      network.logged.length = 0;
    },
    isOfRouter: true,
  },
];

for (const { title, end, isOfRouter = false } of endings) {
  t.test(`with ${title}`, async (t) => {
    const hosting = await bootHosting();
    const { network, host } = hosting;
    const routers = new Terminating(hosting);
    const router = routers.connect();
    await routers.bound(router, 'a');
    const made = await network.create('terminators', {
      service: await network.create('services', { name: 'other', encryptionRequired: false }),
      router: await network.create('edge-routers', { name: 'other' }),
      binding: 'transport',
      address: 'tcp:x:1',
    });
    await end(hosting);
    await routers.settle();
    t.same(hosting.terminators(), [made]);
    t.same(removedSessions(router), isOfRouter ? [host.sessionId] : []);
    await network.crash();
    t.same(hosting.terminators(), [made], 'for good');
    await network.stop();
  });
}

t.test('attributes that policies select by', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const host = await hosting.person('marked', { roleAttributes: ['hosts'] });
  await network.must('PATCH', `M:/edge-routers/${hosting.router}`, { roleAttributes: ['near'] });
  await network.must('PATCH', `M:/services/${hosting.service}`, { roleAttributes: ['tools'] });
  await network.must('PATCH', `M:/edge-router-policies/${hosting.edgeRouterPolicy}`, {
    identityRoles: ['#hosts'],
    edgeRouterRoles: ['#near'],
  });
  await network.must(
    'PATCH',
    `M:/service-edge-router-policies/${hosting.serviceEdgeRouterPolicy}`,
    {
      serviceRoles: ['#tools'],
    },
  );
  const members = [
    [`identities/${host.id}`, 'hosts'],
    [`edge-routers/${hosting.router}`, 'near'],
    [`services/${hosting.service}`, 'tools'],
  ] as const;
  for (const [path, attribute] of members) {
    await routers.bound(router, 'a', {}, host);
    await network.must('PATCH', `M:/${path}`, { tags: { a: 'b' } });
    await routers.settle();
    t.same(hosting.terminators(), ['a'], `${path} is the same for policies`);
    await network.must('PATCH', `M:/${path}`, { roleAttributes: [] });
    await routers.settle();
    t.same(hosting.terminators(), [], path);
    await network.must('PATCH', `M:/${path}`, { roleAttributes: [attribute] });
  }
  await network.stop();
});

t.test('rights of a tunneler', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  const tunneling = (isTunnelerEnabled: boolean) =>
    network.must('PATCH', `M:/edge-routers/${hosting.router}`, { isTunnelerEnabled });
  await tunneling(true);
  const body = encodeMessage(edge.CreateTunnelTerminatorRequestV2, {
    serviceId: hosting.service,
    address: 'tunnel',
  });
  const bind = async () => {
    routers.receive(router, contentTypes.createTunnelTerminator, body);
    await routers.settle();
    t.same(hosting.terminators(), ['tunnel']);
  };
  await bind();
  await network.must('PATCH', `M:/service-policies/${hosting.bindPolicy}`, {
    identityRoles: ['#none'],
  });
  await routers.settle();
  t.same(hosting.terminators(), [], 'the policy');
  await network.must('PATCH', `M:/service-policies/${hosting.bindPolicy}`, {
    identityRoles: ['#all'],
  });
  await bind();
  const check = await network.create('posture-checks', {
    name: 'domain',
    typeId: 'DOMAIN',
    domains: ['corp.example'],
    roleAttributes: ['strict'],
  });
  await network.must('PATCH', `M:/service-policies/${hosting.bindPolicy}`, {
    postureCheckRoles: [`@${check}`],
  });
  await routers.settle();
  t.same(hosting.terminators(), [], 'posture');
  await network.must('DELETE', `M:/posture-checks/${check}`);
  await bind();
  await tunneling(false);
  await routers.settle();
  t.same(hosting.terminators(), [], 'the router is no tunneler any more');
  await network.stop();
});

t.test('many are evaluated in slices, also when the log takes no writes for a while', async (t) => {
  const hosting = await bootHosting({ bounds: { evaluatedMs: 0, cascadeRowsMax: 10 } });
  const { network } = hosting;
  const routers = new Terminating(hosting);
  const router = routers.connect();
  for (let n = 0; n < 50; n++) routers.bind(router, `t${n}`);
  await routers.settle();
  t.equal(hosting.terminators().length, 50);
  await network.must('DELETE', `M:/edge-router-policies/${hosting.edgeRouterPolicy}`);
  const { store } = network.env;
  const { transact } = store;
  store.transact = () => {
    throw new JournalStalled('full');
  };
  network.clock.drain();
  t.ok(hosting.terminators().length >= 30, 'some remain');
  store.transact = transact;
  await network.advance(200);
  t.same(hosting.terminators(), []);
  t.same(new Set(removedSessions(router)), new Set([hosting.host.sessionId]));
  t.match(routers.logged.join(''), /could not be removed yet/);
  await network.stop();
});

t.test(
  'more than one frame takes go with the right to bind, and at once for readers',
  async (t) => {
    const hosting = await bootHosting({ bounds: { cascadeRowsMax: 10 } });
    const { network } = hosting;
    const routers = new Terminating(hosting);
    const router = routers.connect();
    for (let n = 0; n < 35; n++) routers.bind(router, `t${n}`);
    await routers.settle();
    await network.must('DELETE', `M:/service-policies/${hosting.bindPolicy}`);
    t.same(hosting.terminators(), []);
    await routers.settle();
    const { store } = network.env;
    t.equal(store.tableNamed('terminator').size, 0);
    t.equal(store.tableNamed('session').size, 0);
    t.equal(store.deferredCascades.isOpen, false);
    await network.crash();
    t.same(hosting.terminators(), []);
    await network.stop();
  },
);

t.test('a start evaluates what the last process did not get to', async (t) => {
  const hosting = await bootHosting();
  const { network } = hosting;
  const routers = new Terminating(hosting);
  await routers.bound(routers.connect(), 'a');
  // The part for terminators is not there while the policy goes.
  await network.restart();
  await network.must('DELETE', `M:/edge-router-policies/${hosting.edgeRouterPolicy}`);
  await network.advance(0);
  t.same(hosting.terminators(), ['a']);
  await network.restart();
  const later = new Terminating(hosting);
  await later.settle();
  t.same(hosting.terminators(), []);
  await network.stop();
});

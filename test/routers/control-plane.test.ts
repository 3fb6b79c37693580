// All parts of the control plane together: a host and a client meet through a router, in memory.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { textHeader } from '../../src/channel/headers.ts';
import { decodeMessage, edge, fabric } from '../../src/channel/messages/messages.ts';
import type { Network } from '../simulated/network.ts';
import { type RouterTwin, twinMessages } from '../simulated/router-twin.ts';
import { Fleet } from './fleet.ts';
import { bootHosting, type Hosting } from './hosting.ts';

async function boot() {
  const hosting = await bootHosting({ traffic: undefined });
  const { network } = hosting;
  const fleet = new Fleet(network);
  const certificate = await fleet.certificate(hosting.router);
  fleet.enroll(hosting.router, certificate);
  await fleet.settle();
  const router = { id: hosting.router, certificates: [certificate.raw] };
  await network.create('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  });
  return { hosting, network, fleet, router };
}

/** Both sides encrypt with it. */
const publicKeyHeader = 1003;

const lastOf = (twin: RouterTwin, type: number) =>
  twin.received.filter(({ contentType }) => contentType === type).at(-1);

/** The host binds, as its router tells it. */
async function bind(twin: RouterTwin, fleet: Fleet, { host }: Hosting) {
  const { token: apiSessionToken, sessionToken } = host;
  const asked = twin.ask(
    twinMessages.createTerminator({
      address: 'terminator-1',
      apiSessionToken,
      sessionToken,
      peerData: { [publicKeyHeader]: Buffer.from('key of the host') },
    }),
  );
  await fleet.settle();
  return decodeMessage(edge.CreateTerminatorV2Response, (await asked).body);
}

/** A client dials, as its router tells it; answers the id of the circuit. */
async function dial(twin: RouterTwin, fleet: Fleet, hosting: Hosting) {
  const { token: apiSessionToken } = hosting.host;
  const { sessionToken } = await hosting.session(hosting.host, hosting.service, 'Dial');
  const peerData = new Map([[publicKeyHeader, Buffer.from('key of the client')]]);
  const asked = twin.ask(twinMessages.createCircuit({ apiSessionToken, sessionToken, peerData }));
  await fleet.settle();
  const { contentType, headers, body } = await asked;
  if (contentType !== contentTypes.createCircuitV2Response) throw new Error(body.toString());
  return textHeader(headers, 11) ?? '';
}

const circuitsOf = ({ env }: Network) => env.store.tableNamed('circuit').size;

t.test('a host binds, a client dials, and both end', async (t) => {
  const { hosting, network, fleet, router } = await boot();
  const { twin } = await fleet.connect(router);
  t.ok(lastOf(twin, contentTypes.apiSessionAdded), 'the router knows the API sessions');
  t.match(await bind(twin, fleet, hosting), { result: 0, terminatorId: 'terminator-1' });
  const [terminator] = await network.must<object[]>('GET', 'M:/terminators');
  t.match(terminator, { id: 'terminator-1', routerId: router.id, serviceId: hosting.service });
  const circuitId = await dial(twin, fleet, hosting);
  const route = lastOf(twin, contentTypes.route);
  t.match(decodeMessage(fabric.Route, route?.body ?? Buffer.alloc(0)), {
    circuitId,
    egress: { binding: 'edge', destination: 'terminator-1' },
  });
  t.equal(circuitsOf(network), 1);
  await network.must('DELETE', `M:/service-policies/${hosting.bindPolicy}`);
  await fleet.settle();
  t.same(hosting.terminators(), [], 'the right to host was taken away');
  await network.must('DELETE', `M:/identities/${hosting.host.id}`);
  await fleet.settle();
  t.equal(circuitsOf(network), 0);
  t.ok(lastOf(twin, contentTypes.unroute));
  t.ok(lastOf(twin, contentTypes.apiSessionRemoved));
  await network.stop();
});

t.test('terminators and circuits outlive a restart of the controller', async (t) => {
  const { hosting, network, fleet, router } = await boot();
  const { twin } = await fleet.connect(router);
  await bind(twin, fleet, hosting);
  await dial(twin, fleet, hosting);
  for (const again of ['restart', 'crash'] as const) {
    await network[again]();
    await network.logInAdmin();
    t.same(hosting.terminators(), ['terminator-1']);
    t.equal(circuitsOf(network), 1, again);
    const back = await fleet.connect(router, twin.secret ? { secret: twin.secret } : {});
    t.ok(back.twin.isAccepted);
    t.ok(lastOf(back.twin, contentTypes.validateTerminatorsV2), 'it confirms its terminators');
    t.notOk(lastOf(back.twin, contentTypes.unroute));
    t.match(await network.must<object>('GET', `M:/edge-routers/${router.id}`), {
      syncStatus: 'SYNC_DONE',
    });
  }
  await network.stop();
});

t.test('a router that is quiesced gets no further circuits', async (t) => {
  const { hosting, network, fleet, router } = await boot();
  const { twin } = await fleet.connect(router);
  await bind(twin, fleet, hosting);
  twin.send({ contentType: contentTypes.quiesceRouter });
  await fleet.settle();
  await t.rejects(dial(twin, fleet, hosting));
  twin.send({ contentType: contentTypes.dequiesceRouter });
  await fleet.settle();
  await t.resolves(dial(twin, fleet, hosting));
  await network.stop();
});

t.test('a function that waits for a reply begins with an empty read fence', async (t) => {
  const { network, fleet, router } = await boot();
  const { twin } = await fleet.connect(router);
  const { fence } = network.env.store;
  const read: number[] = [];
  const ask = (contentType: number) =>
    network.core.routers.connected.get(router.id)?.channel.request({ contentType }, 1000, () => {
      read.push(fence.lsn);
      fence.note(Number.MAX_SAFE_INTEGER);
    });
  twin.handle(7, (frame) => twin.reply(frame, { contentType: 8 }));
  fence.note(Number.MAX_SAFE_INTEGER);
  ask(7);
  await fleet.settle();
  t.same(read, [0], 'answered');
  ask(9);
  await network.advance(1000);
  t.same(read, [0, 0], 'not answered in time');
  ask(9);
  twin.close();
  await fleet.settle();
  t.same(read, [0, 0, 0], 'its channel has closed');
  await network.stop();
});

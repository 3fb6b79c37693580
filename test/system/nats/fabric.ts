// Checks of what a fabric tells through a node that follows: events and usage.

import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { connect as dial } from 'node:tls';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeFrame, encodeFrame } from '../../../src/channel/frame.ts';
import { encodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { fabricTypes } from '../../../src/events/socket/fabric-types.ts';
import { openWebSocket } from '../../http/web-socket-client.ts';
import { type RouterTwin, twinMessages } from '../../simulated/router-twin.ts';
import { type Api, client, management } from '../client.ts';
import type { Endings } from '../endings.ts';
import { freePorts } from '../free-ports.ts';
import { connectTwinAtLast, enrollTwins } from '../hostile/enrolled-twins.ts';
import type { Serving } from '../process.ts';
import type { Check } from './check.ts';
import { Cluster } from './cluster.ts';
import { until } from './server.ts';

/** What a reader, a router and an administrator have of a node that follows. */
export const fabricChecks: readonly Check[] = [
  {
    name: 'controllers: events and usage through the front of a follower',
    body: async (world) => {
      const ports = await freePorts(2);
      const flagsOf = (index: number) => ['--ctrl-listen', `127.0.0.1:${ports[index]}`];
      const cluster = await Cluster.running({ ...world, flagsOf }, 2);
      const leader = await cluster.leader();
      const follower = 1 - leader;
      const node = cluster.nodes[follower];
      assert.ok(node);
      const admin = await cluster.admin(follower);
      const events = await readEvents(world.endings, node, admin.token);
      const scene = await createScene(admin);
      await until('the creation is told', () =>
        events().some(({ eventType, entityType }) => `${eventType} ${entityType}` === told),
      );
      const [router] = await enrollTwins(admin, ['edge'], node.ca);
      assert.ok(router);
      const at = { port: ports[follower] ?? 0, localAddress: '127.0.0.1' };
      const twin = await connectTwinAtLast(router, { ...at, hostname: 'edge.example' });
      assert.ok(twin);
      world.endings.teardown(() => twin.close());
      const circuitId = await openCircuit(admin, twin, { ...scene, router: router.id });
      reportUsage(twin, circuitId);
      await until('usage is told', () =>
        events().some((event) => event.namespace === 'usage' && event.circuit_id === circuitId),
      );
      assert.equal(await sentFor(admin, scene.service), carried);
      await cluster.stepDown(leader);
      assert.equal(await sentFor(await cluster.admin(follower), scene.service), carried);
    },
  },
];

const carried = 12_345;
const told = 'created services';

interface ReadEvent {
  readonly namespace?: string;
  readonly eventType?: string;
  readonly entityType?: string;
  readonly circuit_id?: string;
}

/** Subscribes over a WebSocket. @returns the events that have come so far */
async function readEvents(
  endings: Endings,
  { port, ca }: Serving,
  token: string,
): Promise<() => readonly ReadEvent[]> {
  const socket = dial({ host: '127.0.0.1', port, ca, servername: 'localhost' });
  await once(socket, 'secureConnect');
  endings.teardown(() => void socket.destroy());
  const reader = await openWebSocket(socket, '/fabric/v1/ws-api', { 'zt-session': token });
  const subscriptions = [{ type: 'entityChange' }, { type: 'usage' }];
  const body = Buffer.from(JSON.stringify({ format: 'json', subscriptions }));
  const chunks: Buffer[] = [];
  encodeFrame({ contentType: fabricTypes.streamEvents, sequence: 1, body }, chunks);
  reader.frame(0x82, Buffer.concat(chunks));
  const events: ReadEvent[] = [];
  return () => {
    for (const frame of reader.binaries.splice(0).map(decodeFrame)) {
      if (frame.contentType !== fabricTypes.event) continue;
      events.push(JSON.parse(frame.body.toString()) as ReadEvent);
    }
    return events;
  };
}

/** A service that everybody may dial over all routers. */
async function createScene(admin: Api): Promise<{ readonly service: string }> {
  const service = await admin.create('services', { name: 'printer', encryptionRequired: false });
  const [identityRoles, serviceRoles, edgeRouterRoles] = [['#all'], ['#all'], ['#all']];
  const all = { name: 'all', semantic: 'AnyOf' };
  await admin.create('service-policies', { ...all, type: 'Dial', identityRoles, serviceRoles });
  await admin.create('edge-router-policies', { ...all, identityRoles, edgeRouterRoles });
  await admin.create('service-edge-router-policies', { ...all, serviceRoles, edgeRouterRoles });
  return { service };
}

/** The administrator dials the service at the router. @returns the id of the circuit */
async function openCircuit(
  admin: Api,
  twin: RouterTwin,
  { service, router }: { readonly service: string; readonly router: string },
): Promise<string> {
  const terminator = { service, router, binding: 'transport', address: 'tcp:127.0.0.1:1' };
  await admin.create('terminators', terminator);
  const session = await admin.ask('POST', `${client}/sessions`, { serviceId: service });
  const tokens = { sessionToken: String(session['token']), apiSessionToken: admin.token };
  const { contentType, body } = await twin.ask(twinMessages.createCircuit(tokens));
  assert.equal(contentType, contentTypes.createCircuitV2Response, body.toString());
  const circuits = await admin.ask('GET', '/fabric/v1/circuits');
  const [circuit] = circuits as unknown as readonly { readonly id: string }[];
  return circuit?.id ?? '';
}

/** The router tells what it has carried in this minute. */
function reportUsage(twin: RouterTwin, circuitId: string): void {
  const counter = {
    intervalStartUTC: Math.floor(Date.now() / 1000),
    intervalLength: 60,
    buckets: { [circuitId]: { values: { 'ingress.rx': carried } } },
  };
  const body = encodeMessage(fabric.MetricsMessage, { usageCounters: [counter] });
  twin.send({ contentType: contentTypes.metrics, body });
}

/** What clients of a service have sent. */
async function sentFor(admin: Api, service: string): Promise<unknown> {
  const rows = await admin.ask('GET', `${management}/services/${service}/usage`);
  const [row] = rows as unknown as readonly { readonly clientSentBytes: number }[];
  return row?.clientSentBytes;
}

// The process of routers that carry traffic. It takes one job per message, and answers it.

import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { Frame } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { systemClock } from '../../src/platform/clock-and-random.ts';
import { RouterTwin, tlsWire, twinMessages } from '../../test/simulated/router-twin.ts';
import { createCircuit, measureCircuits, unrouted } from './circuit-work.ts';
import type { ControlTarget } from './control-target.ts';
import type { RouterIdentity } from './enrolled-routers.ts';
import { idleMetrics } from './fleet.ts';
import { createTerminator, measureTerminators } from './terminator-work.ts';
import {
  type ArrivalsAnswer,
  type ClientTokens,
  type MadeAnswer,
  machineMs,
  type TrafficJob,
} from './traffic-job.ts';
import { inFlight } from './work.ts';

/** After the last expected message, others may follow for so long. */
const quietMs = 300;
/** A router gives up after so long, as stock ones do. */
const attemptMs = 5000;
const triesMax = 5;

let connected: RouterTwin[] = [];
const taken = { lastAtMs: 0, lastUnrouteAtMs: 0, unroutes: 0, sessionRemovals: 0 };

async function connectAll(
  target: ControlTarget,
  routers: readonly RouterIdentity[],
  listening: number,
): Promise<MadeAnswer> {
  const twins = await inFlight(routers.length, 16, async (n) => {
    const identity = routers[n];
    let twin: RouterTwin | undefined;
    // One of 10,000 may be late on a busy machine.
    for (let tries = 0; identity && twin === undefined && tries < triesMax; tries += 1) {
      twin = await twinOf(identity, target, n < listening);
    }
    return twin;
  });
  connected = twins.filter((twin) => twin !== undefined);
  return madeOf(twins.map((twin) => (twin ? undefined : 'a router could not connect')));
}

/** Dials once. @returns undefined when it has not received its full state in time */
function twinOf(
  { id, chainPem }: RouterIdentity,
  { host, port, serverName, ca, keyPem }: ControlTarget,
  isListening: boolean,
): Promise<RouterTwin | undefined> {
  const socket = connect({
    host,
    port,
    servername: serverName,
    ca,
    key: keyPem,
    cert: chainPem,
    ALPNProtocols: ['ziti-ctrl'],
  });
  const late = setTimeout(() => socket.destroy(), attemptMs);
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(undefined));
    socket.once('secureConnect', () => {
      const address = { address: `tls:${id}.example:6000`, protocol: 'tls', groups: ['default'] };
      const linkListeners = isListening ? [address] : [];
      const name = { id, hostname: `${id}.example` };
      const options = { ...name, linkListeners, clock: systemClock, keeps: false };
      const twin = new RouterTwin(tlsWire(socket), options);
      for (const type of takingTypes) twin.handle(type, take);
      // There are few enough API sessions for one message.
      twin.handle(contentTypes.apiSessionAdded, () => {
        clearTimeout(late);
        resolve(twin);
      });
      twin.greet();
    });
  });
}

/** Content types of the messages that take access away. */
const takingTypes = [
  contentTypes.sessionRemoved,
  contentTypes.apiSessionRemoved,
  contentTypes.unroute,
] as const;

function take({ contentType, body }: Frame): void {
  taken.lastAtMs = machineMs();
  if (contentType === contentTypes.unroute) {
    taken.unroutes += 1;
    taken.lastUnrouteAtMs = taken.lastAtMs;
    unrouted(body);
  } else taken.sessionRemovals += 1;
}

function forgetTaken(): void {
  Object.assign(taken, { lastAtMs: 0, lastUnrouteAtMs: 0, unroutes: 0, sessionRemovals: 0 });
}

/** Each router hosts the service once. */
async function host(tokens: ClientTokens, count: number): Promise<MadeAnswer> {
  const hosts = twins(count);
  const answers = await inFlight(hosts.length, 16, (n) => createTerminator(hosts[n], tokens));
  return madeOf(answers.map(({ wrong }) => wrong));
}

/** Each router after the first `to` has dialed one of these. */
function link(to: number, count: number): MadeAnswer {
  const all = twins(count);
  for (const [n, twin] of all.entries()) {
    if (n < to) continue;
    const destRouterId = all[n % to]?.options.id ?? '';
    twin.send(twinMessages.links([{ id: `link-${n}`, destRouterId, linkProtocol: 'tls' }]));
  }
  return { made: Math.max(0, all.length - to), wrongSample: undefined };
}

async function dial(job: Extract<TrafficJob, { kind: 'dial' }>): Promise<MadeAnswer> {
  const { clients, circuits } = job;
  const through = twins(job.routers);
  const answers = await inFlight(circuits, 16, (n) =>
    createCircuit(through[n % through.length], clients[n % clients.length]),
  );
  forgetTaken();
  for (const { id, twin } of answers) if (twin !== undefined) circuitsOf(twin).push(id);
  return madeOf(answers.map(({ wrong }) => wrong));
}

const dialed = new Map<RouterTwin, string[]>();

/** The circuits that stay, by the router that has dialed. */
function circuitsOf(twin: RouterTwin): string[] {
  const known = dialed.get(twin) ?? [];
  dialed.set(twin, known);
  return known;
}

/** Routers report at intervals, spread over these. */
async function rest(job: Extract<TrafficJob, { kind: 'rest' }>): Promise<MadeAnswer> {
  const all = twins(job.routers);
  const endMs = Date.now() + job.ms;
  for (let lastMs = Date.now(); lastMs < endMs; ) {
    await sleep(50);
    const nowMs = Date.now();
    for (const [n, twin] of all.entries()) {
      const phaseMs = (n / all.length) * job.everyMs;
      const round = Math.floor((nowMs - phaseMs) / job.everyMs);
      if (round === Math.floor((lastMs - phaseMs) / job.everyMs)) continue;
      const startSeconds = ((round - 1) * job.everyMs) / 1000;
      const body = job.reportsUsage ? [idleMetrics, usageOf(twin, startSeconds)] : [idleMetrics];
      twin.send({ contentType: contentTypes.metrics, body: Buffer.concat(body) });
    }
    lastMs = nowMs;
  }
  return madeOf(
    all.map(({ isClosed }) => (isClosed ? 'a router has lost its connection' : undefined)),
  );
}

/** A report of the bytes that its circuits carried in the minute that began then. */
function usageOf(twin: RouterTwin, startSeconds: number): Buffer {
  const values = { 'ingress.rx': 1000, 'ingress.tx': 2000, 'fabric.rx': 2000, 'fabric.tx': 1000 };
  const tags = {
    clientId: 'aClientOf.Some',
    hostId: 'aHostOf.Some1',
    serviceId: '4nServiceOfSome',
  };
  const counter = {
    intervalStartUTC: startSeconds,
    intervalLength: 60,
    buckets: Object.fromEntries(circuitsOf(twin).map((id) => [id, { values, tags }])),
  };
  return encodeMessage(fabric.MetricsMessage, { usageCounters: [counter] });
}

function madeOf(wrongs: readonly (string | undefined)[]): MadeAnswer {
  const samples = wrongs.filter((wrong) => wrong !== undefined);
  return { made: wrongs.length - samples.length, wrongSample: samples[0] };
}

async function arrivals(circuits: number, timeoutMs: number): Promise<ArrivalsAnswer> {
  const untilMs = machineMs() + timeoutMs;
  const isDue = () => taken.unroutes < circuits || machineMs() - taken.lastAtMs < quietMs;
  while (isDue() && machineMs() < untilMs) await sleep(20);
  const found = { ...taken };
  forgetTaken();
  return found;
}

/** The first routers. */
function twins(count: number): readonly RouterTwin[] {
  return connected.slice(0, count);
}

async function run(job: TrafficJob): Promise<object> {
  switch (job.kind) {
    case 'connect':
      return await connectAll(job.target, job.routers, job.listening);
    case 'host':
      return await host(job.tokens, job.routers);
    case 'link':
      return link(job.to, job.routers);
    case 'circuits':
      return await measureCircuits(job, twins(job.routers));
    case 'terminators':
      return await measureTerminators(job, twins(job.routers));
    case 'dial':
      return await dial(job);
    case 'rest':
      return await rest(job);
    case 'arrivals':
      return await arrivals(job.circuits, job.timeoutMs);
  }
}

process.on('message', (job: TrafficJob) => {
  run(job)
    .then((answer) => process.send?.(answer))
    .catch((error: unknown) => process.send?.({ error: String(error) }));
});
process.on('disconnect', () => process.exit(0));

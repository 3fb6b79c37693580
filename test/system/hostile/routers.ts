// A fleet of hostile routers beside an honest one of the same size. The hostile ones have enrolled,
// so their hellos are accepted; all that they send afterwards is an attack.

import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { isNightly } from '../../campaigns.ts';
import { flood, type HostileAct, hostileActs } from '../../simulated/hostile-twin.ts';
import { type RouterTwin, twinMessages } from '../../simulated/router-twin.ts';
import { type Api, connect, logIn, management } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import {
  atOnce,
  connectTwin,
  connectTwinAtLast,
  controlPortOf,
  type EnrolledTwin,
  enrollTwins,
} from './enrolled-twins.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

/** Routers of each fleet. */
const routersEach = isNightly ? 1000 : 300;
/** Hostile routers that act per second; a router acts every five seconds. */
const actsPerSecond = 200;
/** Honest routers that ask something per second. */
const asksPerSecond = 200;
const p99MsMax = 1000;

const attackerAddress = '127.0.0.2';
const honestAddress = '127.0.0.1';

/**
 * Attacks for so long: hostile routers send broken frames, floods and lies, read nothing, send no
 * heartbeats, or go and come back. Honest routers and an administrator ask meanwhile.
 */
export async function attackRouters(
  endings: Endings,
  target: Serving,
  seconds: number,
): Promise<Outcome> {
  const admin = await logIn(connect(endings, target, 16));
  const names = ['honest', 'hostile'].flatMap((kind) =>
    Array.from({ length: routersEach }, (_, n) => `${kind}-${n}`),
  );
  const enrolled = await enrollTwins(admin, names, target.ca);
  const port = await controlPortOf(admin);
  const isHonest = ({ name }: EnrolledTwin) => name.startsWith('honest');
  const honest = new HonestFleet();
  await honest.connect(enrolled.filter(isHonest), port);
  const hostile = new HostileFleet(
    enrolled.filter((one) => !isHonest(one)),
    port,
    enrolled.filter(isHonest).map(({ id }) => id),
  );
  await hostile.connect();
  const startedMs = performance.now();
  const elapsed = () => (performance.now() - startedMs) / 1000;
  const asking = askingAsAdmin(admin, () => elapsed() < seconds);
  let acted = 0;
  let asked = 0;
  while (elapsed() < seconds) {
    for (; acted < elapsed() * actsPerSecond; acted += 1) hostile.act(acted);
    for (; asked < elapsed() * asksPerSecond; asked += 1) honest.ask(asked);
    await sleep(5);
  }
  const requests = await asking;
  await honest.answered();
  const online = await admin.all('edge-routers', 'connected=true limit none');
  const outcome = evaluated(honest, hostile, requests, online);
  hostile.stop();
  honest.stop();
  return outcome;
}

interface Requests {
  readonly ms: readonly number[];
  readonly wrong: readonly number[];
}

/** An administrator who reads and writes, one request after the other. */
async function askingAsAdmin(admin: Api, goesOn: () => boolean): Promise<Requests> {
  const ms: number[] = [];
  const wrong: number[] = [];
  while (goesOn()) {
    const askedMs = performance.now();
    const name = `beside the attack ${ms.length}`;
    const { status } = await admin
      .call('POST', `${management}/identities`, { name, type: 'Default', isAdmin: false })
      .catch(() => ({ status: 0 }));
    if (status !== 201) wrong.push(status);
    ms.push(performance.now() - askedMs);
    await sleep(5);
  }
  return { ms, wrong };
}

function evaluated(
  honest: HonestFleet,
  hostile: HostileFleet,
  { ms, wrong }: Requests,
  online: readonly { readonly name?: unknown }[],
): Outcome {
  const honestOnline = online.filter(({ name }) => String(name).startsWith('honest')).length;
  const figures = {
    honest: honest.accepted,
    lost: honest.lost,
    asked: honest.askedMs.length,
    routerP99Ms: quantile(honest.askedMs, 0.99),
    hostile: hostile.accepted,
    ended: hostile.ended,
    requests: ms.length,
    wrong: wrong.length,
    requestP99Ms: quantile(ms, 0.99),
  };
  const failures = unmet({
    'An honest router was not accepted.': figures.honest === routersEach,
    'A hostile router was not accepted at first, so it could do nothing.':
      figures.hostile === routersEach,
    'No hostile router lost its connection.': figures.ended > 0,
    'An honest router lost its connection.': figures.lost === 0,
    [`The controller shows ${honestOnline} honest routers as connected.`]:
      honestOnline === routersEach,
    'A question of an honest router was not answered.': honest.unanswered === 0,
    [`The administrator was not always answered 201: ${wrong.join(' ')}.`]: wrong.length === 0,
  });
  const slow = unmet({
    'The p99 of the answers to honest routers was not under 1 s.': figures.routerP99Ms < p99MsMax,
    "The p99 of the administrator's requests was not under 1 s.": figures.requestP99Ms < p99MsMax,
  });
  return { attack: 'hostile routers', figures, failures, slow };
}

/** Routers that ask for a sign of life in turns, and notice when they lose their connection. */
class HonestFleet {
  readonly askedMs: number[] = [];
  accepted = 0;
  lost = 0;
  unanswered = 0;
  readonly #twins: RouterTwin[] = [];
  #isStopped = false;

  async connect(routers: readonly EnrolledTwin[], port: number): Promise<void> {
    await atOnce(routers, async (router) => {
      const hostname = `${router.name}.example`;
      const options = { port, localAddress: honestAddress, hostname };
      const twin = await connectTwinAtLast(router, options);
      if (twin === undefined) return;
      this.accepted += 1;
      this.#twins.push(twin);
      twin.onClosed = () => {
        if (!this.#isStopped) this.lost += 1;
      };
    });
  }

  ask(number: number): void {
    const twin = this.#twins[number % this.#twins.length];
    if (twin === undefined) return;
    const startedMs = performance.now();
    this.unanswered += 1;
    twin.request({ contentType: contentTypes.ping }, () => {
      this.unanswered -= 1;
      this.askedMs.push(performance.now() - startedMs);
    });
  }

  /** Resolves when all questions were answered, or after some time. */
  async answered(): Promise<void> {
    const patience = performance.now() + 10_000;
    while (this.unanswered > 0 && performance.now() < patience) await sleep(10);
  }

  stop(): void {
    this.#isStopped = true;
    for (const twin of this.#twins) twin.close();
  }
}

/**
 * Routers that attack. Of each five, one sends no heartbeats and one reads nothing; those whose
 * connection ends come back at their next turn.
 */
class HostileFleet {
  accepted = 0;
  ended = 0;
  readonly #routers: readonly EnrolledTwin[];
  readonly #port: number;
  readonly #acts: readonly HostileAct['act'][];
  /** By place; none for a router that is away or dials. */
  readonly #twins: (RouterTwin | undefined)[];
  readonly #dialing = new Set<number>();
  #isStopped = false;

  constructor(routers: readonly EnrolledTwin[], port: number, others: readonly string[]) {
    this.#routers = routers;
    this.#port = port;
    this.#twins = routers.map(() => undefined);
    const act = (one: HostileAct) => one.act;
    this.#acts = [...Object.values<HostileAct>(hostileActs).map(act), ...liesAbout(others)];
  }

  async connect(): Promise<void> {
    await atOnce([...this.#routers.keys()], (place) => this.#dial(place, connectTwinAtLast));
    this.accepted = this.#twins.filter((twin) => twin !== undefined).length;
  }

  /** Lets one router act: all routers in turns, with another act in each turn. */
  act(number: number): void {
    const place = number % this.#routers.length;
    const turn = Math.floor(number / this.#routers.length);
    const twin = this.#twins[place];
    if (twin === undefined) {
      if (!this.#dialing.has(place)) void this.#dial(place);
      return;
    }
    this.#acts[(place + turn * 7) % this.#acts.length]?.(twin);
  }

  stop(): void {
    this.#isStopped = true;
    for (const twin of this.#twins) twin?.close();
  }

  async #dial(place: number, connecting = connectTwin): Promise<void> {
    const router = this.#routers[place];
    if (router === undefined) return;
    this.#dialing.add(place);
    const twin = await connecting(router, {
      port: this.#port,
      localAddress: attackerAddress,
      beats: place % 5 !== 1,
      keeps: false,
    });
    this.#dialing.delete(place);
    if (twin === undefined) return;
    if (this.#isStopped) twin.close();
    if (place % 5 === 2) twin.wire.pause();
    this.#twins[place] = twin;
    twin.onClosed = () => {
      this.#twins[place] = undefined;
      this.ended += 1;
    };
  }
}

/** Metrics without an end, of which each field is a usage counter that holds nothing. */
const nonsense = {
  contentType: contentTypes.metrics,
  body: Buffer.alloc(1024 * 1024, Buffer.of(0x5a, 0)),
};

/** Floods, and lies about links, terminators, circuits, clients and what is measured. */
function liesAbout(others: readonly string[]): HostileAct['act'][] {
  const tokens = { sessionToken: 'stolen', apiSessionToken: 'stolen' };
  const states = others.slice(0, 200).map((destRouterId, n) => ({
    id: `link-${n}`,
    destRouterId,
    linkProtocol: 'tls',
    dialAddress: 'tls:203.0.113.1:6000',
    iteration: 1,
  }));
  return [
    (twin) => flood(twin, 5000),
    (twin) => twin.send(twinMessages.links(states)),
    (twin) => twin.send(twinMessages.createTerminator({ ...tokens, address: 'nowhere' })),
    (twin) => twin.send(twinMessages.createCircuit(tokens)),
    (twin) => twin.send(twinMessages.circuits({ 'no-such-circuit': 1_000_000 })),
    (twin) => twin.send(twinMessages.connectEvents([{ identityId: 'nobody', isConnected: true }])),
    (twin) => twin.send(nonsense),
    (twin) => twin.close(),
  ];
}

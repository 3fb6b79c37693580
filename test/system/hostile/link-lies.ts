// An enrolled router that reports links from itself to two others, which know nothing of them, and
// a latency of 1 ns. The two dial each other meanwhile, and their own link breaks again and again.

import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypes } from '../../../src/channel/content-types.ts';
import { decodeMessage, fabric } from '../../../src/channel/messages/messages.ts';
import { answerRoute, linkListener, linkMessages } from '../../simulated/linked-twin.ts';
import { type RouterTwin, twinMessages } from '../../simulated/router-twin.ts';
import { type Api, client, connect, createNetwork, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import type { Serving } from '../process.ts';
import { connectTwinAtLast, controlPortOf, enrollTwins } from './enrolled-twins.ts';
import { type Outcome, quantile, unmet } from './outcome.ts';

/** The path by which the two reach each other while their own link is broken. */
const detour = ['near', 'second', 'third', 'far'];
const roundMs = 50;
/** Rounds between two lists of new lies: as often as metrics are read. */
const roundsALie = 20;
/** Rounds after which the own link breaks, or works again. */
const roundsAChange = 30;
/** Links that the liar reports to each of the two. */
const liesEach = 20;
const p99MsMax = 1000;

interface TrueLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** Attacks for so long. Nothing is measured by honest routers in the first half of the time. */
export async function attackByLinkLies(
  endings: Endings,
  target: Serving,
  seconds: number,
): Promise<Outcome> {
  const admin = await logIn(connect(endings, target, 1));
  const world = await connectRouters(admin, target);
  const dials = new Dials(world.twin('near'), await sessionAt(admin, world.id('far')));
  const rounds = Math.round((seconds * 1000) / roundMs);
  for (let round = 0; round < rounds; round += 1) {
    if (round % roundsALie === 0) world.lie();
    if (round % roundsAChange === roundsAChange - 1) world.changeOwnLink();
    if (round > rounds / 2 && round % roundsALie === roundsALie / 2) world.measure();
    dials.dial();
    await sleep(roundMs);
  }
  await sleep(p99MsMax);
  const { asked, refusedTexts, answeredMs, ended } = dials;
  world.stop();
  const figures = {
    dials: asked,
    refused: refusedTexts.length,
    unanswered: asked - answeredMs.length - refusedTexts.length,
    ended,
    lies: world.lies,
    liesRefused: world.liesRefused,
    p99Ms: quantile(answeredMs, 0.99),
  };
  const failures = unmet({
    [`A dial was refused: ${refusedTexts[0]}.`]: figures.refused === 0,
    'A dial was not answered.': figures.unanswered === 0,
    'A circuit ended, although a path led to its host.': ended === 0,
    'No path led over a link that does not exist, so nothing was tried.': world.liesRefused > 0,
  });
  const slow = unmet({ 'The p99 of the dials was not under 1 s.': figures.p99Ms < p99MsMax });
  return { attack: 'links that do not exist', figures, failures, slow };
}

/** A session for a service that is hosted at a router. */
async function sessionAt(admin: Api, router: string): Promise<Tokens> {
  await createNetwork(admin, 0);
  const service = await admin.create('services', { name: 'hosted', encryptionRequired: false });
  const host = { service, router, binding: 'transport', address: 'tcp:host.example:80' };
  await admin.create('terminators', host);
  const body = { serviceId: service, type: 'Dial' };
  const { id } = await admin.ask('POST', `${client}/sessions`, body);
  return { sessionToken: String(id), apiSessionToken: admin.token };
}

interface Tokens {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
}

async function connectRouters(admin: Api, { ca }: Serving): Promise<LinkedRouters> {
  const enrolled = await enrollTwins(admin, [...detour, 'liar'], ca);
  const port = await controlPortOf(admin);
  const routers = new LinkedRouters(new Map(enrolled.map(({ id, name }) => [name, id])));
  for (const router of enrolled) {
    const { name } = router;
    const twin = await connectTwinAtLast(router, {
      port,
      localAddress: name === 'liar' ? '127.0.0.2' : '127.0.0.1',
      hostname: `${name}.example`,
      linkListeners: [linkListener(name)],
      keeps: false,
    });
    if (twin === undefined) throw new Error(`router ${name} was not accepted`);
    routers.connected(name, twin);
  }
  return routers;
}

/** Honest routers in a row, whose ends have a link of their own, and the liar. */
class LinkedRouters {
  lies = 0;
  liesRefused = 0;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #twins = new Map<string, RouterTwin>();
  readonly #links = detour.slice(1).map((to, at) => link(detour[at] ?? '', to));
  #own: TrueLink | undefined = link('near', 'far');
  #ownIteration = 1;

  constructor(ids: ReadonlyMap<string, string>) {
    this.#ids = ids;
  }

  id(name: string): string {
    return this.#ids.get(name) ?? '';
  }

  twin(name: string): RouterTwin {
    const twin = this.#twins.get(name);
    if (twin === undefined) throw new Error(`router ${name} is not connected`);
    return twin;
  }

  connected(name: string, twin: RouterTwin): void {
    this.#twins.set(name, twin);
    if (name === 'liar') return;
    twin.handle(contentTypes.route, (frame) => {
      const knows = (linkId: string) => this.#linksOf(name).some(({ id }) => id === linkId);
      if (!answerRoute(twin, frame, knows)) this.liesRefused += 1;
    });
    const dialed = this.#linksOf(name).filter(({ from }) => from === name);
    twin.send(twinMessages.links(dialed.map((one) => this.#report(one))));
  }

  /** The liar forgets its former links and has others, under new ids. */
  lie(): void {
    const links = ['near', 'far'].flatMap((to) =>
      Array.from({ length: liesEach }, () => ({ id: `lie-${++this.lies}`, from: 'liar', to })),
    );
    const liar = this.twin('liar');
    liar.send(twinMessages.links(links.map((one) => this.#report(one))));
    liar.send(
      linkMessages.latencies(
        links.map(({ id }) => id),
        1,
      ),
    );
  }

  /** The link between the ends breaks, or is dialed again. */
  changeOwnLink(): void {
    const own = this.#own;
    if (own !== undefined) {
      this.#own = undefined;
      for (const name of ['near', 'far']) {
        this.twin(name).send(linkMessages.fault(own.id, this.#ownIteration));
      }
      return;
    }
    this.#ownIteration += 1;
    this.#own = link('near', 'far');
    this.twin('near').send(twinMessages.links([this.#report(this.#own)], false));
  }

  measure(): void {
    for (const name of detour) {
      const ids = this.#linksOf(name).map(({ id }) => id);
      this.twin(name).send(linkMessages.latencies(ids, 5_000_000));
    }
  }

  stop(): void {
    for (const twin of this.#twins.values()) twin.close();
  }

  #linksOf(name: string): TrueLink[] {
    const all = this.#own === undefined ? this.#links : [...this.#links, this.#own];
    return all.filter(({ from, to }) => from === name || to === name);
  }

  #report({ id, to }: TrueLink): fabric.RouterLink.$Properties {
    const iteration = id === this.#own?.id ? this.#ownIteration : 1;
    return { id, destRouterId: this.id(to), linkProtocol: 'tls', iteration };
  }
}

function link(from: string, to: string): TrueLink {
  return { id: `${from}-${to}`, from, to };
}

/** Dials from one router; the circuits stay open. */
class Dials {
  asked = 0;
  /** Circuits that were created and are gone. */
  ended = 0;
  readonly refusedTexts: string[] = [];
  readonly answeredMs: number[] = [];
  readonly #twin: RouterTwin;
  readonly #tokens: Tokens;
  readonly #open = new Set<string>();

  constructor(twin: RouterTwin, tokens: Tokens) {
    this.#twin = twin;
    this.#tokens = tokens;
    twin.handle(contentTypes.unroute, ({ body }) => {
      const { circuitId } = decodeMessage(fabric.Unroute, body);
      if (this.#open.delete(circuitId)) this.ended += 1;
    });
  }

  dial(): void {
    const startedMs = performance.now();
    this.asked += 1;
    this.#twin.request(twinMessages.createCircuit(this.#tokens), (answer) => {
      if (answer.contentType !== contentTypes.createCircuitV2Response) {
        this.refusedTexts.push(answer.body.toString());
        return;
      }
      this.answeredMs.push(performance.now() - startedMs);
      this.#open.add(answer.headers.get(11)?.toString() ?? '');
    });
  }
}

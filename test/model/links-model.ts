// Routers with true links, and one that makes up links to all of them, each second under new ids. A
// router refuses a path over a link that it does not know, as routers of the field do.

import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { circuitKind } from '../../src/records/circuit.ts';
import { linkKind } from '../../src/records/link.ts';
import { routerKind } from '../../src/records/router.ts';
import { type EnrolledRouter, Fleet } from '../routers/fleet.ts';
import { answerRoute, linkListener, linkMessages } from '../simulated/linked-twin.ts';
import { bootNetwork, type Network } from '../simulated/network.ts';
import { type RouterTwin, twinMessages } from '../simulated/router-twin.ts';

/** What happens next. */
export type LinksStep =
  | { readonly do: 'lie'; readonly linksEach: number; readonly isRefresh: boolean }
  | { readonly do: 'dial'; readonly from: number }
  | { readonly do: 'break' | 'redial' | 'steal'; readonly link: number }
  | { readonly do: 'leave' | 'return'; readonly router: number }
  | { readonly do: 'minute' }
  | { readonly do: 'restart'; readonly order: readonly number[] };

/** A link that exists. */
interface TrueLink {
  readonly id: string;
  readonly from: HonestRouter;
  readonly to: HonestRouter;
  iteration: number;
  isUp: boolean;
}

interface HonestRouter {
  readonly name: string;
  readonly enrolled: EnrolledRouter;
  /** Undefined while it is away. */
  twin: RouterTwin | undefined;
}

/** The host is at the last of them; the third one accepts no links. */
const names = ['r1', 'r2', 'r3', 'r4'];
const ends = ['r1 r2', 'r2 r4', 'r1 r4', 'r3 r1', 'r3 r4'];

/** The whole world. */
export class LinksModel {
  readonly #network: Network;
  readonly #fleet: Fleet;
  readonly #honest: HonestRouter[] = [];
  #liar: EnrolledRouter = { id: '', certificates: [] };
  #lying: RouterTwin | undefined;
  #links: TrueLink[] = [];
  #lies = 0;
  #token = '';
  #sessionId = '';

  private constructor(network: Network) {
    this.#network = network;
    this.#fleet = new Fleet(network);
  }

  /** Boots it; all routers are connected, and nothing is measured yet. */
  static async boot(): Promise<LinksModel> {
    const model = new LinksModel(await bootNetwork({ freeze: false }));
    await model.#fill();
    return model;
  }

  async take(step: LinksStep): Promise<void> {
    switch (step.do) {
      case 'lie':
        this.#lie(step.linksEach, step.isRefresh);
        await this.#network.advance(1000);
        break;
      case 'dial':
        await this.#dial(step.from);
        break;
      case 'break':
      case 'redial':
      case 'steal':
        await this.#changeLink(step.do, this.#links[step.link]);
        break;
      case 'leave':
        await this.#leave(this.#honest[step.router]);
        break;
      case 'return':
        await this.#return(this.#honest[step.router]);
        break;
      case 'minute':
        this.#measure();
        await this.#network.advance(60_000);
        break;
      case 'restart':
        await this.#restart(step.order);
        break;
    }
    this.#check();
  }

  async stop(): Promise<void> {
    await this.#network.stop();
  }

  async #fill(): Promise<void> {
    const network = this.#network;
    for (const name of names) {
      this.#honest.push({ name, enrolled: await this.#fleet.router(name), twin: undefined });
    }
    this.#liar = await this.#fleet.router('liar');
    const all = { semantic: 'AnyOf', serviceRoles: ['#all'] };
    const service = { name: 'service', encryptionRequired: false };
    const serviceId = await network.create('services', service);
    const usable = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
    const everybody = { identityRoles: ['#all'] };
    await network.create('edge-router-policies', { name: 'e', ...usable, ...everybody });
    const carried = { name: 's', ...usable, serviceRoles: ['#all'] };
    await network.create('service-edge-router-policies', carried);
    const dial = { name: 'dial', type: 'Dial', ...all, ...everybody };
    await network.create('service-policies', dial);
    const router = this.#honest.at(-1)?.enrolled.id;
    const terminator = { service: serviceId, router, binding: 'transport', address: 'host' };
    await network.create('terminators', terminator);
    await network.createUser('client', 'client-password');
    this.#token = await network.login('client', 'client-password');
    const body = { serviceId, type: 'Dial' };
    const session = await network.must<{ id: string }>('POST', 'C:/sessions', body, this.#token);
    this.#sessionId = session.id;
    const named = (name: string | undefined) => {
      const router = this.#honest.find((one) => one.name === name);
      if (router === undefined) throw new Error(`nobody is named ${name}`);
      return router;
    };
    this.#links = ends.map((pair) => {
      const [from, to] = pair.split(' ').map(named);
      if (from === undefined || to === undefined) throw new Error(pair);
      return { id: pair.replace(' ', ''), from, to, iteration: 1, isUp: true };
    });
    await this.#connectAll([4, 0, 1, 2, 3]);
  }

  /** The liar says first what it likes. */
  async #connectAll(order: readonly number[]): Promise<void> {
    for (const at of order) {
      const router = this.#honest[at];
      if (router !== undefined) await this.#connect(router);
      else await this.#connectLiar();
    }
  }

  async #connectLiar(): Promise<void> {
    const { twin } = await this.#fleet.connect(this.#liar, listening('liar'));
    this.#lying = twin;
    this.#lie(2, true);
    for (const link of this.#links) this.#steal(link);
    await this.#fleet.settle();
  }

  async #connect(router: HonestRouter): Promise<void> {
    const options = router.name === 'r3' ? {} : listening(router.name);
    const { twin } = await this.#fleet.connect(router.enrolled, options);
    router.twin = twin;
    twin.handle(contentTypes.route, (frame) =>
      answerRoute(twin, frame, (id) => this.#knows(router, id)),
    );
    const links = this.#links.filter(({ from, isUp }) => from === router && isUp);
    twin.send(twinMessages.links(links.map(reportOf)));
    await this.#fleet.settle();
  }

  #knows(router: HonestRouter, linkId: string): boolean {
    return this.#links.some(
      ({ id, from, to, isUp }) => id === linkId && isUp && (from === router || to === router),
    );
  }

  #lie(linksEach: number, isRefresh: boolean): void {
    const twin = this.#lying;
    if (twin === undefined) return;
    const lies = this.#honest.flatMap(({ enrolled }) =>
      Array.from({ length: linksEach }, () => ({
        id: `lie${++this.#lies}`,
        destRouterId: enrolled.id,
        linkProtocol: 'tls',
        iteration: 1,
      })),
    );
    twin.send(twinMessages.links(lies, isRefresh));
    twin.send(
      linkMessages.latencies(
        lies.map(({ id }) => id),
        1,
      ),
    );
  }

  /** The liar reports the id of a true link as one of its own. */
  #steal({ id, to, from }: TrueLink): void {
    const destRouterId = (this.#lies++ % 2 === 0 ? to : from).enrolled.id;
    this.#lying?.send(twinMessages.links([{ id, destRouterId, iteration: 9 }], false));
    this.#lying?.send(linkMessages.latencies([id], 1));
  }

  async #changeLink(change: 'break' | 'redial' | 'steal', link: TrueLink | undefined) {
    if (link === undefined) return;
    if (change === 'steal') this.#steal(link);
    if (change === 'break' && link.isUp) {
      link.isUp = false;
      for (const { twin } of [link.from, link.to])
        twin?.send(linkMessages.fault(link.id, link.iteration));
    }
    if (change === 'redial' && !link.isUp && link.from.twin !== undefined) {
      link.isUp = true;
      link.iteration += 1;
      // A router that accepts a link asks who dials.
      const { id: routerId } = link.from.enrolled;
      const record = this.#network.env.store.table(routerKind).peek(routerId)?.record;
      const fingerprints = [record?.fingerprint ?? ''];
      const body = encodeMessage(fabric.VerifyRouter, { routerId, fingerprints });
      link.to.twin?.send({ contentType: contentTypes.verifyRouter, body });
      await this.#fleet.settle();
      link.from.twin?.send(twinMessages.links([reportOf(link)], false));
    }
    await this.#network.advance(1000);
  }

  async #leave(router: HonestRouter | undefined): Promise<void> {
    // The host stays, or its circuits would end.
    if (router?.twin === undefined || router.name === 'r4') return;
    router.twin.close();
    router.twin = undefined;
    await this.#network.advance(1000);
  }

  async #return(router: HonestRouter | undefined): Promise<void> {
    if (router === undefined || router.twin !== undefined) return;
    await this.#network.advance(4000);
    await this.#connect(router);
  }

  #measure(): void {
    for (const router of this.#honest) {
      const own = this.#links.filter(
        ({ from, to, isUp }) => isUp && (from === router || to === router),
      );
      if (own.length === 0) continue;
      router.twin?.send(
        linkMessages.latencies(
          own.map(({ id }) => id),
          5_000_000,
        ),
      );
    }
  }

  async #restart(order: readonly number[]): Promise<void> {
    await this.#network.kill();
    for (const router of this.#honest) router.twin = undefined;
    await this.#connectAll(order);
  }

  async #dial(at: number): Promise<void> {
    const router = this.#honest[at];
    const twin = router?.twin;
    if (router === undefined || twin === undefined) return;
    const tokens = { sessionToken: this.#sessionId, apiSessionToken: this.#token };
    let answer = 0;
    twin.request(twinMessages.createCircuit(tokens), ({ contentType }) => {
      answer = contentType;
    });
    await this.#network.advance(100);
    const mayWork = this.#leadsToHost(router);
    const worked = answer === contentTypes.createCircuitV2Response;
    if (worked !== mayWork) throw new Error(`${router.name}: ${answer}, with a path: ${mayWork}`);
  }

  /** Whether true links lead from a router to the host. */
  #leadsToHost(router: HonestRouter): boolean {
    const reached = new Set([router]);
    for (const one of reached) {
      for (const { from, to, isUp } of this.#links) {
        if (!isUp || from.twin === undefined || to.twin === undefined) continue;
        if (from === one) reached.add(to);
        if (to === one) reached.add(from);
      }
    }
    return [...reached].some(({ name }) => name === 'r4');
  }

  #check(): void {
    const { store } = this.#network.env;
    for (const { id, from, to, isUp } of this.#links) {
      if (!isUp || from.twin === undefined || to.twin === undefined) continue;
      const [source, dest] = [from.enrolled.id, to.enrolled.id];
      const rows = [...store.table(linkKind).rows()].map(({ record }) => record);
      const own = rows.find(
        (link) => (link.sharedId ?? link.id) === id && link.sourceRouter === source,
      );
      if (own?.state !== 'connected' || own.destRouter !== dest) {
        throw new Error(`the true link ${id} is ${own?.state}`);
      }
    }
    for (const { record } of store.table(circuitKind).rows()) {
      if (record.state !== 'active') throw new Error(`a circuit is ${record.state}`);
    }
  }
}

function listening(name: string) {
  return { linkListeners: [linkListener(name)] };
}

function reportOf({ id, to, iteration }: TrueLink): fabric.RouterLink.$Properties {
  return { id, destRouterId: to.enrolled.id, linkProtocol: 'tls', iteration };
}

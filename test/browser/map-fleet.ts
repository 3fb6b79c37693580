// Routers with links, for the map: simulated ones that have enrolled with the controller of the
// stage and dial it over TLS.

import { setTimeout as sleep } from 'node:timers/promises';
import { contentTypes } from '../../src/channel/content-types.ts';
import type { fabric } from '../../src/channel/messages/messages.ts';
import { linkListener, linkMessages } from '../simulated/linked-twin.ts';
import { type RouterTwin, twinMessages } from '../simulated/router-twin.ts';
import { client, management } from '../system/client.ts';
import {
  atOnce,
  connectTwinAtLast,
  controlPortOf,
  enrollTwins,
} from '../system/hostile/enrolled-twins.ts';
import type { Stage } from './stage.ts';

/** Far longer than the controller takes to read a report. */
const triesMax = 200;
const pauseMs = 50;

/** A link by the names of its routers; the first one dials. */
export interface FleetLink {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** What a fleet is made of. */
export interface FleetPlan {
  /** Names of the routers, which no other router of the stage has. */
  readonly names: readonly string[];
  readonly links: readonly FleetLink[];
  readonly roleAttributesOf: (name: string) => readonly string[];
}

/** Connected routers. */
export class MapFleet {
  readonly #stage: Stage;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #twins: ReadonlyMap<string, RouterTwin>;
  readonly #iterations = new Map<string, number>();

  private constructor(
    stage: Stage,
    ids: ReadonlyMap<string, string>,
    twins: ReadonlyMap<string, RouterTwin>,
  ) {
    this.#stage = stage;
    this.#ids = ids;
    this.#twins = twins;
  }

  /** Enrolls and connects all routers, which then report their links. */
  static async connect(stage: Stage, plan: FleetPlan): Promise<MapFleet> {
    const { names, links, roleAttributesOf } = plan;
    const { admin, serving } = stage;
    const enrolled = await enrollTwins(admin, names, serving.ca, roleAttributesOf);
    const port = await controlPortOf(admin);
    const twins = await atOnce(enrolled, async (router) => {
      const { name } = router;
      const twin = await connectTwinAtLast(router, {
        port,
        localAddress: '127.0.0.1',
        hostname: `${name}.example`,
        linkListeners: [linkListener(name)],
        keeps: false,
      });
      if (twin === undefined) throw new Error(`router ${name} was not accepted`);
      return [name, twin] as const;
    });
    const ids = new Map(enrolled.map(({ id, name }) => [name, id]));
    const fleet = new MapFleet(stage, ids, new Map(twins));
    for (const name of names) {
      const own = links.filter(({ from }) => from === name);
      fleet.twin(name).send(twinMessages.links(own.map((link) => fleet.#report(link))));
    }
    await atOnce(links, ({ id }) => fleet.#isKnown(id));
    return fleet;
  }

  id(name: string): string {
    return this.#ids.get(name) ?? '';
  }

  twin(name: string): RouterTwin {
    const twin = this.#twins.get(name);
    if (twin === undefined) throw new Error(`there is no router ${name}`);
    return twin;
  }

  /**
   * Both ends of links say how fast they are. The controller reads one such message of a router per
   * second.
   */
  measure(links: readonly FleetLink[], msOf: (link: FleetLink, n: number) => number): void {
    const byRouter = new Map<string, Map<string, number>>();
    for (const [n, link] of links.entries()) {
      for (const name of [link.from, link.to]) {
        const means = byRouter.get(name) ?? new Map<string, number>();
        byRouter.set(name, means.set(link.id, msOf(link, n) * 1e6));
      }
    }
    for (const [name, means] of byRouter) this.twin(name).send(linkMessages.eachLatency(means));
  }

  /** The dialing router says that a link is broken. */
  break(link: FleetLink): void {
    const iteration = this.#iterations.get(link.id) ?? 1;
    this.twin(link.from).send(linkMessages.fault(link.id, iteration));
  }

  /** It has dialed the link again. */
  repair(link: FleetLink): void {
    this.#iterations.set(link.id, (this.#iterations.get(link.id) ?? 1) + 1);
    this.twin(link.from).send(twinMessages.links([this.#report(link)], false));
  }

  /** Hosts a service at a router. @returns its id */
  async host(name: string, router: string): Promise<string> {
    const { admin } = this.#stage;
    const service = await admin.create('services', { name, encryptionRequired: false });
    const address = { binding: 'transport', address: 'tcp:host.example:80' };
    await admin.create('terminators', { service, router: this.id(router), ...address });
    return service;
  }

  /** A client dials a service at a router. */
  async dial(serviceId: string, router: string): Promise<void> {
    const { admin } = this.#stage;
    const session = await admin.ask('POST', `${client}/sessions`, { serviceId, type: 'Dial' });
    const tokens = { sessionToken: String(session['id']), apiSessionToken: admin.token };
    const answer = await this.twin(router).ask(twinMessages.createCircuit(tokens));
    if (answer.contentType !== contentTypes.createCircuitV2Response) {
      throw new Error(`no circuit: ${answer.body}`);
    }
  }

  /** Ends the connections, and deletes the routers. */
  async stop(): Promise<void> {
    for (const twin of this.#twins.values()) twin.close();
    await atOnce([...this.#ids.values()], (id) =>
      this.#stage.admin.ask('DELETE', `${management}/edge-routers/${id}`),
    );
  }

  /** Waits until the controller knows a link. */
  async #isKnown(id: string): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      if ((await this.#stage.admin.call('GET', `/fabric/v1/links/${id}`)).status === 200) return;
      await sleep(pauseMs);
    }
    throw new Error(`link ${id} did not come`);
  }

  #report({ id, to }: FleetLink): fabric.RouterLink.$Properties {
    const iteration = this.#iterations.get(id) ?? 1;
    return { id, destRouterId: this.id(to), linkProtocol: 'tls', iteration };
  }
}

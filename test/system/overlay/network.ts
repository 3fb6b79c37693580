// Routers and identities of an overlay network, whatever controls it: a controller or a cluster.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Api, type Json, management } from '../client.ts';
import { type Endings, temporaryDirectory } from '../endings.ts';
import { freePort } from '../free-ports.ts';
import type { Program } from '../process.ts';
import type { MakeRouter, Router } from './router.ts';
import { TrafficUser } from './traffic.ts';

const lookEveryMs = 20;
/** Ignored by git. */
const logsDirectory = join(import.meta.dirname, '../../../.tap/overlay-logs');

/** A router, its id, and how it is run. */
export interface MadeRouter {
  readonly id: string;
  readonly process: Router;
}

/** An identity, its id, and its SDK. */
export interface MadeUser {
  readonly id: string;
  readonly traffic: TrafficUser;
}

/** How a client runs. */
export interface UserOptions {
  /** `https://host:port` that it is configured with; as enrolled when absent. */
  readonly url?: string;
  /** The program, with its arguments; that of the network when absent. */
  readonly command?: Program;
}

/** Routers and clients, and the controller or controllers that a subclass runs. */
export abstract class Network {
  readonly directory: string;
  readonly #endings: Endings;
  readonly #makeRouter: MakeRouter;
  readonly #trafficProgram: string;
  /** The logs of routers and clients by name. */
  readonly #logs: (readonly [name: string, log: () => string])[] = [];

  constructor(endings: Endings, makeRouter: MakeRouter, trafficProgram: string) {
    this.#endings = endings;
    this.#makeRouter = makeRouter;
    this.#trafficProgram = trafficProgram;
    this.directory = temporaryDirectory(endings, 'edge-control-overlay-');
  }

  abstract get admin(): Api;

  /** What the controllers have said, by names of files. */
  abstract get controllerLogs(): readonly (readonly [name: string, log: string])[];

  /** Writes what all processes have said into files. @returns their directory */
  keepLogs(): string {
    mkdirSync(logsDirectory, { recursive: true });
    const logs = new Map([
      ...this.controllerLogs,
      ...this.#logs.map(([name, log]) => [name, log()] as const),
    ]);
    for (const [name, log] of logs) writeFileSync(join(logsDirectory, `${name}.log`), log);
    return logsDirectory;
  }

  /** Creates, enrolls and starts a router, which connects to this address, `tls:host:port`. */
  async routerAt(name: string, controlAddress: string): Promise<MadeRouter> {
    const body = { name, roleAttributes: [name] };
    const id = await this.admin.create('edge-routers', body);
    const { enrollmentJwt } = await this.routerView(id);
    const home = join(this.directory, name);
    mkdirSync(home, { mode: 0o700 });
    const place = { home, edgePort: await freePort(), linkPort: await freePort() };
    const process = this.#makeRouter(this.#endings, place);
    await process.enroll(String(enrollmentJwt), controlAddress);
    process.start();
    this.#logs.push([`router ${name}`, () => process.log]);
    return { id, process };
  }

  async routerView(id: string): Promise<Json> {
    return await this.admin.ask('GET', `${management}/edge-routers/${id}`);
  }

  /** Waits until the router is online, its API sessions synchronised. */
  async isOnline(id: string, limitMs = 30_000): Promise<Json> {
    return await until('the router is online', limitMs, async () => {
      const view = await this.routerView(id);
      return view['isOnline'] === true && view['syncStatus'] === 'SYNC_DONE' ? view : undefined;
    });
  }

  async isOffline(id: string): Promise<void> {
    await until('the router is offline', 30_000, async () =>
      (await this.routerView(id))['isOnline'] === false ? true : undefined,
    );
  }

  /**
   * Creates an identity and starts its SDK, which enrolls it.
   * @param url the API that the SDK is configured with; that of the enrollment when absent
   */
  async user(
    name: string,
    roleAttributes: readonly string[],
    { url, command = [this.#trafficProgram] }: UserOptions = {},
  ): Promise<MadeUser> {
    const body = {
      name,
      type: 'Default',
      isAdmin: false,
      roleAttributes,
      enrollment: { ott: true },
    };
    const id = await this.admin.create('identities', body);
    const { enrollment } = await this.admin.ask('GET', `${management}/identities/${id}`);
    const { jwt } = (enrollment as { readonly ott: { readonly jwt: string } }).ott;
    const identityFile = join(this.directory, `${name}.json`);
    const order = { jwt, identityFile, url };
    const traffic = new TrafficUser(this.#endings, command, order);
    this.#logs.push([`identity ${name}`, () => traffic.program.log]);
    return { id, traffic };
  }

  /** Ids of the terminators of a service, once there are any. */
  async terminators(service: string, countMin = 1): Promise<readonly string[]> {
    return await until(`${service} has terminators`, 30_000, async () => {
      const found = await this.admin.all('terminators', `service.name="${service}"`);
      const ids = found.map(({ id }) => String(id)).sort();
      return ids.length >= countMin ? ids : undefined;
    });
  }
}

/** Asks until there is an answer. @throws when the time is over */
export async function until<Found>(
  what: string,
  limitMs: number,
  look: () => Promise<Found | undefined>,
): Promise<Found> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs} ms`);
    await setTimeout(lookEveryMs);
  }
}

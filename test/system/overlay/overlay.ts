// A network with one controller, which is restarted on the same ports.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Api, connect, type Json, logIn } from '../client.ts';
import type { Endings } from '../endings.ts';
import { freePort } from '../free-ports.ts';
import { adminPassword, cheapHashes, Process, type Serving, whenReady } from '../process.ts';
import { type MadeRouter, Network } from './network.ts';
import type { MakeRouter } from './router.ts';

/** A controller with routers and clients. */
export class Overlay extends Network {
  readonly #endings: Endings;
  readonly #settings: Json;
  #ports: readonly [api: number, control: number] = [0, 0];
  #serving: Serving | undefined;
  #admin: Api | undefined;
  /** All that the processes of the controller have said, the present one apart. */
  #previousLog = '';

  /** @param settings of the controller beside those that every overlay has */
  constructor(
    endings: Endings,
    makeRouter: MakeRouter,
    trafficProgram: string,
    settings: Json = {},
  ) {
    super(endings, makeRouter, trafficProgram);
    this.#endings = endings;
    this.#settings = settings;
  }

  get admin(): Api {
    if (this.#admin === undefined) throw new Error('the controller has not been started');
    return this.#admin;
  }

  /** The running controller. */
  get serving(): Serving {
    if (this.#serving === undefined) throw new Error('the controller has not been started');
    return this.#serving;
  }

  get log(): string {
    return this.#previousLog + (this.#serving?.process.stderr ?? '');
  }

  /** Starts the controller for the first time. */
  async open(): Promise<void> {
    this.#ports = [await freePort(), await freePort()];
    const common = { argon2: cheapHashes, tlsWorkers: 1, pki: { keyType: 'ec-p256' } };
    const config = { ...common, ...this.#settings };
    mkdirSync(this.home, { mode: 0o700 });
    writeFileSync(join(this.home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
    const serving = await this.#start();
    this.#admin = await logIn(connect(this.#endings, serving, 4));
  }

  /** Ends the controller by the signal, does `meanwhile`, and starts it again. */
  async restart(signal: NodeJS.Signals, meanwhile?: () => Promise<void>): Promise<void> {
    const serving = this.#serving;
    serving?.process.signal(signal);
    await serving?.process.ended;
    this.#previousLog += serving?.process.stderr ?? '';
    await meanwhile?.();
    await this.#start();
  }

  /** Stops the controller. @returns its exit code */
  async close(): Promise<number | null> {
    return (await this.#serving?.process.stop())?.code ?? null;
  }

  /** Creates, enrolls and starts a router. */
  async router(name: string): Promise<MadeRouter> {
    return await this.routerAt(name, `tls:localhost:${this.#ports[1]}`);
  }

  get controllerLogs(): readonly (readonly [name: string, log: string])[] {
    return [['controller', this.log]];
  }

  /** The home of the controller. */
  get home(): string {
    return join(this.directory, 'controller');
  }

  async #start(): Promise<Serving> {
    const [api, control] = this.#ports;
    const listen = ['--listen', `127.0.0.1:${api}`, '--ctrl-listen', `127.0.0.1:${control}`];
    const args = ['run', '--home', this.home, ...listen];
    const started = new Process(this.#endings, args, { EDGE_ADMIN_PASSWORD: adminPassword });
    this.#serving = await whenReady(started, this.home);
    return this.#serving;
  }
}

// An unmodified OpenZiti router as a process, with the configuration that suffices.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Endings } from '../endings.ts';
import { RunningProgram } from '../overlay/program.ts';
import type { MakeRouter, Router, RouterPlace, ToldController } from '../overlay/router.ts';

/** When a router looks for another address of its controller; its own defaults when absent. */
export interface StockHeartbeats {
  readonly sendInterval: string;
  readonly checkInterval: string;
  readonly closeUnresponsiveTimeout: string;
}

/** Routers that are this binary. */
export function stockRouters(binary: string, heartbeats?: StockHeartbeats): MakeRouter {
  return (endings, place) => new StockRouter(endings, { binary, heartbeats }, place);
}

interface StockProgram {
  readonly binary: string;
  readonly heartbeats: StockHeartbeats | undefined;
}

class StockRouter implements Router {
  readonly #endings: Endings;
  readonly #program: StockProgram;
  readonly #place: RouterPlace;
  readonly #runs: RunningProgram[] = [];

  constructor(endings: Endings, program: StockProgram, place: RouterPlace) {
    this.#endings = endings;
    this.#program = program;
    this.#place = place;
  }

  get log(): string {
    return this.#runs.map(({ log, stdout }) => stdout + log).join('');
  }

  async enroll(jwt: string, controlAddress: string): Promise<void> {
    const ctrl = { endpoint: controlAddress, heartbeats: this.#program.heartbeats };
    writeFileSync(this.#config, configOf(this.#place, ctrl), { mode: 0o600 });
    const jwtFile = join(this.#place.home, 'router.jwt');
    writeFileSync(jwtFile, jwt, { mode: 0o600 });
    const words = ['router', 'enroll', this.#config, '--jwt', jwtFile, '-a', 'EC'];
    const run = this.#run(words);
    await run.ended;
    if (run.child.exitCode !== 0) throw new Error(`the router did not enroll:\n${this.log}`);
  }

  start(): void {
    this.#run(['router', 'run', this.#config, '--log-formatter', 'text']);
  }

  async kill(): Promise<void> {
    await this.#runs.at(-1)?.kill();
  }

  /** Routers of the 1.x line keep the address alone. */
  hasKept({ id, ctrlAddress }: ToldController): boolean {
    const file = join(this.#place.home, 'endpoints.yml');
    const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
    const hasTaken = this.log.includes('updating to newer controller endpoints');
    const ids = [...kept.matchAll(/^ +id: (\S+)$/gm)].map((match) => match[1]);
    const isOfFirstLine = !kept.includes('controllers:');
    return hasTaken && kept.includes(ctrlAddress) && (isOfFirstLine || ids.join() === id);
  }

  get #config(): string {
    return join(this.#place.home, 'router.json');
  }

  #run(words: readonly string[]): RunningProgram {
    const run = new RunningProgram(this.#endings, [this.#program.binary, ...words]);
    this.#runs.push(run);
    return run;
  }
}

/** JSON, which is YAML too. */
function configOf({ home, edgePort, linkPort }: RouterPlace, ctrl: object): string {
  const file = (name: string) => join(home, name);
  const link = `tls:127.0.0.1:${linkPort}`;
  return JSON.stringify({
    v: 3,
    identity: {
      cert: file('cert.pem'),
      server_cert: file('server-cert.pem'),
      key: file('key.pem'),
      ca: file('ca.pem'),
    },
    ctrl,
    metrics: { reportInterval: '5s' },
    link: {
      dialers: [{ binding: 'transport' }],
      listeners: [{ binding: 'transport', bind: link, advertise: link }],
    },
    listeners: [
      {
        binding: 'edge',
        address: `tls:127.0.0.1:${edgePort}`,
        options: { advertise: `127.0.0.1:${edgePort}`, connectTimeoutMs: 5000 },
      },
    ],
    edge: {
      csr: {
        country: 'XX',
        province: 'X',
        locality: 'X',
        organization: 'test',
        organizationalUnit: 'test',
        sans: { dns: ['localhost'], ip: ['127.0.0.1'] },
      },
    },
  });
}

// A network of the peer that becomes homes, and the controllers of these.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { program, type Timing, timed } from '../commands/timed-process.ts';
import type { BenchHome } from '../home.ts';
import type { LoadGenerator } from '../load/generator-process.ts';
import type { Job, JobResult } from '../load/job.ts';
import { targetOf } from '../others.ts';
import { cpuFigure, type Figure } from '../ratio.ts';
import { certificateLogin, loggedIn, loginRequest } from '../requests.ts';
import { type ControllerProcess, startController } from '../server/controller-process.ts';
import type { PeerFiles, PeerSize } from './peer-network.ts';

/** Connections over which people log in. */
const connections = 4;

/** The share of the passwords with which a controller is warmed up: its first logins are slow. */
const warmUpShare = 0.2;

/** The parts that a takeover works with. */
export interface TakeoverParts {
  readonly bench: BenchHome;
  readonly generator: LoadGenerator;
  readonly network: PeerFiles;
  readonly size: PeerSize;
}

/** A network of the peer, and the homes that it becomes. */
export class Takeover {
  readonly size: PeerSize;
  readonly #parts: TakeoverParts;
  #made = 0;

  constructor(parts: TakeoverParts) {
    this.size = parts.size;
    this.#parts = parts;
  }

  /** Migrates into a new home. */
  async migrate(): Promise<{ readonly home: string; readonly timing: Timing }> {
    const { bench, network } = this.#parts;
    const home = join(bench.home, `taken-${++this.#made}`);
    const source = ['--from', network.database, '--config', network.configuration];
    return { home, timing: await this.runs('migrate', ...source, '--home', home) };
  }

  /** Runs a command. @throws Error if it fails, because nothing could be measured afterwards */
  async runs(...words: readonly string[]): Promise<Timing> {
    const { said, ...timing } = await timed(program, words);
    if (timing.wrong > 0) throw new Error(`edge-control ${words.join(' ')}: ${said}`);
    return timing;
  }

  /** Starts a controller, as the command would do it. */
  async start(home: string): Promise<ControllerProcess> {
    const { bench, network } = this.#parts;
    const place = { home, port: network.port, caName: 'pki/migrated-ca.pem' };
    const how = { logFile: bench.logFile, direct: false, nodeFlags: heapFlags() };
    return await startController({ ...place, ...how });
  }

  /** How long a start takes. */
  async startMs(home: string): Promise<number> {
    const controller = await this.start(home);
    await controller.stop();
    return controller.startMs;
  }

  /** Logs in with each password, and again, after some others that are not measured. */
  async logInTwice(
    controller: ControllerProcess,
  ): Promise<{ readonly first: Figure; readonly second: Figure }> {
    const { usernames } = this.#parts.network;
    const others = Math.ceil(usernames.length * warmUpShare);
    for (const _ of [1, 2]) await this.#logIn(controller, usernames.slice(0, others));
    const first = await this.#logIn(controller, usernames.slice(others));
    return { first, second: await this.#logIn(controller, usernames.slice(others)) };
  }

  async #logIn(controller: ControllerProcess, names: readonly string[]): Promise<Figure> {
    return cpuFigure(await this.#run(controller, names.length, { request: loginRequest(names) }));
  }

  /** Logs in once by the certificate of an identity. */
  logInByCertificate(controller: ControllerProcess): Promise<JobResult> {
    const { client } = this.#parts.network;
    return this.#run(controller, 1, { request: certificateLogin.request, client });
  }

  async #run(
    controller: ControllerProcess,
    requestsMax: number,
    load: Pick<Job, 'request' | 'client'>,
  ): Promise<JobResult> {
    const result = await this.#parts.generator.run({
      ...targetOf(controller),
      connections: Math.min(connections, requestsMax),
      warmUpMs: 0,
      measureMs: 600_000,
      requestsMax,
      expect: loggedIn,
      ...load,
    });
    // A login that was never answered would otherwise not be noticed.
    return { ...result, wrong: result.wrong + requestsMax - result.answered };
  }
}

/** The flags with which the command starts Node for a controller. */
function heapFlags(): string[] {
  const file = fileURLToPath(new URL('../../bin/heap-size', import.meta.url));
  return execFileSync(file, { encoding: 'utf8' }).split(/\s+/).filter(Boolean);
}

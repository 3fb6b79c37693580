// The processes of a fleet of routers, and their answers together.

import { readFileSync } from 'node:fs';
import { ApiClient } from '../api-client.ts';
import { type BenchProcess, forkBench } from '../child.ts';
import { clientKey } from '../client-key.ts';
import { figuresOf, Histogram, type LatencyFigures } from '../load/histogram.ts';
import { Refusal } from '../refusal.ts';
import type { Target } from '../target.ts';
import type { ConnectAnswer, FleetJob, LookAnswer, RouterIdentity } from './fleet-job.ts';

/** How a fleet has connected. */
export interface FleetConnected {
  readonly syncedMs: LatencyFigures;
  /** From the first dial until the last router knew its API sessions. */
  readonly allSyncedMs: number;
  readonly failures: number;
  readonly wrong: number;
  /** CPU of all processes of the fleet, in ms. */
  readonly cpuMs: number;
}

/** Routers in processes of their own. */
export class Fleet {
  readonly #processes: readonly BenchProcess[];

  /** @param processes how many processes the routers are spread over */
  constructor(processes: number) {
    const module = new URL('./fleet-process.ts', import.meta.url);
    this.#processes = Array.from({ length: processes }, () => forkBench(module, []));
  }

  /** Gives each process its share of the routers, which dial the address that routers are told. */
  async prepare(
    target: Target,
    adminToken: string,
    routers: readonly RouterIdentity[],
    apiSessionsEach: number,
  ): Promise<void> {
    const { host, serverName, caFile = '' } = target;
    const port = await controlPortOf(target, adminToken);
    const { keyPem } = await clientKey();
    const ca = readFileSync(caFile, 'utf8');
    const share = Math.ceil(routers.length / this.#processes.length);
    await Promise.all(
      this.#processes.map((one, n) =>
        asked<LookAnswer>(one, {
          kind: 'prepare',
          target: { host, port, serverName, ca, keyPem },
          routers: routers.slice(n * share, (n + 1) * share),
          apiSessionsEach,
        }),
      ),
    );
  }

  /** All routers dial within a second, as routers whose controller starts again. */
  async connect(timeoutMs: number): Promise<FleetConnected> {
    const job = { kind: 'connect', spreadMs: 1000, timeoutMs } as const;
    const answers = await this.#askAll<ConnectAnswer>(job);
    const synced = new Histogram();
    for (const { syncedMs } of answers) synced.add(syncedMs);
    const sum = (read: (answer: ConnectAnswer) => number) =>
      answers.reduce((total, answer) => total + read(answer), 0);
    return {
      syncedMs: figuresOf(synced.sparse()),
      allSyncedMs: Math.max(...answers.map(({ lastSyncedMs }) => lastSyncedMs)),
      failures: sum(({ failures }) => failures),
      wrong: sum(({ wrong }) => wrong),
      cpuMs: sum(({ cpuMs }) => cpuMs),
    };
  }

  /** How many routers are connected, and how many attempts and connections have failed so far. */
  async look(): Promise<LookAnswer> {
    const answers = await this.#askAll<LookAnswer>({ kind: 'look' });
    return {
      connected: answers.reduce((sum, { connected }) => sum + connected, 0),
      failures: answers.reduce((sum, { failures }) => sum + failures, 0),
    };
  }

  /** A job of the first process. @throws Error if it failed */
  async ask<T extends object>(job: FleetJob): Promise<T> {
    const [first] = this.#processes;
    if (first === undefined) throw new Error('a fleet without processes');
    return await asked<T>(first, job);
  }

  stop(): void {
    for (const one of this.#processes) one.stop();
  }

  async #askAll<T extends object>(job: FleetJob): Promise<readonly T[]> {
    return await Promise.all(this.#processes.map((one) => asked<T>(one, job)));
  }
}

/** The port of the address that routers are told; its host is this machine. */
async function controlPortOf(target: Target, adminToken: string): Promise<number> {
  const admin = new ApiClient(target);
  admin.token = adminToken;
  const controllers = await admin.call('GET', '/edge/management/v1/controllers');
  const [{ ctrlAddress = '' } = {}] = controllers as readonly { readonly ctrlAddress?: string }[];
  const port = /^tls:.+:(\d+)$/.exec(ctrlAddress)?.[1];
  if (port === undefined) throw new Refusal(`routers are told the address "${ctrlAddress}"`);
  return Number(port);
}

async function asked<T extends object>(one: BenchProcess, job: FleetJob): Promise<T> {
  const answer = (await one.ask(job)) as T | { readonly error: string };
  if ('error' in answer) throw new Error(`routers: ${answer.error}`);
  return answer;
}

/** @throws Refusal if the controller refused some of what was asked. */
export function mustMake(
  { made, wrongSample }: { readonly made: number; readonly wrongSample: string | undefined },
  wanted: number,
): void {
  if (made !== wanted) throw new Refusal(`${made} instead of ${wanted}: ${wrongSample}`);
}

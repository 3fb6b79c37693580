// The routers that carry traffic, in a process of their own.

import { type BenchProcess, forkBench } from '../child.ts';
import { Refusal } from '../refusal.ts';
import type { Target } from '../target.ts';
import { controlTargetOf } from './control-target.ts';
import type { RouterIdentity } from './enrolled-routers.ts';
import type { MadeAnswer, TrafficJob } from './traffic-job.ts';

/** Routers that are connected until `stop`. */
export class TrafficRouters {
  readonly #process: BenchProcess = forkBench(new URL('./traffic-process.ts', import.meta.url), []);

  /** Connects all; the first `listening` accept links. @throws Refusal if one was not accepted */
  async connect(
    controller: Target,
    adminToken: string,
    routers: readonly RouterIdentity[],
    listening = 0,
  ): Promise<void> {
    const target = await controlTargetOf(controller, adminToken);
    const job = { kind: 'connect', target, routers, listening } as const;
    mustMake(await this.ask<MadeAnswer>(job), routers.length);
  }

  /** Does a job. @throws Error if it failed */
  async ask<T extends object>(job: TrafficJob): Promise<T> {
    const answer = (await this.#process.ask(job)) as T | { readonly error: string };
    if ('error' in answer) throw new Error(`routers: ${answer.error}`);
    return answer;
  }

  stop(): void {
    this.#process.stop();
  }
}

/** @throws Refusal if the controller refused some of what was asked. */
export function mustMake({ made, wrongSample }: MadeAnswer, wanted: number): void {
  if (made !== wanted) throw new Refusal(`${made} instead of ${wanted}: ${wrongSample}`);
}

// Starts the process of the load generator and gives it jobs.

import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '../server/next-message.ts';
import type { FlowJob } from './flow.ts';
import type { endMessage, GeneratorAnswer } from './generator.ts';
import type { Job, JobResult } from './job.ts';

/** A load generator in a process of its own, so that its CPU is never counted as the server's. */
export class LoadGenerator {
  #child: ChildProcess | undefined;
  readonly #givesWay: boolean;

  /**
   * @param givesWay whether it runs at a lower priority than the controller. Real clients run on
   * other machines. On two shared cores the garbage collector's threads wait for a core, and the
   * main thread waits for them, which no figure of the kernel distinguishes from work.
   */
  constructor({ givesWay = false }: { readonly givesWay?: boolean } = {}) {
    this.#givesWay = givesWay;
  }

  /**
   * Runs one job. Jobs are not queued: start the next one after this one has ended. @throws Error
   * if the job could not run.
   */
  async run(job: Job | FlowJob): Promise<JobResult> {
    const [result] = await this.runTogether([job]);
    if (result === undefined) throw new Error('the load generator: no result');
    return result;
  }

  /** Runs jobs at the same time. @throws Error if one could not run. */
  async runTogether(jobs: readonly (Job | FlowJob)[]): Promise<readonly JobResult[]> {
    const child = (this.#child ??= startGenerator(this.#givesWay));
    const answered = nextMessage(child, 'the load generator') as Promise<GeneratorAnswer>;
    child.send(jobs);
    const answer = await answered;
    if ('error' in answer) throw new Error(`the load generator: ${answer.error}`);
    return answer.results;
  }

  /** Ends the running loops with the answers under way; `run` then resolves. */
  end(): void {
    this.#child?.send('end' satisfies typeof endMessage);
  }

  stop(): void {
    this.#child?.disconnect();
    this.#child = undefined;
  }
}

function startGenerator(givesWay: boolean): ChildProcess {
  const file = fileURLToPath(new URL('./generator.ts', import.meta.url));
  const child = fork(file, [], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=32'],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // Threads that it starts later inherit the priority.
  if (givesWay && child.pid !== undefined) setPriority(child.pid, giveWay(getPriority()));
  return child;
}

/** A nice value that is higher by ten gives a tenth of the weight (sched(7)). */
function giveWay(own: number): number {
  return Math.min(19, own + 10);
}

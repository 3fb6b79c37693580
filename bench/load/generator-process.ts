// The bench's handle on the load generator's process.

import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nextMessage } from '../server/next-message.ts';
import type { GeneratorAnswer } from './generator.ts';
import type { Job, JobResult } from './job.ts';

/** A load generator in a process of its own, so that its CPU is never taken for the server's. */
export class LoadGenerator {
  #child: ChildProcess | undefined;
  readonly #givesWay: boolean;

  /**
   * @param givesWay whether it has a core only when the controller leaves it one. Clients are other
   *   machines: beside them on two cores the collector's threads wait for a core, and the main
   *   thread for those, which no figure of the kernel tells apart from work.
   */
  constructor({ givesWay = false }: { readonly givesWay?: boolean } = {}) {
    this.#givesWay = givesWay;
  }

  /**
   * Runs one job; a second one waits for nobody: call in turn. @throws Error when it could not run.
   */
  async run(job: Job): Promise<JobResult> {
    const [result] = await this.runTogether([job]);
    if (result === undefined) throw new Error('the load generator: no result');
    return result;
  }

  /** Runs jobs beside each other. @throws Error when one could not run. */
  async runTogether(jobs: readonly Job[]): Promise<readonly JobResult[]> {
    const child = (this.#child ??= startGenerator(this.#givesWay));
    const answered = nextMessage(child, 'the load generator') as Promise<GeneratorAnswer>;
    child.send(jobs);
    const answer = await answered;
    if ('error' in answer) throw new Error(`the load generator: ${answer.error}`);
    return answer.results;
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
  // Threads that it begins later have it too.
  if (givesWay && child.pid !== undefined) setPriority(child.pid, giveWay(getPriority()));
  return child;
}

/** Ten nicer, so a tenth of the weight (sched(7)), as far as niceness goes. */
function giveWay(own: number): number {
  return Math.min(19, own + 10);
}

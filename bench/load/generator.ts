// The load generator's process. It takes several jobs per message, and answers them together.

import { openClosedLoop } from './closed-loop.ts';
import type { FlowJob } from './flow.ts';
import { openFlowLoop } from './flow-loop.ts';
import type { Job, JobResult } from './job.ts';
import { openOpenLoop } from './open-loop.ts';
import { endLoops } from './running-loops.ts';

/** Asks the process to end its loops early. */
export const endMessage = 'end';

/** The answer of the process: one result per job. */
export type GeneratorAnswer =
  | { readonly results: readonly JobResult[] }
  | { readonly error: string };

process.on('message', (jobs: readonly (Job | FlowJob)[] | typeof endMessage) => {
  if (jobs === endMessage) {
    endLoops();
    return;
  }
  runAll(jobs)
    .then((results) => answer({ results }))
    .catch((error: unknown) => answer({ error: String(error) }));
});

// The parent process has ended.
process.on('disconnect', () => process.exit(0));

/**
 * All connections are opened first, because a handshake would disturb the window of another job.
 */
async function runAll(jobs: readonly (Job | FlowJob)[]): Promise<readonly JobResult[]> {
  const runs = await Promise.all(jobs.map(open));
  // The loops start at different moments, because the requests of loops with the same rate would
  // otherwise always coincide.
  return await Promise.all(runs.map((run, index) => run(index / runs.length)));
}

function open(job: Job | FlowJob): Promise<(phase: number) => Promise<JobResult>> {
  if ('steps' in job) return openFlowLoop(job);
  const { rate } = job;
  return rate === undefined ? openClosedLoop(job) : openOpenLoop({ ...job, rate });
}

function answer(message: GeneratorAnswer): void {
  process.send?.(message);
}

// The load generator's process. It takes several jobs per message, and answers them together.

import { openClosedLoop } from './closed-loop.ts';
import type { Job, JobResult } from './job.ts';
import { openOpenLoop } from './open-loop.ts';

/** The answer of the process: a result per job. */
export type GeneratorAnswer =
  | { readonly results: readonly JobResult[] }
  | { readonly error: string };

process.on('message', (jobs: readonly Job[]) => {
  runAll(jobs)
    .then((results) => answer({ results }))
    .catch((error: unknown) => answer({ error: String(error) }));
});

// The parent process has ended.
process.on('disconnect', () => process.exit(0));

/** All connections first: a handshake would disturb the window of another job. */
async function runAll(jobs: readonly Job[]): Promise<readonly JobResult[]> {
  const runs = await Promise.all(jobs.map(open));
  // Not all at the same moment: the first requests of loops of one rate would always meet.
  return await Promise.all(runs.map((run, index) => run(index / runs.length)));
}

function open(job: Job): Promise<(phase: number) => Promise<JobResult>> {
  const { rate } = job;
  return rate === undefined ? openClosedLoop(job) : openOpenLoop({ ...job, rate });
}

function answer(message: GeneratorAnswer): void {
  process.send?.(message);
}

// The load generator's process: takes jobs by message, one at a time, and answers each.

import { runClosedLoop } from './closed-loop.ts';
import type { Job, JobResult } from './job.ts';

/** What the process answers. */
export type GeneratorAnswer = { readonly result: JobResult } | { readonly error: string };

process.on('message', (job: Job) => {
  runClosedLoop(job)
    .then((result) => answer({ result }))
    .catch((error: unknown) => answer({ error: String(error) }));
});

// Nobody is left to work for.
process.on('disconnect', () => process.exit(0));

function answer(message: GeneratorAnswer): void {
  process.send?.(message);
}

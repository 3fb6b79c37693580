// The process that micro-benches run in: nothing else is on its heap or in its inline caches.

import { filterMicros } from './filter.ts';
import { type Micro, type MicroMeasurement, runMicro } from './micro.ts';

/** Every micro-bench. */
const micros: readonly Micro[] = [...filterMicros];

/** Which to run, how long each. */
export interface MicroJob {
  /** Only those with this in their name. */
  readonly only: string | undefined;
  readonly measureMs: number;
}

process.on('message', ({ only, measureMs }: MicroJob) => {
  const wanted = micros.filter(({ name }) => only === undefined || name.includes(only));
  const found: MicroMeasurement[] = wanted.map((micro) => runMicro(micro, measureMs));
  process.send?.(found);
});
process.on('disconnect', () => process.exit(0));

// The process that micro-benches run in: nothing else is on its heap or in its inline caches.

import { accessMicros } from './access.ts';
import { eventMicros } from './events.ts';
import { filterMicros } from './filter.ts';
import { type FootprintMeasurement, measureFootprints } from './footprint.ts';
import { frameMicros } from './frames.ts';
import { type Micro, type MicroMeasurement, runMicro } from './micro.ts';

/** Every micro-bench. */
const micros: readonly Micro[] = [...eventMicros, ...frameMicros, ...accessMicros, ...filterMicros];

/** Which to run, how long each. */
export interface MicroJob {
  /** Only those with this in their name. */
  readonly only: string | undefined;
  readonly measureMs: number;
  readonly smoke: boolean;
}

/** What the process answers. */
export interface MicroAnswer {
  readonly micros: readonly MicroMeasurement[];
  readonly footprints: readonly FootprintMeasurement[];
}

process.on('message', ({ only, measureMs, smoke }: MicroJob) => {
  const isWanted = (name: string): boolean => only === undefined || name.includes(only);
  // The footprints first: nothing else has used the heap yet.
  const footprints = isWanted('footprint') ? measureFootprints(smoke) : [];
  const found = micros.filter(({ name }) => isWanted(name)).map((m) => runMicro(m, measureMs));
  process.send?.({ micros: found, footprints } satisfies MicroAnswer);
});
process.on('disconnect', () => process.exit(0));

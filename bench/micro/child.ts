// The process of the micro-benches, with nothing else on its heap or in its inline caches.

import { accessMicros } from './access.ts';
import { eventMicros } from './events.ts';
import { filterMicros } from './filter.ts';
import { type FootprintMeasurement, measureFootprints } from './footprint.ts';
import { frameMicros } from './frames.ts';
import { type Micro, type MicroMeasurement, runMicro } from './micro.ts';

/** Every micro-bench. */
const micros: readonly Micro[] = [...eventMicros, ...frameMicros, ...accessMicros, ...filterMicros];

/** Which micro-benches to run, and for how long. */
export interface MicroJob {
  /** Only those whose name contains this text. */
  readonly only: string | undefined;
  readonly measureMs: number;
  readonly smoke: boolean;
}

/** The answer of the process. */
export interface MicroAnswer {
  readonly micros: readonly MicroMeasurement[];
  readonly footprints: readonly FootprintMeasurement[];
}

process.on('message', ({ only, measureMs, smoke }: MicroJob) => {
  const isWanted = (name: string): boolean => only === undefined || name.includes(only);
  // The footprints are measured first, while nothing else has used the heap.
  const footprints = isWanted('footprint') ? measureFootprints(smoke) : [];
  const found = micros.filter(({ name }) => isWanted(name)).map((m) => runMicro(m, measureMs));
  process.send?.({ micros: found, footprints } satisfies MicroAnswer);
});
process.on('disconnect', () => process.exit(0));

// A micro-bench: one piece of the controller, run repeatedly in a process of its own.

/** The code under measurement. */
export interface Micro {
  readonly name: string;
  readonly title: string;
  /** The name of one unit in reports: `query`, `row`. */
  readonly unit: string;
  /** Prepares the data. @returns a function that runs one step and returns its number of units */
  prepare(): () => number;
}

/** The result of a micro-bench. */
export interface MicroMeasurement {
  readonly micro: string;
  readonly title: string;
  readonly unit: string;
  /** µs per unit: in the median slice of the window, and in the slowest tenth. */
  readonly medianMicros: number;
  readonly p90Micros: number;
  readonly units: number;
}

/** The number of slices of a window, so that one pause of the machine affects only one of them. */
const slices = 100;

/** Runs a micro-bench for `measureMs`, after a fifth of that to warm up. */
export function runMicro(
  { name, title, unit, prepare }: Micro,
  measureMs: number,
): MicroMeasurement {
  const step = prepare();
  runFor(step, measureMs / 5);
  const found = Array.from({ length: slices }, () => runFor(step, measureMs / slices));
  const micros = found.map((slice) => slice.micros / slice.units).sort((a, b) => a - b);
  return {
    micro: name,
    title,
    unit,
    medianMicros: micros[slices / 2] ?? Number.NaN,
    p90Micros: micros[Math.floor(slices * 0.9)] ?? Number.NaN,
    units: found.reduce((sum, slice) => sum + slice.units, 0),
  };
}

function runFor(step: () => number, ms: number): { micros: number; units: number } {
  const startedAt = performance.now();
  let units = 0;
  let now = startedAt;
  while (now - startedAt < ms) {
    units += step();
    now = performance.now();
  }
  return { micros: (now - startedAt) * 1000, units };
}

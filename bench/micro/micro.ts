// A micro-bench: one piece of the controller, run over and over in a process of its own.

/** What is run. */
export interface Micro {
  readonly name: string;
  readonly title: string;
  /** What one unit is, for people: `query`, `row`. */
  readonly unit: string;
  /** Makes what it works on. @returns one step, which answers how many units it did */
  prepare(): () => number;
}

/** What came of it. */
export interface MicroMeasurement {
  readonly micro: string;
  readonly title: string;
  readonly unit: string;
  /** µs a unit: of the middle one of all slices of the window, and of the slowest tenth. */
  readonly medianMicros: number;
  readonly p90Micros: number;
  readonly units: number;
}

/** Slices that a window is cut into, so that one pause of the machine doesn't blur it all. */
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

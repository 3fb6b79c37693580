// The line of a small plot: samples over time into the path of an SVG.

/** One measured value. */
export interface Sample {
  /** Wall-clock ms. */
  readonly timeMs: number;
  readonly value: number;
}

/** The box the line is drawn in, and the time it spans. */
export interface PlotFrame {
  readonly width: number;
  readonly height: number;
  /** Wall-clock ms at the right edge. */
  readonly untilMs: number;
  readonly spanMs: number;
  /** 1000, or 1024 for bytes: what the figures above 1 are shown in multiples of. */
  readonly base: 1000 | 1024;
}

/** Samples further apart than this are not joined: nobody knows what was between them. */
const gapMs = 5_000;

/** Draws samples, the oldest first; the bottom is 0. */
export function plotOf(samples: readonly Sample[], frame: PlotFrame) {
  const { width, height, untilMs, spanMs, base } = frame;
  const top = niceTop(Math.max(0, ...samples.map(({ value }) => value)), base);
  const x = (timeMs: number) => round(width - ((untilMs - timeMs) / spanMs) * width);
  const y = (value: number) => round(height - (Math.max(0, value) / top) * height);
  const lines: string[] = [];
  const areas: string[] = [];
  for (const run of runsOf(samples)) {
    const points = run.map(({ timeMs, value }) => `${x(timeMs)} ${y(value)}`);
    lines.push(`M${points.join('L')}`);
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) continue;
    areas.push(`M${x(first.timeMs)} ${height}L${points.join('L')}L${x(last.timeMs)} ${height}Z`);
  }
  return {
    line: lines.join(''),
    /** The line closed along the bottom. */
    area: areas.join(''),
    /** Value at the top edge. */
    top,
  };
}

/** The least of 1, 2, 5, 10, 20, … times a power of `base` that is not below the value. */
function niceTop(value: number, base: 1000 | 1024): number {
  if (value <= 1) return 1;
  const unit = base ** Math.floor(Math.log(value) / Math.log(base));
  for (const step of [1, 2, 5, 10, 20, 50, 100, 200, 500]) {
    if (step * unit >= value) return step * unit;
  }
  return base * unit;
}

function runsOf(samples: readonly Sample[]): Sample[][] {
  const runs: Sample[][] = [];
  for (const sample of samples) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const isJoined = before !== undefined && sample.timeMs - before.timeMs <= gapMs;
    if (run !== undefined && isJoined) run.push(sample);
    else runs.push([sample]);
  }
  return runs;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

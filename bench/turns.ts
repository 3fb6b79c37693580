// A scenario at each concurrency, in closed loops and in open ones: on one controller, or on two in
// turns.

import { compareTurns } from './compare.ts';
import type { Findings, Progress } from './findings.ts';
import { outDirectory } from './home.ts';
import type { LoadGenerator } from './load/generator-process.ts';
import { measure, measureOpen, type RunOptions } from './measure.ts';
import type { BenchOptions } from './options.ts';
import { incapabilityOf } from './refusal.ts';
import { grouped } from './report/goal-line.ts';
import { foreignShareMax } from './report/tables.ts';
import type { Measurement, OpenMeasurement } from './results.ts';
import type { Scenario } from './scenario.ts';
import type { Side } from './side.ts';

/** The controllers under measurement: that of this checkout or of a URL, and the other revision. */
export interface Sides {
  readonly here: Side;
  readonly there?: Side;
}

/** Turns of two revisions unless the options say otherwise. */
const turnsUsual = 5;

/** The most windows that are tried for one figure. */
export const attemptsMax = 3;

/** Measures scenarios, one after the other. */
export class Turns {
  readonly #options: BenchOptions;
  readonly #generator: LoadGenerator;
  readonly #found: Findings;
  readonly #progress: Progress;

  constructor(
    options: BenchOptions,
    generator: LoadGenerator,
    found: Findings,
    progress: Progress,
  ) {
    this.#options = options;
    this.#generator = generator;
    this.#found = found;
    this.#progress = progress;
  }

  /**
   * Measures one scenario. If a controller does not support it, this is noted and other figures are
   * still measured.
   */
  async run(scenario: Scenario, sides: Sides): Promise<void> {
    let busiest: Measurement | undefined;
    // The highest number of connections comes first and warms up the code for the others.
    for (const connections of this.#options.connections.toSorted((a, b) => b - a)) {
      const kept =
        sides.there === undefined
          ? await this.#alone(scenario, sides.here, connections)
          : await this.#inTurns(scenario, sides.here, sides.there, connections);
      if (kept === undefined) return;
      this.#found.measurements.push(kept);
      this.#tell(kept);
      busiest ??= kept;
    }
    if (busiest !== undefined) await this.#open(scenario, sides.here, busiest);
  }

  /** The least disturbed of several windows. */
  async #alone(
    scenario: Scenario,
    side: Side,
    connections: number,
  ): Promise<Measurement | undefined> {
    let best: Measurement | undefined;
    for (let attempt = 0; attempt < this.#attempts; attempt++) {
      const found = await this.#attempt(scenario, side, '', () =>
        measure(this.#run(side, scenario, connections)),
      );
      if (found === undefined) break;
      best = quieter(best, found);
      if (best.wrong > 0 || (best.foreignShare ?? 0) <= foreignShareMax) break;
    }
    return best;
  }

  /** One window each, repeated in turns; returns the least disturbed one of this checkout. */
  async #inTurns(
    scenario: Scenario,
    here: Side,
    there: Side,
    connections: number,
  ): Promise<Measurement | undefined> {
    const mine: Measurement[] = [];
    const others: Measurement[] = [];
    const { smoke, turns = smoke ? 2 : turnsUsual } = this.#options;
    for (let turn = 0; turn < turns; turn++) {
      for (const [side, kept] of [[here, mine] as const, [there, others] as const]) {
        const name = side === there ? this.#options.against : '';
        const found = await this.#attempt(scenario, side, name ?? '', () =>
          measure(this.#run(side, scenario, connections)),
        );
        if (found !== undefined) kept.push(found);
      }
    }
    const [first] = mine;
    if (first === undefined) return undefined;
    const compared = compareTurns(subjectOf(first), mine, others);
    this.#found.comparisons.push(...compared);
    for (const { figure, ratio, ratioMin, ratioMax } of compared) {
      if (figure !== 'CPU' && figure !== 'rate') continue;
      const spread = `${ratioMin.toFixed(2)} to ${ratioMax.toFixed(2)}`;
      this.#progress(
        `  ${figure} against ${this.#options.against}: ${ratio.toFixed(2)} (${spread})`,
      );
    }
    return mine.reduce((one, other) => quieter(one, other));
  }

  async #open(scenario: Scenario, side: Side, closed: Measurement): Promise<void> {
    const { shares, rate } = this.#options;
    // Preparing what requests use up takes long, so only one rate is measured.
    const wanted = scenario.spends === true ? shares.filter((share) => share === 0.5) : shares;
    const loads =
      rate === undefined
        ? wanted.map((share) => ({ share, rate: Math.max(1, closed.perSecond * share) }))
        : [{ share: undefined, rate }];
    for (const { share, rate } of loads) {
      const run = this.#run(side, scenario, closed.connections);
      const found = await this.#attempt(scenario, side, '', () => measureOpen(run, rate, share));
      if (found === undefined) return;
      this.#found.opens.push(found);
      this.#tellOpen(found);
      if (found.isOverrun) return;
    }
  }

  /** Runs; returns undefined if the controller does not support the scenario. */
  async #attempt<T extends Measurement>(
    scenario: Scenario,
    side: Side,
    name: string,
    run: () => Promise<T>,
  ): Promise<T | undefined> {
    if (side.refusal(scenario) !== undefined) return undefined;
    const refuse = (reason: string, isFault = false): undefined => {
      side.refuse(scenario, reason);
      const subject = [scenario.title, name].filter((word) => word !== '').join(', ');
      this.#found.incapable.push({ subject, reason, ...(isFault && { isFault }) });
      this.#progress(`  ${subject}: cannot: ${reason}`);
    };
    try {
      const found = await run();
      // A wrong answer of our controller is an error; another controller may not know the
      // operation.
      const isOurs = name === '' && this.#options.remote === undefined;
      const isRefused = found.wrong > 0 && found.wrong >= found.answered / 2;
      return !isOurs && isRefused ? refuse(found.wrongSamples[0] ?? '') : found;
    } catch (thrown) {
      return refuse(...incapabilityOf(thrown));
    }
  }

  #run(side: Side, scenario: Scenario, connections: number): RunOptions {
    const { warmUpMs, measureMs, profiled } = this.#options;
    return {
      side,
      scenario,
      connections,
      warmUpMs,
      measureMs,
      generator: this.#generator,
      profileDirectory: profiled ? `${outDirectory}/profiles` : undefined,
    };
  }

  /**
   * Windows that other work disturbed are measured again, except in a smoke run, which only checks
   * the answers.
   */
  get #attempts(): number {
    return this.#options.smoke || this.#options.profiled ? 1 : attemptsMax;
  }

  #tell(found: Measurement): void {
    const words = [`${Math.round(found.perSecond)}/s`];
    if (found.cpuMicros !== undefined) words.push(`${Math.round(found.cpuMicros)} µs CPU`);
    if (found.foreignShare !== undefined) {
      words.push(`${Math.round(found.foreignShare * 100)}% other work`);
    }
    if (found.wrong > 0) words.push(`${found.wrong} WRONG`);
    this.#progress(`  ${found.title}, ${found.connections}: ${words.join(', ')}`);
  }

  #tellOpen(found: OpenMeasurement): void {
    const { p50, p99 } = found.latencyMs;
    const words = [`p50 ${p50.toFixed(2)}`, `p99 ${p99.toFixed(1)} ms`];
    if (found.isOverrun) words.push('OVERRUN');
    if (found.wrong > 0) words.push(`${found.wrong} WRONG`);
    this.#progress(`    open loop, ${Math.round(found.rate)}/s: ${words.join(', ')}`);
  }
}

function subjectOf({ title, identities, connections }: Measurement): string {
  return `${title}, ${grouped(identities)} identities, ${connections} connections`;
}

/** The window to keep: one with a wrong answer, else the less disturbed one. */
function quieter(one: Measurement | undefined, other: Measurement): Measurement {
  if (one === undefined || other.wrong > 0) return other;
  if (one.wrong > 0) return one;
  return (other.foreignShare ?? 0) < (one.foreignShare ?? 0) ? other : one;
}

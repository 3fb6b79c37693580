// How the controller is doing, per second. It is sampled only while somebody asks.

import type { Figures } from '../inspect/messages.ts';
import type { Timer } from '../platform/ports.ts';
import type { Sources } from './sources.ts';

/** How often samples are taken. */
const everyMs = 1000;

/** Sampling stops when nobody has asked for this long. */
const idleMs = 5000;

/** Counts that only grow, by name. */
export type Totals = Readonly<Record<string, number>>;

interface Sample {
  readonly monotonicMs: number;
  readonly totals: Totals;
  readonly figures: Figures;
}

/** Samples the totals and computes rates from them. */
export class FiguresSampler {
  readonly #sources: Sources;
  #before: Sample | undefined;
  #present: Sample | undefined;
  #timer: Timer | undefined;
  #askedMs = 0;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** The present figures. Rates are 0 in the second after the first call. */
  get figures(): Figures {
    return this.#ask().figures;
  }

  /** By how much a total grew per second. */
  rate(name: string): number {
    const present = this.#ask();
    return rateOf(present, this.#before, name);
  }

  /** Stops sampling. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#before = undefined;
    this.#present = undefined;
  }

  #ask(): Sample {
    const { clock } = this.#sources;
    this.#askedMs = clock.monotonic();
    this.#present ??= this.#sample();
    if (this.#timer === undefined) this.#arm();
    return this.#present;
  }

  #arm(): void {
    const { clock } = this.#sources;
    this.#timer = clock.after(everyMs, () => {
      if (clock.monotonic() - this.#askedMs > idleMs) {
        this.stop();
        return;
      }
      this.#before = this.#present;
      this.#present = this.#sample();
      this.#arm();
    });
  }

  #sample(): Sample {
    const { clock, core, eventLoop } = this.#sources;
    const { heapUsed, rss } = process.memoryUsage();
    const totals = totalsOf(this.#sources);
    const sample = { monotonicMs: clock.monotonic(), totals };
    const rate = (name: string) => rateOf(sample, this.#before, name);
    const groups = rate('groups');
    const figures: Figures = {
      timeMs: clock.now(),
      requestsASecond: rate('requests'),
      framesASecond: rate('frames'),
      framesAGroup: groups === 0 ? 0 : rate('frames') / groups,
      logBytesASecond: rate('bytes'),
      lastLsn: core?.journal.lastLsn ?? 0,
      durableLsn: core?.journal.durableLsn ?? 0,
      heapBytes: heapUsed,
      residentBytes: rss,
      longestPauseMs: eventLoop?.takeLongestMs() ?? 0,
      requestsInFlight: requestsInFlight(this.#sources),
      connections: this.#sources.listeners?.frontCounters().connectionsOpen ?? 0,
      inspectors: core?.inspectors().attached ?? 0,
    };
    return { ...sample, figures };
  }
}

function rateOf(
  present: Pick<Sample, 'monotonicMs' | 'totals'>,
  before: Pick<Sample, 'monotonicMs' | 'totals'> | undefined,
  name: string,
): number {
  if (before === undefined) return 0;
  const seconds = (present.monotonicMs - before.monotonicMs) / 1000;
  const grown = (present.totals[name] ?? 0) - (before.totals[name] ?? 0);
  // A listener that was replaced counts from 0 again.
  return seconds <= 0 ? 0 : Math.max(0, grown) / seconds;
}

function totalsOf({ core, listeners }: Sources): Totals {
  const totals: Record<string, number> = {};
  if (core !== undefined) {
    const { framesWritten, bytesWritten, groupsWritten } = core.journal.figures;
    Object.assign(totals, { frames: framesWritten, bytes: bytesWritten, groups: groupsWritten });
    totals['requests'] = core.requests.total;
  }
  if (listeners !== undefined) {
    for (const { name, counters } of listeners.watched) {
      totals[`${name} requests`] = counters.requests;
    }
    totals['tls connections'] = listeners.frontCounters().connectionsAccepted;
  }
  return totals;
}

function requestsInFlight({ listeners }: Sources): number {
  let inFlight = 0;
  for (const { counters } of listeners?.watched ?? []) inFlight += counters.requestsInFlight;
  return inFlight;
}

// What routers report of themselves, kept until it is scraped (behaviour/usage#metrics-of-routers).

import { type Linked, LinkedList } from '../../containers/linked-list.ts';
import type { Clock } from '../../platform/ports.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { type Measurement, measurementOf } from './measurement.ts';
import type { MetricsReader, MetricsReading } from './router-metrics.ts';

/** What is kept of one router. */
export interface ReportedSeries {
  readonly routerId: string;
  /** By metric and entity, each once. */
  readonly measurements: ReadonlyMap<string, Measurement>;
}

/** What the series are kept with. */
export interface RouterSeriesOptions {
  readonly clock: Clock;
  /** Lines of a scrape. */
  readonly seriesMax: number;
}

/** The last report of each router, for three minutes. */
export class RouterSeries implements MetricsReader {
  /** Series that were left out, as there were too many. */
  dropped = 0;
  readonly #options: RouterSeriesOptions;
  readonly #reports = new Map<string, Report>();
  /** The oldest first. */
  readonly #order = new LinkedList<Report>();
  #size = 0;

  constructor(options: RouterSeriesOptions) {
    this.#options = options;
  }

  /** How many series are kept. */
  get size(): number {
    return this.#size;
  }

  /** A message that comes too soon after another one is left out. */
  begin({ id }: ConnectedRouter): MetricsReading | undefined {
    const atMs = this.#options.clock.monotonic();
    if (atMs - (this.#reports.get(id)?.atMs ?? Number.NEGATIVE_INFINITY) < reportIntervalMinMs) {
      return undefined;
    }
    const measurements = new Map<string, Measurement>();
    let size = 0;
    return {
      take: (field, bytes) => {
        const measurement = measurementOf(field, bytes);
        if (measurement === undefined) return undefined;
        const key = `${measurement.metric} ${measurement.entityId}`;
        const lines = linesOf(measurement);
        if (measurements.has(key)) return undefined;
        if (size + lines > routerSeriesShareMax) this.dropped += lines;
        else {
          size += lines;
          measurements.set(key, measurement);
        }
        return undefined;
      },
      end: () => {
        this.#keep({ routerId: id, measurements, size, atMs, before: undefined, after: undefined });
        return undefined;
      },
    };
  }

  /** The reports that are not too old. */
  reports(): ReportedSeries[] {
    this.#forgetOld();
    return [...this.#reports.values()];
  }

  #keep(report: Report): void {
    this.#forget(this.#reports.get(report.routerId));
    this.#forgetOld();
    if (this.#size + report.size > this.#options.seriesMax) {
      this.dropped += report.size;
      return;
    }
    this.#reports.set(report.routerId, report);
    this.#order.add(report);
    this.#size += report.size;
  }

  #forgetOld(): void {
    const oldestMs = this.#options.clock.monotonic() - keptMs;
    for (let { first } = this.#order; first && first.atMs < oldestMs; { first } = this.#order) {
      this.#forget(first);
    }
  }

  #forget(report: Report | undefined): void {
    if (report === undefined) return;
    this.#reports.delete(report.routerId);
    this.#order.delete(report);
    this.#size -= report.size;
  }
}

interface Report extends ReportedSeries, Linked<Report> {
  readonly size: number;
  /** Monotonic ms. */
  readonly atMs: number;
}

/** A router's report is read at most once per this time; it sends one a minute. @bound */
const reportIntervalMinMs = 1000;
const keptMs = 180_000;
/**
 * Lines of one router, so that it cannot take the room of the others: 500 links have as many.
 * @bound per entity
 */
const routerSeriesShareMax = 20_000;
/** Six quantiles, the sum and the count. */
const histogramLines = 8;

/** Lines of a scrape that a measurement takes. */
function linesOf({ kind }: Measurement): number {
  return kind === 'histogram' || kind === 'timer' ? histogramLines : 1;
}

// The latencies of links, from the metrics that routers send once a minute
// (behaviour/control-channel#links-and-paths).

import type { MessageSteps } from '../../channel/channel-api.ts';
import { decodeMessage, fabric } from '../../channel/messages/messages.ts';
import { type LinkRecord, linkKind, unmeasuredLatencyNs } from '../../records/link.ts';
import type { Table } from '../../store/table.ts';
import type { RoutersContext } from '../context.ts';
import { mapEntryOf, metricsFields } from '../metrics/metrics-fields.ts';
import type { MetricsReader, MetricsReading } from '../metrics/router-metrics.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import type { NamedLinks } from './named-links.ts';

/** Reads latencies out of metrics. */
export class LinkMetrics implements MetricsReader {
  readonly #context: RoutersContext;
  readonly #links: Table<LinkRecord>;
  readonly #named: NamedLinks;
  /** Monotonic ms at which the metrics of a router were last read. */
  readonly #readMs = new WeakMap<ConnectedRouter, number>();

  constructor(context: RoutersContext, named: NamedLinks) {
    this.#context = context;
    this.#named = named;
    this.#links = context.env.store.table(linkKind);
  }

  /** A message that comes too soon after another one is left out. */
  begin(router: ConnectedRouter): MetricsReading | undefined {
    if (!this.#hasLinks(router.id)) return undefined;
    const now = this.#context.env.clock.monotonic();
    if (now - (this.#readMs.get(router) ?? Number.NEGATIVE_INFINITY) < metricsIntervalMinMs) {
      return undefined;
    }
    this.#readMs.set(router, now);
    const measured = new Map<string, Measured>();
    return {
      take: (field, bytes) => {
        if (field === metricsFields.histograms) this.#measure(router.id, bytes, measured);
        return undefined;
      },
      end: () => this.#writeAll(router.id, [...measured]),
    };
  }

  #hasLinks(routerId: string): boolean {
    const [dialed, accepted] = [this.#links.group('sourceRouter'), this.#links.group('destRouter')];
    return dialed.count(routerId) > 0 || accepted.count(routerId) > 0;
  }

  #measure(routerId: string, bytes: Buffer, measured: Map<string, Measured>): void {
    const histogram = histogramOf(bytes);
    if (histogram === undefined) return;
    const { name, mean } = histogram;
    const match = /^link\.(.+)\.(latency|queue_time)$/.exec(name);
    const [, linkId = '', what] = match ?? [];
    for (const { id: key } of this.#named.knownBy(routerId, linkId)) {
      const { latency, queueTime } = measured.get(key) ?? {};
      measured.set(
        key,
        what === 'latency' ? { latency: mean, queueTime } : { latency, queueTime: mean },
      );
    }
  }

  *#writeAll(routerId: string, links: readonly (readonly [string, Measured])[]): MessageSteps {
    for (let from = 0; from < links.length; from += linksAStep) {
      if (from > 0) yield;
      this.#write(routerId, links.slice(from, from + linksAStep));
    }
  }

  /**
   * Writes which links the router knows, and the latencies whose whole milliseconds have changed:
   * paths see no others.
   */
  #write(routerId: string, measured: readonly (readonly [string, Measured])[]): void {
    const changed = measured.flatMap(([key, means]) => {
      const link = this.#links.peek(key)?.record;
      if (link === undefined) return [];
      const patch = latencyOf(routerId, link, means);
      const isNews = this.#named.isNews(routerId, link);
      return isNews || patch !== undefined ? [{ link, patch, isNews }] : [];
    });
    if (changed.length === 0) return;
    const cause = { actor: routerId, requestId: '', operation: 'measureLinks' };
    this.#context.env.store.transact(cause, (tx) => {
      for (const { link, patch, isNews } of changed) {
        if (isNews) this.#named.name(tx, routerId, link);
        const present = this.#links.peek(link.id)?.record;
        if (present === undefined || patch === undefined) continue;
        tx.put(this.#links, { ...present, ...patch, updatedAt: tx.now });
      }
    });
  }
}

/** The latency of the router's end, if the whole ms of it have changed. */
function latencyOf(
  routerId: string,
  link: LinkRecord,
  { latency, queueTime = 0 }: Measured,
): Partial<LinkRecord> | undefined {
  if (latency === undefined) return undefined;
  const end = link.sourceRouter === routerId ? 'sourceLatency' : 'destLatency';
  const ns = Math.min(Math.round(latency + queueTime), unmeasuredLatencyNs);
  return Math.floor(ns / nsPerMs) === Math.floor(link[end] / nsPerMs) ? undefined : { [end]: ns };
}

/** Means of the two histograms of a link, in ns. */
interface Measured {
  readonly latency: number | undefined;
  readonly queueTime: number | undefined;
}

interface HistogramMean {
  readonly name: string;
  /** Undefined while nothing was measured. */
  readonly mean: number | undefined;
}

/** Undefined for one of something else than a link. @throws MalformedMessage */
function histogramOf(bytes: Buffer): HistogramMean | undefined {
  if (bytes.length > histogramBytesMax) return undefined;
  const { key: name, value } = mapEntryOf(bytes);
  if (!name.startsWith('link.') || value === undefined) return undefined;
  const { count, mean } = decodeMessage(fabric.Histogram, value);
  const isMeasured = Number(count) > 0 && Number.isFinite(mean) && mean >= 0;
  return { name, mean: isMeasured ? mean : undefined };
}

/** A router's latencies are read at most once per this time; it sends them once a minute. @bound */
const metricsIntervalMinMs = 1000;
/** Bytes of one histogram; those of routers have 150. @bound */
const histogramBytesMax = 4096;
const linksAStep = 32;
const nsPerMs = 1_000_000;

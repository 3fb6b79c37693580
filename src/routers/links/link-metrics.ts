// The latencies of links, from the metrics that routers send once a minute
// (behaviour/control-channel#links-and-paths).

import type protobuf from 'protobufjs';
import type { Frame } from '../../channel/channel-api.ts';
import { fabric, Reader } from '../../channel/messages/messages.ts';
import { type LinkRecord, linkKind, unmeasuredLatencyNs } from '../../records/link.ts';
import type { Table } from '../../store/table.ts';
import { inSlices } from '../../turns/slices.ts';
import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import type { NamedLinks } from './named-links.ts';

/**
 * Reads latencies out of metrics, in slices: a message holds everything that a router measures, and
 * those of a router with thousands of links have megabytes.
 */
export class LinkMetrics {
  readonly #context: RoutersContext;
  readonly #links: Table<LinkRecord>;
  readonly #named: NamedLinks;
  /** Monotonic ms at which the metrics of a router were last read. */
  readonly #readMs = new WeakMap<ConnectedRouter, number>();
  /** Bytes of the messages that are being read. */
  #readingBytes = 0;

  constructor(context: RoutersContext, named: NamedLinks) {
    this.#context = context;
    this.#named = named;
    this.#links = context.env.store.table(linkKind);
  }

  /** Takes a message; one that comes too soon after another one is left out. */
  take(router: ConnectedRouter, { body }: Frame): void {
    if (!this.#hasLinks(router.id)) return;
    if (this.#readingBytes + body.length > metricsReadBytesMax) return;
    const { env, log } = this.#context;
    const now = env.clock.monotonic();
    if (now - (this.#readMs.get(router) ?? Number.NEGATIVE_INFINITY) < metricsIntervalMinMs) return;
    this.#readMs.set(router, now);
    this.#readingBytes += body.length;
    void inSlices(this.#read(router, body), env.clock, sliceMs)
      .catch((err: unknown) => {
        log.warn({ err, routerId: router.id }, 'metrics of a router could not be read');
        router.channel.close('malformed metrics');
      })
      .finally(() => {
        this.#readingBytes -= body.length;
      });
  }

  #hasLinks(routerId: string): boolean {
    const [dialed, accepted] = [this.#links.group('sourceRouter'), this.#links.group('destRouter')];
    return dialed.count(routerId) > 0 || accepted.count(routerId) > 0;
  }

  *#read({ id }: ConnectedRouter, body: Buffer): Generator<undefined> {
    const measured = new Map<string, Measured>();
    for (const histogram of histogramsOf(body)) {
      if (histogram === undefined) {
        yield;
        continue;
      }
      const { name, mean } = histogram;
      const match = /^link\.(.+)\.(latency|queue_time)$/.exec(name);
      const [, linkId = '', what] = match ?? [];
      for (const { id: key } of this.#named.knownBy(id, linkId)) {
        const { latency, queueTime } = measured.get(key) ?? {};
        measured.set(
          key,
          what === 'latency' ? { latency: mean, queueTime } : { latency, queueTime: mean },
        );
      }
    }
    const links = [...measured];
    for (let from = 0; from < links.length; from += linksAStep) {
      if (from > 0) yield;
      this.#write(id, links.slice(from, from + linksAStep));
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

/** The field of histograms in a message, and those of an entry of a map. */
const histogramsField = 8;
const nameField = 1;
const valueField = 2;

interface HistogramMean {
  readonly name: string;
  /** Undefined while nothing was measured. */
  readonly mean: number | undefined;
}

/**
 * The histograms of links in a message; undefined now and then, so that other work gets its turn.
 * @throws Error when it is malformed
 */
function* histogramsOf(body: Buffer): Generator<HistogramMean | undefined> {
  const reader = Reader.create(body);
  for (let fields = 1; reader.pos < reader.len; fields++) {
    if (fields % fieldsAStep === 0) yield undefined;
    const tag = reader.uint32();
    if (tag >>> 3 !== histogramsField) skip(reader, tag);
    else {
      const histogram = histogramOf(reader.bytes());
      if (histogram !== undefined) yield histogram;
    }
  }
}

/** Undefined for one of something else than a link. */
function histogramOf(bytes: Uint8Array): HistogramMean | undefined {
  if (bytes.length > histogramBytesMax) return undefined;
  const entry = Reader.create(bytes);
  let name = '';
  let value: Uint8Array | undefined;
  while (entry.pos < entry.len) {
    const tag = entry.uint32();
    if (tag >>> 3 === nameField) name = entry.string();
    else if (tag >>> 3 === valueField) value = entry.bytes();
    else skip(entry, tag);
  }
  if (!name.startsWith('link.') || value === undefined) return undefined;
  const { count, mean } = fabric.Histogram.decode(value);
  const isMeasured = Number(count) > 0 && Number.isFinite(mean) && mean >= 0;
  return { name, mean: isMeasured ? mean : undefined };
}

/** @throws Error for a group, which no message has: it could hold millions of fields */
function skip(reader: protobuf.Reader, tag: number): void {
  const wireType = tag & 7;
  if (wireType === 3 || wireType === 4) throw new Error('metrics with a group of fields');
  reader.skipType(wireType);
}

/** A router's metrics are read at most once per this time; it sends them once a minute. @bound */
const metricsIntervalMinMs = 1000;
/**
 * Metrics that are being read at the same time; further ones are left out, as the next ones come
 * within a minute. @bound per controller
 */
const metricsReadBytesMax = 64 * 1024 * 1024;
/** Bytes of one histogram; those of routers have 150. @bound */
const histogramBytesMax = 4096;
const fieldsAStep = 64;
const linksAStep = 32;
const sliceMs = 1;
const nsPerMs = 1_000_000;

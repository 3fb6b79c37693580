// The latencies of links, from the metrics that routers send once a minute
// (behaviour/control-channel#links-and-paths).

import protobuf from 'protobufjs/minimal.js';
import { inSlices } from '../../actors/pace.ts';
import type { Frame } from '../../channel/contract.ts';
import { fabric } from '../../channel/messages/messages.ts';
import { type LinkRecord, linkKind, unmeasuredLatencyNs } from '../../records/link.ts';
import type { Table } from '../../store/table.ts';
import type { ConnectedRouter, RoutersContext } from '../contract.ts';

/**
 * Reads latencies out of metrics, in slices: a message holds everything that a router measures, and
 * those of a router with thousands of links have megabytes.
 */
export class LinkMetrics {
  readonly #context: RoutersContext;
  readonly #links: Table<LinkRecord>;
  /** Monotonic ms at which the metrics of a router were last read. */
  readonly #readMs = new WeakMap<ConnectedRouter, number>();
  /** Bytes of the messages that are being read. */
  #readingBytes = 0;

  constructor(context: RoutersContext) {
    this.#context = context;
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
      const record = this.#links.peek(linkId)?.record;
      if (record?.sourceRouter !== id && record?.destRouter !== id) continue;
      const { latency, queueTime } = measured.get(linkId) ?? {};
      measured.set(
        linkId,
        what === 'latency' ? { latency: mean, queueTime } : { latency, queueTime: mean },
      );
    }
    const links = [...measured];
    for (let from = 0; from < links.length; from += linksAStep) {
      if (from > 0) yield;
      this.#write(id, links.slice(from, from + linksAStep));
    }
  }

  /** Writes the latencies whose whole milliseconds have changed: paths see no others. */
  #write(routerId: string, measured: readonly (readonly [string, Measured])[]): void {
    const { store } = this.#context.env;
    const changed = measured.flatMap(([linkId, { latency, queueTime = 0 }]) => {
      const record = this.#links.peek(linkId)?.record;
      if (record === undefined || latency === undefined) return [];
      const end = record.sourceRouter === routerId ? 'sourceLatency' : 'destLatency';
      const ns = Math.min(Math.round(latency + queueTime), unmeasuredLatencyNs);
      if (Math.floor(ns / nsPerMs) === Math.floor(record[end] / nsPerMs)) return [];
      return [{ ...record, [end]: ns }];
    });
    if (changed.length === 0) return;
    const cause = { actor: routerId, requestId: '', operation: 'measureLinks' };
    store.transact(cause, (tx) => {
      for (const record of changed) tx.put(this.#links, { ...record, updatedAt: tx.now });
    });
  }
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
  readonly mean: number;
}

/**
 * The histograms of links in a message that have measured something; undefined now and then, so
 * that other work gets its turn. @throws Error when it is malformed
 */
function* histogramsOf(body: Buffer): Generator<HistogramMean | undefined> {
  const reader = protobuf.Reader.create(body);
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

/** Undefined for one of something else than a link, and for one that has measured nothing. */
function histogramOf(bytes: Uint8Array): HistogramMean | undefined {
  if (bytes.length > histogramBytesMax) return undefined;
  const entry = protobuf.Reader.create(bytes);
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
  return Number(count) > 0 && Number.isFinite(mean) && mean >= 0 ? { name, mean } : undefined;
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

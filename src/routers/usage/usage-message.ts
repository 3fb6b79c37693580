// Reads the usage counters in metrics of routers: how many bytes of each circuit a router has
// passed on in an interval (behaviour/usage#counting).

import type { MessageSteps } from '../../channel/channel-api.ts';
import { circuitIdBytesMax } from '../circuits/route-result.ts';
import { MetricsFields, mapEntryOf } from '../metrics/metrics-fields.ts';

/**
 * The counters of a bucket, as routers name them. `rx` is what the router received: from the client
 * that dialed (`ingress`), from the host (`egress`), and from other routers (`fabric`).
 */
export const usageCounters = [
  'ingress.rx',
  'ingress.tx',
  'egress.rx',
  'egress.tx',
  'fabric.rx',
  'fabric.tx',
] as const;

/** Bytes by counter. */
export type UsageBytes = Record<(typeof usageCounters)[number], number>;

/** No bytes yet. */
export function noBytes(): UsageBytes {
  return {
    'ingress.rx': 0,
    'ingress.tx': 0,
    'egress.rx': 0,
    'egress.tx': 0,
    'fabric.rx': 0,
    'fabric.tx': 0,
  };
}

/** What a router has passed on of one circuit in one interval. */
export interface UsageBucket {
  readonly circuitId: string;
  /** The start of the interval, in seconds since the Unix epoch. */
  readonly startSeconds: number;
  readonly lengthSeconds: number;
  readonly bytes: UsageBytes;
}

/** Who takes what is read. */
export interface UsageTaker {
  bucket(bucket: UsageBucket): void;
  /** A bucket is too large, or names no circuit, or more bytes than a router can carry. */
  unreadable(): void;
}

/** Reads one usage counter, which holds the buckets of an interval. @throws MalformedMessage */
export function* readUsage(counter: Buffer, taker: UsageTaker): MessageSteps {
  // The interval may stand behind the buckets.
  const interval = { startSeconds: 0, lengthSeconds: 0 };
  const fields = new MetricsFields(counter);
  while (fields.next()) {
    if (fields.endsStep()) yield;
    if (fields.number === counterFields.start) interval.startSeconds = fields.integer() ?? 0;
    else if (fields.number === counterFields.length) interval.lengthSeconds = fields.integer() ?? 0;
  }
  const again = new MetricsFields(counter);
  while (again.next()) {
    if (again.endsStep()) yield;
    if (again.number !== counterFields.buckets) continue;
    const bytes = again.bytes();
    const read = bytes && bucketOf(bytes);
    if (read === undefined) taker.unreadable();
    else taker.bucket({ ...read, ...interval });
  }
}

/** Undefined for one that cannot be what a router has counted. */
function bucketOf(entry: Buffer): Pick<UsageBucket, 'circuitId' | 'bytes'> | undefined {
  if (entry.length > bucketBytesMax) return undefined;
  const { key: circuitId, value } = mapEntryOf(entry);
  if (circuitId === '' || circuitId.length > circuitIdBytesMax || value === undefined) {
    return undefined;
  }
  const bytes = noBytes();
  const fields = new MetricsFields(value);
  while (fields.next()) {
    if (fields.number !== valuesField) continue;
    const pair = fields.bytes();
    if (pair !== undefined && !takeValue(bytes, pair)) return undefined;
  }
  return { circuitId, bytes };
}

/** False for more bytes than a router can carry. Counters of a later version are left out. */
function takeValue(bytes: UsageBytes, pair: Buffer): boolean {
  const fields = new MetricsFields(pair);
  let name = '';
  let value = 0;
  while (fields.next()) {
    if (fields.number === 1) name = fields.text() ?? '';
    else if (fields.number === 2) value = fields.integer() ?? 0;
  }
  if (value > intervalBytesMax) return false;
  if (isCounter(name)) bytes[name] = value;
  return true;
}

function isCounter(name: string): name is keyof UsageBytes {
  return usageCounters.some((known) => known === name);
}

/** Fields of a usage counter, and that of the values in a bucket. */
const counterFields = { start: 1, length: 2, buckets: 3 } as const;
const valuesField = 1;

/** Bytes of one bucket with the tags that its router sends; those of routers have 300. @bound */
const bucketBytesMax = 4096;
/**
 * What a router may say that it carried of one circuit in one interval: that of a minute at
 * 4 Tbit/s. More of it must not spoil the sums. @bound
 */
const intervalBytesMax = 2 ** 45;

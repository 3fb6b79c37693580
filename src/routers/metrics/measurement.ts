// What a router measures, one value after the other (behaviour/usage#metrics-of-routers).

import { decodeMessage, fabric } from '../../channel/messages/messages.ts';
import { metricsFields } from './metrics-fields.ts';

/** How something is measured, as events of the field name it. */
export type MeasurementKind = 'intValue' | 'floatValue' | 'meter' | 'histogram' | 'timer';

/** Something that a router has measured. */
export interface Measurement {
  /** Without the id that it may hold: `link.latency`. */
  readonly metric: string;
  /** The link or controller that it is about; empty for what is of the router as a whole. */
  readonly entityId: string;
  readonly kind: MeasurementKind;
  /** Numbers by the names that events of the field give them. */
  readonly values: Readonly<Record<string, number>>;
}

/**
 * What an entry of a message of metrics holds; undefined for other fields, and for an entry that is
 * too large. @throws MalformedMessage
 */
export function measurementOf(field: number, entry: Buffer): Measurement | undefined {
  const read = readers[field];
  if (read === undefined || entry.length > measurementBytesMax) return undefined;
  const { key, kind, values } = read(entry);
  return { ...namesOf(key), kind, values };
}

interface ReadEntry {
  readonly key: string;
  readonly kind: MeasurementKind;
  readonly values: Measurement['values'];
}

/** By the field of a message. */
const readers: Readonly<Record<number, (entry: Buffer) => ReadEntry>> = {
  [metricsFields.intValues](entry) {
    const { key, value } = decodeMessage(fabric.IntValueEntry, entry);
    return { key, kind: 'intValue', values: { value: Number(value) } };
  },
  [metricsFields.floatValues](entry) {
    const { key, value } = decodeMessage(fabric.FloatValueEntry, entry);
    return { key, kind: 'floatValue', values: { value } };
  },
  [metricsFields.meters](entry) {
    const { key, value } = decodeMessage(fabric.MeterEntry, entry);
    return { key, kind: 'meter', values: { count: Number(value?.count ?? 0), ...ratesOf(value) } };
  },
  [metricsFields.histograms](entry) {
    const { key, value } = decodeMessage(fabric.HistogramEntry, entry);
    return { key, kind: 'histogram', values: distributionOf(value) };
  },
  [metricsFields.timers](entry) {
    const { key, value } = decodeMessage(fabric.TimerEntry, entry);
    return { key, kind: 'timer', values: { ...distributionOf(value), ...ratesOf(value) } };
  },
};

function ratesOf(of: fabric.Meter.$Properties | fabric.Timer.$Properties | null | undefined) {
  return {
    mean_rate: of?.meanRate ?? 0,
    m1_rate: of?.m1Rate ?? 0,
    m5_rate: of?.m5Rate ?? 0,
    m15_rate: of?.m15Rate ?? 0,
  };
}

function distributionOf(
  of: fabric.Histogram.$Properties | fabric.Timer.$Properties | null | undefined,
) {
  return {
    count: Number(of?.count ?? 0),
    min: Number(of?.min ?? 0),
    max: Number(of?.max ?? 0),
    mean: of?.mean ?? 0,
    std_dev: of?.stdDev ?? 0,
    variance: of?.variance ?? 0,
    p50: of?.p50 ?? 0,
    p75: of?.p75 ?? 0,
    p95: of?.p95 ?? 0,
    p99: of?.p99 ?? 0,
    p999: of?.p999 ?? 0,
    p9999: of?.p9999 ?? 0,
  };
}

/** Takes a name apart, such as `link.ID.latency` or `link.dropped_msgs:ID`. */
function namesOf(key: string): Pick<Measurement, 'metric' | 'entityId'> {
  const colon = key.indexOf(':');
  if (colon >= 0) return { metric: key.slice(0, colon), entityId: key.slice(colon + 1) };
  const [, group = '', entityId = '', rest = ''] = ofEntity.exec(key) ?? [];
  return { metric: group === '' ? key : `${group}.${rest}`, entityId };
}

/** Names of links and control channels, with the id in the middle. */
const ofEntity = /^(link|ctrl)\.(.+)\.(latency|queue_time|[rt]x\.(?:bytesrate|msgrate|msgsize))$/;

/** Bytes of what is measured, with its name; those of routers have 250. @bound */
const measurementBytesMax = 1024;

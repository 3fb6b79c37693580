// What routers report of themselves, as Prometheus reads it (behaviour/usage#metrics-of-routers).

import type { Measurement } from '../routers/metrics/measurement.ts';
import type { ReportedSeries } from '../routers/metrics/router-series.ts';
import { inSlices } from '../turns/slices.ts';
import type { Metrics } from './metrics.ts';
import type { Sources } from './sources.ts';

/** How long a scrape works per turn of the event loop; it may have 200,000 lines. */
const sliceMs = 2;

/** The metrics of routers; none while no router has reported any. */
export function createRouterScrape(sources: Sources): Metrics {
  let running: Promise<string> | undefined;
  const make = async (): Promise<string> => {
    const reports = sources.core?.routers.traffic?.series?.reports() ?? [];
    const parts: string[] = [];
    await inSlices(scrape(reports, parts), sources.clock, sliceMs);
    return parts.join('');
  };
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text() {
      running ??= make().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** A family of series, which is named once. */
interface Family {
  readonly name: string;
  readonly type: 'gauge' | 'histogram';
  readonly series: { readonly routerId: string; readonly measurement: Measurement }[];
}

/** Adds the text to `parts`. A step ends with each router and each family. */
function* scrape(reports: readonly ReportedSeries[], parts: string[]): Generator<undefined> {
  const families = new Map<string, Family>();
  for (const { routerId, measurements } of reports) {
    for (const measurement of measurements.values()) {
      const name = familyName(measurement.metric);
      const type = isDistribution(measurement) ? 'histogram' : 'gauge';
      let family = families.get(name);
      if (family === undefined) families.set(name, (family = { name, type, series: [] }));
      // Routers that disagree about a metric would make two families of one name.
      if (family.type === type) family.series.push({ routerId, measurement });
    }
    yield;
  }
  for (const family of families.values()) {
    if (isPartOfAnother(family.name, families)) continue;
    parts.push(`# HELP ${family.name} ${family.name}\n# TYPE ${family.name} ${family.type}\n`);
    const seen = new Set<string>();
    for (const { routerId, measurement } of family.series) {
      const labels = labelsOf(routerId, measurement.entityId);
      // Two metrics of a router may have names that differ in dots and hyphens alone.
      if (seen.has(labels)) continue;
      seen.add(labels);
      parts.push(linesOf(family.name, labels, measurement));
      if (seen.size % seriesAStep === 0) yield;
    }
    yield;
  }
}

/** Whether a name is that of the lines of a histogram. */
function isPartOfAnother(name: string, families: ReadonlyMap<string, Family>): boolean {
  const [, whole = ''] = /^(.+)_(?:bucket|sum|count)$/.exec(name) ?? [];
  return families.get(whole)?.type === 'histogram';
}

function isDistribution({ kind }: Measurement): boolean {
  return kind === 'histogram' || kind === 'timer';
}

/**
 * `link.latency` is `ziti_link_latency`. The field cuts what would be the count of a histogram:
 * `worker_count` is `worker_c` there.
 */
function familyName(metric: string): string {
  return `ziti_${metric.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/count$/, 'c')}`;
}

function labelsOf(routerId: string, entityId: string): string {
  const source = `source_id="${escaped(routerId)}"`;
  return entityId === '' ? source : `${source},source_entity_id="${escaped(entityId)}"`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function linesOf(name: string, labels: string, measurement: Measurement): string {
  const { kind, values } = measurement;
  const shown = (of: string) => numberText(values[of] ?? 0);
  switch (kind) {
    case 'intValue':
    case 'floatValue':
      return `${name}{${labels}} ${shown('value')}\n`;
    case 'meter':
      return `${name}{${labels}} ${shown('m1_rate')}\n`;
    case 'histogram':
    case 'timer': {
      const buckets = quantiles.map(
        ([le, of]) => `${name}_bucket{${labels},le="${le}"} ${shown(of)}\n`,
      );
      const { mean = 0, count = 0 } = values;
      const sum = `${name}_sum{${labels}} ${numberText(mean * count)}\n`;
      return `${buckets.join('')}${sum}${name}_count{${labels}} ${shown('count')}\n`;
    }
  }
}

/** Quantiles as the field offers them: as if they were bounds of buckets. */
const quantiles = [
  ['0.5', 'p50'],
  ['0.75', 'p75'],
  ['0.95', 'p95'],
  ['0.99', 'p99'],
  ['0.999', 'p999'],
  ['0.9999', 'p9999'],
] as const;

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

const seriesAStep = 32;

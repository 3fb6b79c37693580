// The metrics of a controller as Prometheus reads them.

import { type Metric as LibraryMetric, Registry } from 'prom-client';
import { type Metric, metricsOf, type Sample } from './metric.ts';
import { clusterFrontMetrics, clusterMetrics } from './metrics-cluster.ts';
import { logMetrics } from './metrics-log.ts';
import { processMetrics } from './metrics-process.ts';
import { requestMetrics } from './metrics-requests.ts';
import { routerMetrics } from './metrics-routers.ts';
import { healthMetrics, stateMetrics } from './metrics-state.ts';
import type { Sources } from './sources.ts';

/** The text of a scrape. */
export interface Metrics {
  readonly contentType: string;
  /** Reads everything, in slices. Simultaneous scrapes get the same text. */
  text(): Promise<string>;
}

/**
 * How long a scrape works per turn of the event loop. If every operation was used, it has 12,000
 * lines.
 */
const sliceMs = 2;

/** Samples that are formatted at once, in about 0.2 ms. */
const chunkSamples = 100;

/** All metrics. Parts that have not started yet have no samples. */
export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  const all = [
    ...metricsOf(() => sources, healthMetrics),
    ...metricsOf(() => sources.core, stateMetrics),
    ...requestMetrics(sources),
    ...metricsOf(() => sources.core, logMetrics),
    ...metricsOf(() => sources.core, routerMetrics),
    ...processMetrics(sources),
  ];
  // One node alone does not even name them.
  const ofCluster = [
    ...metricsOf(() => sources.cluster, clusterMetrics),
    ...metricsOf(() => sources.listeners?.frontCounters(), clusterFrontMetrics),
  ];
  const make = async (): Promise<string> => {
    const { clock } = sources;
    let sliceEnd = clock.monotonic() + sliceMs;
    const parts: string[] = [];
    for (const metric of sources.cluster === undefined ? all : [...all, ...ofCluster]) {
      let isFirst = true;
      for (const chunk of chunksOf(metric)) {
        const text = await textOf(registry, metric, chunk);
        parts.push(isFirst ? text : withoutHead(text), '\n');
        isFirst = false;
        if (clock.monotonic() < sliceEnd) continue;
        await new Promise<void>((resolve) => clock.soon(resolve));
        sliceEnd = clock.monotonic() + sliceMs;
      }
    }
    return parts.join('');
  };
  let running: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    // Parallel scrapes would each take a slice of the same turn and hold a text of their own.
    text() {
      running ??= make().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** At least one chunk, so that each metric is named. Samples of one group stay together. */
function* chunksOf(metric: Metric): Generator<readonly Sample[]> {
  let chunk: Sample[] = [];
  let isAny = false;
  for (const group of metric.samples()) {
    chunk.push(...group);
    if (chunk.length < chunkSamples) continue;
    yield chunk;
    isAny = true;
    chunk = [];
  }
  if (chunk.length > 0 || !isAny) yield chunk;
}

/**
 * The library's own metrics store values by label text, which costs too much per request. Ours are
 * read only at a scrape, and the library formats them. Its class has private members, so that no
 * object of ours has its type; it reads only what is given here.
 */
function textOf(registry: Registry, metric: Metric, values: readonly Sample[]): Promise<string> {
  const { name, help, type } = metric;
  const read = { name, get: () => Promise.resolve({ name, help, type, values }) };
  registry.clear();
  registry.registerMetric(read as unknown as LibraryMetric);
  return registry.getSingleMetricAsString(name);
}

/** Only the first chunk begins with HELP and TYPE. */
function withoutHead(text: string): string {
  return text.split('\n').slice(2).join('\n');
}

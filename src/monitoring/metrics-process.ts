// Metrics of the process: processor, memory, garbage collection, event loop. They have Prometheus's
// usual names where such names exist.

import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import type { EventLoopWatch } from '../observe/event-loop.ts';
import { Histogram } from '../observe/histogram.ts';
import {
  counter,
  type Definitions,
  gauge,
  histogram,
  type Metric,
  metricsOf,
  seconds,
} from './metric.ts';
import type { Sources, WatchedCore } from './sources.ts';

/** These metrics. Garbage collection is watched from the first call on. */
export function processMetrics(sources: Sources): Metric[] {
  const kinds = watchCollections();
  return [
    ...metricsOf(() => sources, processor),
    ...metricsOf(() => sources.core?.memory, memory),
    ...metricsOf(() => sources.eventLoop, eventLoop),
    ...metricsOf(() => kinds, garbage),
  ];
}

const processor: Definitions<Sources> = {
  process_cpu_seconds_total: counter('Processor time of all threads.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }),
  process_start_time_seconds: gauge(
    'When the process began, in seconds since 1970.',
    ({ startedAtMs }) => seconds(startedAtMs),
  ),
  process_resident_memory_bytes: gauge('Resident memory.', () => process.memoryUsage.rss()),
  edge_control_heap_used_bytes: gauge('Heap in use, by space of V8.', function* () {
    for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
      yield [space_used_size, { space: space_name.replace(/_space$/, '') }];
    }
  }),
  edge_control_heap_size_bytes: gauge(
    'Heap taken from the system.',
    () => process.memoryUsage().heapTotal,
  ),
  edge_control_external_memory_bytes: gauge(
    'Memory of buffers outside the heap.',
    () => process.memoryUsage().external,
  ),
};

const memory: Definitions<WatchedCore['memory']> = {
  edge_control_heap_live_bytes: gauge(
    'Heap that the last full collection of garbage left, new space not counted.',
    ({ liveBytes }) => liveBytes,
  ),
  edge_control_heap_limit_bytes: gauge(
    'Heap that there may be, new space not counted.',
    ({ limitBytes }) => limitBytes,
  ),
};

const eventLoop: Definitions<EventLoopWatch> = {
  edge_control_event_loop_delay_seconds: histogram(
    'How late a timer of 20 ms comes on the main thread.',
    (watch) => watch.seconds,
  ),
};

const garbage: Definitions<ReadonlyMap<string, Histogram>> = {
  edge_control_gc_duration_seconds: histogram(
    'Collections of garbage on the main thread, by kind.',
    function* (kinds) {
      for (const [kind, duration] of kinds) yield [duration, { kind }];
    },
  ),
};

/** Upper bounds in seconds of pauses for garbage. */
const collectionBounds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** V8's kinds of collection. */
const collections: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak_callbacks'],
]);

/** What Node tells of a collection (`perf_hooks`, entries of the type `gc`). */
interface CollectionEntry extends PerformanceEntry {
  readonly detail: { readonly kind: number };
}

function watchCollections(): ReadonlyMap<string, Histogram> {
  const kinds = new Map<string, Histogram>();
  for (const kind of collections.values()) kinds.set(kind, new Histogram(collectionBounds));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as CollectionEntry;
      kinds.get(collections.get(detail.kind) ?? '')?.observe(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return kinds;
}

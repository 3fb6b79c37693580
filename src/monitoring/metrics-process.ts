// Metrics of the process: processor, memory, garbage collection, event loop. They have Prometheus's
// usual names where such names exist.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';
import { Histogram } from '../observe/histogram.ts';
import { counter, gauge, histogram, type Labels, type Metric } from './metric.ts';
import type { Sources } from './sources.ts';

/** These metrics. Garbage collection is watched from the first call on. */
export function processMetrics(sources: Sources): Metric[] {
  return [...processor(sources), ...memory(sources), ...pauses(sources)];
}

function processor(sources: Sources): Metric[] {
  return [
    counter('process_cpu_seconds_total', 'Processor time of all threads.', () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    }),
    gauge(
      'process_start_time_seconds',
      'When the process began, in seconds since 1970.',
      () => sources.startedAtMs / 1000,
    ),
  ];
}

function memory(sources: Sources): Metric[] {
  return [
    gauge('process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
    gauge('edge_control_heap_used_bytes', 'Heap in use, by space of V8.', function* () {
      for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
        yield [space_used_size, { space: space_name.replace(/_space$/, '') }];
      }
    }),
    gauge('edge_control_heap_size_bytes', 'Heap taken from the system.', () => {
      return process.memoryUsage().heapTotal;
    }),
    gauge(
      'edge_control_heap_live_bytes',
      'Heap that the last full collection of garbage left, new space not counted.',
      () => sources.core?.memory.liveBytes,
    ),
    gauge(
      'edge_control_heap_limit_bytes',
      'Heap that there may be, new space not counted.',
      () => sources.core?.memory.limitBytes,
    ),
    gauge('edge_control_external_memory_bytes', 'Memory of buffers outside the heap.', () => {
      return process.memoryUsage().external;
    }),
  ];
}

/** Upper bounds in seconds of pauses for garbage. */
const collectionBounds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1];

/** V8's kinds of collection. */
const collections: ReadonlyMap<number, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak_callbacks'],
]);

function pauses(sources: Sources): Metric[] {
  const kinds = watchCollections();
  return [
    histogram(
      'edge_control_event_loop_delay_seconds',
      'How late a timer of 20 ms comes on the main thread.',
      () => sources.eventLoop?.seconds,
    ),
    histogram(
      'edge_control_gc_duration_seconds',
      'Collections of garbage on the main thread, by kind.',
      function* (): Generator<readonly [Histogram, Labels]> {
        for (const [kind, seconds] of kinds) yield [seconds, { kind }];
      },
    ),
  ];
}

function watchCollections(): ReadonlyMap<string, Histogram> {
  const kinds = new Map<string, Histogram>();
  for (const kind of collections.values()) kinds.set(kind, new Histogram(collectionBounds));
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { detail } = entry as unknown as { readonly detail: { readonly kind: number } };
      kinds.get(collections.get(detail.kind) ?? '')?.observe(entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return kinds;
}

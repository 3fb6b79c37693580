// Metrics: a name, its meaning, and a function that reads the value at a scrape.

import type { Histogram } from '../observe/histogram.ts';

/** Values of the labels of one sample; the names of a metric's labels are the same in all. */
export type Labels = Readonly<Record<string, string>>;

/** One line of the exposition. */
export interface Sample {
  readonly value: number;
  readonly labels: Labels;
  /** The name, if it differs from that of the metric: `…_bucket`. */
  readonly metricName?: string;
}

/** A metric. Its value is read at each scrape and stored nowhere else. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** In groups that belong together: all of one histogram, or one value. */
  samples(): Iterable<readonly Sample[]>;
}

/** A value with its labels. */
export type LabelledValue = readonly [value: number, labels: Labels];

/**
 * The result of a reader: one value, several with labels, or nothing if the part does not exist.
 */
export type MetricValues = number | undefined | Iterable<LabelledValue>;

/** A metric of type counter. Its name ends with `_total`. */
export function counter(name: string, help: string, read: () => MetricValues): Metric {
  return { name, help, type: 'counter', samples: () => samplesOf(read()) };
}

/** A metric of type gauge. */
export function gauge(name: string, help: string, read: () => MetricValues): Metric {
  return { name, help, type: 'gauge', samples: () => samplesOf(read()) };
}

/** A metric of type gauge that shows the present state: 1 for that state, 0 for all others. */
export function states(
  name: string,
  help: string,
  label: string,
  all: readonly string[],
  read: () => string | undefined,
): Metric {
  return gauge(name, help, () => {
    const present = read();
    if (present === undefined) return undefined;
    return all.map((state) => [state === present ? 1 : 0, { [label]: state }]);
  });
}

/** A metric of type histogram, of one histogram or several with labels. */
export function histogram(
  name: string,
  help: string,
  read: () => Iterable<readonly [Histogram, Labels]> | Histogram | undefined,
): Metric {
  return {
    name,
    help,
    type: 'histogram',
    *samples() {
      const found = read();
      if (found === undefined) return;
      const all = Symbol.iterator in found ? found : [[found, {}] as const];
      for (const [one, labels] of all) yield bucketsOf(name, one, labels);
    },
  };
}

function* samplesOf(values: MetricValues): Generator<readonly Sample[]> {
  if (values === undefined) return;
  if (typeof values === 'number') {
    yield [{ value: values, labels: {} }];
    return;
  }
  for (const [value, labels] of values) yield [{ value, labels }];
}

function bucketsOf(name: string, { bounds, counts, sum }: Histogram, labels: Labels): Sample[] {
  const samples: Sample[] = [];
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    below += count;
    const le = bucket < bounds.length ? String(bounds[bucket]) : '+Inf';
    samples.push({ metricName: `${name}_bucket`, value: below, labels: { ...labels, le } });
  }
  samples.push({ metricName: `${name}_sum`, value: sum, labels });
  samples.push({ metricName: `${name}_count`, value: below, labels });
  return samples;
}

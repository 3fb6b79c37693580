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

/** All of a metric but its name. It reads a source, such as the journal. */
export interface Definition<Source> extends Pick<Metric, 'help' | 'type'> {
  samples(source: Source, name: string): Iterable<readonly Sample[]>;
}

/** Metrics that read one source, by name. */
export type Definitions<Source> = Readonly<Record<string, Definition<Source>>>;

/** The defined metrics. They have no samples while there is no source. */
export function metricsOf<Source>(
  source: () => Source | undefined,
  definitions: Definitions<Source>,
): Metric[] {
  return Object.entries(definitions).map(([name, { help, type, samples }]) => ({
    name,
    help,
    type,
    samples() {
      const found = source();
      return found === undefined ? [] : samples(found, name);
    },
  }));
}

/** A metric of type counter. Its name ends with `_total`. */
export function counter<Source>(
  help: string,
  read: (source: Source) => MetricValues,
): Definition<Source> {
  return { help, type: 'counter', samples: (source) => samplesOf(read(source)) };
}

/** A metric of type gauge. */
export function gauge<Source>(
  help: string,
  read: (source: Source) => MetricValues,
): Definition<Source> {
  return { help, type: 'gauge', samples: (source) => samplesOf(read(source)) };
}

/** A metric of type gauge that shows the present state: 1 for that state, 0 for all others. */
export function states<Source>(
  help: string,
  all: readonly string[],
  read: (source: Source) => string,
): Definition<Source> {
  return gauge(help, (source) => {
    const present = read(source);
    return all.map((state) => [Number(state === present), { state }]);
  });
}

/** A metric of type histogram, of one histogram or several with labels. */
export function histogram<Source>(
  help: string,
  read: (source: Source) => Iterable<readonly [Histogram, Labels]> | Histogram,
): Definition<Source> {
  return {
    help,
    type: 'histogram',
    *samples(source, name) {
      const found = read(source);
      const all = Symbol.iterator in found ? found : [[found, {}] as const];
      for (const [one, labels] of all) yield bucketsOf(name, one, labels);
    },
  };
}

/** One value per name, with the name as the value of `label`. */
export function* byLabel(
  label: string,
  values: Iterable<readonly [name: string, value: number]>,
): Generator<LabelledValue> {
  for (const [name, value] of values) yield [value, { [label]: name }];
}

/** Milliseconds in the unit of all metrics. */
export function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
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

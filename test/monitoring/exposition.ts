// Evaluates the text of metrics as promtool does: form, names, units, help, buckets.

import { createRequire } from 'node:module';

/** One metric as the parser of others reads it. Of histograms it drops the labels. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
}

/** One line. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** It has no types. */
const parse = createRequire(import.meta.url)('parse-prometheus-text-format') as (
  text: string,
) => readonly Family[];

/** Reads a scrape. */
export function familiesOf(text: string): readonly Family[] {
  return parse(text);
}

/** Every line of a scrape that is a sample. */
export function samplesOf(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labelled = '', value] = sampleForm.exec(line) ?? [];
    if (name === undefined) return [];
    const labels = [...labelled.matchAll(/([a-z_]+)="([^"]*)"/g)].map(
      ([, label = '', text = '']) => [label, text],
    );
    return [{ name, labels: Object.fromEntries(labels), value: numberOf(value) }];
  });
}

/** The value of one sample of a scrape; undefined where there is none. */
export function valueIn(
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const found = samplesOf(text).find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found?.value;
}

/** Every value of every label of a scrape: `edge_control_state state=ready`. */
export function labelValuesOf(text: string): Set<string> {
  const values = new Set<string>();
  for (const { name, labels } of samplesOf(text)) {
    for (const [label, value] of Object.entries(labels)) values.add(`${name} ${label}=${value}`);
  }
  return values;
}

/** What promtool would say against a scrape, and what our own rules do. */
export function lint(text: string): string[] {
  return [...formFaults(text), ...familiesOf(text).flatMap(familyFaults), ...histogramFaults(text)];
}

/** Line by line: the parser reads much that Prometheus refuses. */
function formFaults(text: string): string[] {
  const faults: string[] = [];
  if (!text.endsWith('\n')) faults.push('does not end with a line feed');
  const seen = new Set<string>();
  const described = new Map<string, Set<string>>();
  let open = '';
  for (const line of text.split('\n')) {
    const [, word, name = ''] = /^# (HELP|TYPE) (\S+) .+$/.exec(line) ?? [];
    if (word !== undefined) {
      const words = described.get(name) ?? new Set();
      if (words.has(word)) faults.push(`${name}: two lines of ${word}`);
      described.set(name, words.add(word));
      open = name;
    } else if (line.startsWith('#')) faults.push(`no line of ours: ${line}`);
    else if (line !== '') {
      const [sample = ''] = line.split(/ (?=\S+$)/);
      if (!sampleForm.test(line)) faults.push(`not a sample: ${line}`);
      if (seen.has(sample)) faults.push(`twice: ${sample}`);
      seen.add(sample);
      if (!sample.startsWith(open)) faults.push(`${sample} stands under ${open}`);
    }
  }
  for (const [name, words] of described) {
    if (words.size !== 2) faults.push(`${name}: HELP or TYPE is missing`);
  }
  return faults;
}

const sampleForm =
  /^([a-z][a-z0-9_]*)((?:\{[a-z_]+="[^"\\]*"(?:,[a-z_]+="[^"\\]*")*\})?) (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf|NaN)$/;

function numberOf(value: string | undefined): number {
  return value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value);
}

/** https://prometheus.io/docs/practices/naming, and promtool's linter. */
function familyFaults({ name, help, type }: Family): string[] {
  const faults: string[] = [];
  const say = (fault: string) => faults.push(`${name}: ${fault}`);
  const kind = type.toLowerCase();
  if (!/^(edge_control|process)_[a-z0-9_]+$/.test(name)) say('has no namespace of ours');
  if (!/^\S.*\.$/.test(help)) say('its help is no sentence');
  if ((kind === 'counter') !== name.endsWith('_total')) say('only counters end with _total');
  if (!['counter', 'gauge', 'histogram'].includes(kind)) say(`is a ${kind}`);
  if (/_(ms|milliseconds|microseconds|minutes|hours|kib|mib|kilobytes|percent)(_|$)/.test(name)) {
    say('is in no base unit');
  }
  if (/_(gauge|counter|histogram|count|sum|bucket)(_total)?$/.test(name)) say('names its type');
  return faults;
}

/** Histograms: cumulative up to +Inf, which is their count, and with a sum. */
function histogramFaults(text: string): string[] {
  const series = new Map<string, { buckets: [number, number][]; count?: number; sum?: number }>();
  for (const { name, labels, value } of samplesOf(text)) {
    const [, family, part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
    if (family === undefined) continue;
    const { le, ...rest } = labels;
    const key = `${family}${JSON.stringify(rest)}`;
    const found = series.get(key) ?? { buckets: [] };
    series.set(key, found);
    if (part === 'bucket') found.buckets.push([numberOf(le), value]);
    else if (part === 'sum') found.sum = value;
    else found.count = value;
  }
  return [...series].flatMap(([key, { buckets, count, sum }]) => {
    const isGrowing = buckets.every(([bound, value], at) => {
      const [before = Number.NEGATIVE_INFINITY, fewer = 0] = buckets[at - 1] ?? [];
      return bound > before && value >= fewer;
    });
    const [last, all] = buckets.at(-1) ?? [];
    const isWhole = last === Number.POSITIVE_INFINITY && all === count && sum !== undefined;
    return isGrowing && isWhole ? [] : [`${key}: its buckets are no histogram`];
  });
}

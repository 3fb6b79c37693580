// The rules and the dashboard of examples/monitoring name metrics, labels and values that the
// controller has, in expressions that Prometheus can read.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { parse } from 'yaml';
import { errorCodes } from '../../src/error-codes.ts';
import { createMetrics } from '../../src/monitoring/metrics.ts';
import { labelValuesOf } from '../monitoring/exposition.ts';
import { bootNetwork } from '../simulated/network.ts';
import { watchedCluster } from '../simulated/watched-cluster.ts';
import { type Selector, selectorsOf } from './promql.ts';

const examples = join(import.meta.dirname, '../../examples/monitoring');
const textOf = (name: string) => readFileSync(join(examples, name), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const { groups } = parse(textOf('edge-control.rules.yaml')) as {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
};
const rules = groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(textOf('grafana-dashboard.json')) as {
  readonly panels: readonly Panel[];
};
const targets = panels.flatMap((panel) => panel.targets ?? []);

/** Labels that Prometheus adds to every sample. */
const addedLabels = new Set(['job', 'instance']);

/** Everything that a scrape names: metrics with their series, and labels with their values. */
async function exposed() {
  const network = await bootNetwork();
  await network.call('POST', 'C:/authenticate?method=password', {
    body: { username: 'nobody', password: 'wrong' },
  });
  network.core.sources.cluster = watchedCluster();
  const text = await createMetrics(network.core.sources).text();
  await network.stop();
  const series = new Set<string>();
  for (const [, name = '', type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    if (type !== 'histogram') series.add(name);
    else for (const end of ['bucket', 'sum', 'count']) series.add(`${name}_${end}`);
  }
  return { series, labelValues: labelValuesOf(text) };
}

/** The faults of a metric that an expression names: unknown names, labels and values. */
function faultsOf({ name, labels, equal }: Selector, scrape: Awaited<ReturnType<typeof exposed>>) {
  const faults = scrape.series.has(name) ? [] : [`there is no ${name}`];
  const values = [...scrape.labelValues].flatMap((one) => {
    const [metric, value = ''] = one.split(' ');
    return metric === name ? [value] : [];
  });
  const own = labels.filter((label) => !addedLabels.has(label));
  for (const label of values.length === 0 ? [] : own) {
    if (!values.some((one) => one.startsWith(`${label}=`))) faults.push(`${name} has no ${label}`);
  }
  for (const one of equal) {
    // These come with the first request that they are about.
    const [label = '', value = ''] = one.split('=');
    const isKnown =
      values.includes(one) ||
      (label === 'code' && value in errorCodes) ||
      (label === 'status' && /^[2-5]xx$/.test(value));
    if (!isKnown) faults.push(`${name} has no ${one}`);
  }
  return faults;
}

t.test('each expression is about metrics that there are', async (t) => {
  const scrape = await exposed();
  const expressions = [...rules, ...targets].map(({ expr }) => expr);
  t.ok(expressions.length > 50);
  for (const expression of expressions) {
    // Grafana replaces this variable by a duration.
    const selectors = selectorsOf(expression.replaceAll('$__rate_interval', '5m'));
    t.ok(selectors.length > 0, expression);
    for (const selector of selectors) t.same(faultsOf(selector, scrape), [], expression);
  }
  const wrong = { name: 'edge_control_log_state', labels: ['phase'], equal: ['phase=writable'] };
  t.equal(faultsOf(wrong, scrape).length, 2);
  t.equal(faultsOf({ ...wrong, name: 'edge_control_none' }, scrape).length, 2);
});

t.test('what is no expression is found', async (t) => {
  for (const text of ['sum(', 'a{b=c}', 'rate(a[5m)', 'a > > 1']) {
    t.throws(() => selectorsOf(text), SyntaxError, text);
  }
  t.same(selectorsOf('a{b="c",d=~"e"} or rate(f_total[1m]) > 1'), [
    { name: 'a', labels: ['b', 'd'], equal: ['b=c'] },
    { name: 'f_total', labels: [], equal: [] },
  ]);
});

t.test('each rule says what to do, under a name of its own', async (t) => {
  t.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
  for (const { alert, labels, annotations, for: time = '1m' } of rules) {
    t.match(alert, /^EdgeControl[A-Z][A-Za-z]+$/);
    t.ok(['page', 'ticket'].includes(labels.severity), alert);
    t.same(Object.keys(annotations), ['summary', 'action'], alert);
    t.match(time, /^\d+[smh]$/, alert);
  }
});

t.test('the panels of the dashboard fit beside each other', async (t) => {
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
  t.equal(new Set(panels.map(({ gridPos }) => `${gridPos.x} ${gridPos.y}`)).size, panels.length);
  for (const { type, title, gridPos, targets: own = [] } of panels) {
    t.ok(gridPos.x + gridPos.w <= 24, title);
    t.ok(type === 'row' || own.length > 0, title);
    for (const { expr } of own) t.match(expr, 'instance=~"$instance"', title);
  }
});

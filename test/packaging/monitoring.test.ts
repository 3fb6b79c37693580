// The rules and the dashboard of examples/monitoring name metrics, labels and values that the
// controller has, in expressions that Prometheus can read.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { parse } from 'yaml';
import { errorCodes } from '../../src/errors/error-codes.ts';
import { frontCounterNames } from '../../src/http/front/connection-table.ts';
import type { FrontCounters } from '../../src/http/front/peers.ts';
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

/** The rules of a file. */
function rulesIn(name: string): readonly Rule[] {
  const { groups } = parse(textOf(name)) as {
    readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
  };
  return groups.flatMap((group) => group.rules);
}

const clusterRules = rulesIn('edge-control-cluster.rules.yaml');
const rules = [...rulesIn('edge-control.rules.yaml'), ...clusterRules];
const dashboards = ['grafana-dashboard.json', 'grafana-dashboard-cluster.json'].map((name) => {
  return JSON.parse(textOf(name)) as { readonly uid: string; readonly panels: readonly Panel[] };
});
const targets = dashboards.flatMap(({ panels }) => panels.flatMap((panel) => panel.targets ?? []));

/** Labels that Prometheus adds to every sample. */
const addedLabels = new Set(['job', 'instance']);

/** Everything that a scrape names: metrics with their series, and labels with their values. */
async function exposed() {
  const network = await bootNetwork();
  await network.call('POST', 'C:/authenticate?method=password', {
    body: { username: 'nobody', password: 'wrong' },
  });
  const { sources } = network.core;
  sources.cluster = watchedCluster();
  const counters = Object.fromEntries(frontCounterNames.map((name) => [name, 0]));
  const frontCounters = () => counters as FrontCounters;
  sources.listeners = { workers: 1, watched: [], requestsDeferred: 0, frontCounters };
  const text = await createMetrics(sources).text();
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

t.test('the panels of a dashboard fit beside each other', async (t) => {
  t.equal(new Set(dashboards.map(({ uid }) => uid)).size, dashboards.length);
  for (const { panels } of dashboards) {
    t.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
    t.equal(new Set(panels.map(({ gridPos }) => `${gridPos.x} ${gridPos.y}`)).size, panels.length);
    for (const { type, title, gridPos, targets: own = [] } of panels) {
      t.ok(gridPos.x + gridPos.w <= 24, title);
      t.ok(type === 'row' || own.length > 0, title);
      for (const { expr } of own) t.match(expr, 'instance=~"$instance"', title);
    }
  }
});

t.test('alerts and panels for clusters are about all that can go wrong with one', async (t) => {
  const about = (expressions: readonly { readonly expr: string }[]) =>
    new Set(
      expressions.flatMap(({ expr }) =>
        selectorsOf(expr.replaceAll('$__rate_interval', '5m')).map(({ name }) =>
          name.replace('edge_control_cluster_', ''),
        ),
      ),
    );
  const needed = [
    'role',
    'lag_seconds',
    'nodes',
    'takeovers_total',
    'leader_connections_failed_total',
    'clients_closed_total',
    'node_connections_refused_total',
    'tunnels_malformed_total',
    'groups_in_flight',
    'clock_skew_seconds',
    'generation',
    'store_short',
    'store_used_bytes',
    'shared_snapshot_age_seconds',
  ];
  const [alerts, shown] = [about(clusterRules), about(targets)];
  for (const name of needed) {
    t.ok(alerts.has(name), `an alert about ${name}`);
    t.ok(shown.has(name), `a panel about ${name}`);
  }
});

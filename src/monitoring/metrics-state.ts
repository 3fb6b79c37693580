// Metrics of the controller's own state: health, machines, records, deadlines, clock, inspectors.

import { version } from '../platform/version.ts';
import { healthOf } from './health-checks.ts';
import { counter, type Definitions, gauge, histogram, seconds, states } from './metric.ts';
import type { Sources, WatchedCore } from './sources.ts';

/** Metrics of the health, which exist from the first moment on. */
export const healthMetrics: Definitions<Sources> = {
  edge_control_build_info: gauge('Always 1; the labels say what runs.', () => [
    [1, { version, node: process.version }],
  ]),
  edge_control_state: states(
    '1 for the state that the controller is in.',
    ['ready', 'read-only', 'recovering', 'following', 'draining', 'failed'],
    (sources) => healthOf(sources).state,
  ),
  edge_control_healthy: gauge('1 where no critical check of /health-checks fails.', (sources) =>
    Number(healthOf(sources).healthy),
  ),
  edge_control_health_check: gauge('1 where the check of /health-checks passes.', (sources) =>
    healthOf(sources).checks.map(({ id: check, healthy }) => [Number(healthy), { check }]),
  ),
  edge_control_deadline_overdue_seconds: gauge(
    'By how much the earliest deadline is late; 0 where it is not.',
    ({ core, clock }) => {
      if (core === undefined) return undefined;
      const { next } = core.deadlines;
      return next === undefined ? 0 : Math.max(0, clock.now() - next) / 1000;
    },
  ),
};

/** Metrics of the state that the home holds. */
export const stateMetrics: Definitions<WatchedCore> = {
  edge_control_clock_jumps_total: counter(
    'Jumps of the wall clock since the start, by direction.',
    ({ clockWatch: { jumps } }) => [
      [jumps.forward, { direction: 'forward' }],
      [jumps.back, { direction: 'back' }],
    ],
  ),
  edge_control_records: gauge('Records by kind.', function* ({ store }) {
    for (const { kind, size } of store.tables()) yield [size, { kind }];
  }),
  edge_control_machine_instances: gauge('Instances by machine and state.', function* (core) {
    for (const { kind, state, count } of core.machineCounts()) yield [count, { kind, state }];
  }),
  edge_control_access_memos: gauge(
    'Classes of members whose policies are remembered.',
    ({ access }) => access.memos(),
  ),
  edge_control_follow_ups_waiting: gauge(
    'Requests that wait for deferred cascades of others to be carried out.',
    ({ store }) => store.deferredCascades.waiting,
  ),
  edge_control_deadlines_waiting: gauge(
    'Times that records wait for.',
    ({ deadlines }) => deadlines.size,
  ),
  edge_control_deadline_lateness_seconds: histogram(
    'By how much deadlines were carried out late.',
    ({ deadlines }) => deadlines.lateness,
  ),
  edge_control_integrity_running: gauge(
    '1 while a data integrity run is under way.',
    ({ integrity }) => Number(integrity.results.inProgress),
  ),
  edge_control_integrity_findings: gauge(
    'Findings of the last run, up to integrityResultsMax, by whether they were put right.',
    ({ integrity: { results } }) => {
      const fixed = results.results.filter((finding) => finding.fixed).length;
      return [
        [fixed, { fixed: 'true' }],
        [results.results.length - fixed, { fixed: 'false' }],
      ];
    },
  ),
  edge_control_integrity_end_timestamp_seconds: gauge(
    'When the last run ended, in seconds since 1970.',
    ({ integrity }) => seconds(integrity.results.endTime),
  ),
  edge_control_inspectors: gauge('Attached inspectors.', (core) => core.inspectors().attached),
  edge_control_inspector_transitions_dropped_total: counter(
    'Transitions that inspectors were not told, for their slowness.',
    (core) => core.inspectors().dropped,
  ),
  edge_control_event_subscribers: gauge(
    'Programs on the WebSocket of the fabric API.',
    ({ events }) => events.subscribers,
  ),
  edge_control_events_dropped_total: counter(
    'Events that were not handed over, by sink.',
    ({ events }) => Object.entries(events.dropped).map(([sink, count]) => [count, { sink }]),
  ),
};

// Metrics of the controller's own state: health, machines, records, deadlines, clock, inspectors.

import { version } from '../version.ts';
import { healthOf } from './health-checks.ts';
import { counter, gauge, histogram, type Metric, states } from './metric.ts';
import type { Sources } from './sources.ts';

/** These metrics. */
export function stateMetrics(sources: Sources): Metric[] {
  return [
    ...health(sources),
    ...records(sources),
    ...deadlines(sources),
    ...integrity(sources),
    ...inspectors(sources),
  ];
}

function health(sources: Sources): Metric[] {
  return [
    gauge('edge_control_build_info', 'Always 1; the labels say what runs.', () => [
      [1, { version, node: process.version }],
    ]),
    states(
      'edge_control_state',
      '1 for the state that the controller is in.',
      'state',
      ['ready', 'read-only', 'recovering', 'draining', 'failed'],
      () => healthOf(sources).state,
    ),
    gauge('edge_control_healthy', '1 where no critical check of /health-checks fails.', () =>
      Number(healthOf(sources).healthy),
    ),
    gauge('edge_control_health_check', '1 where the check of /health-checks passes.', () =>
      healthOf(sources).checks.map(({ id: check, healthy }) => [Number(healthy), { check }]),
    ),
    counter(
      'edge_control_clock_jumps_total',
      'Jumps of the wall clock since the start, by direction.',
      () => {
        const jumps = sources.core?.clockWatch.jumps;
        return (
          jumps && [
            [jumps.forward, { direction: 'forward' }],
            [jumps.back, { direction: 'back' }],
          ]
        );
      },
    ),
  ];
}

function records(sources: Sources): Metric[] {
  return [
    gauge('edge_control_records', 'Records by kind.', function* () {
      for (const { kind, size } of sources.core?.store.tables() ?? []) yield [size, { kind }];
    }),
    gauge('edge_control_machine_instances', 'Instances by machine and state.', function* () {
      for (const { kind, state, count } of sources.core?.machineCounts() ?? []) {
        yield [count, { kind, state }];
      }
    }),
    gauge('edge_control_access_memos', 'Classes of members whose policies are remembered.', () =>
      sources.core?.access.memos(),
    ),
    gauge(
      'edge_control_follow_ups_waiting',
      'Requests that wait for consequences of others to be carried out.',
      () => sources.core?.store.deferredCascades.waiting,
    ),
  ];
}

function deadlines(sources: Sources): Metric[] {
  return [
    gauge(
      'edge_control_deadlines_waiting',
      'Times that records wait for.',
      () => sources.core?.deadlines.size,
    ),
    gauge(
      'edge_control_deadline_overdue_seconds',
      'By how much the earliest of them is late; 0 where it is not.',
      () => {
        if (sources.core === undefined) return undefined;
        const { next } = sources.core.deadlines;
        return next === undefined ? 0 : Math.max(0, sources.clock.now() - next) / 1000;
      },
    ),
    histogram(
      'edge_control_deadline_lateness_seconds',
      'By how much deadlines were carried out late.',
      () => sources.core?.deadlines.lateness,
    ),
  ];
}

function integrity(sources: Sources): Metric[] {
  const results = () => sources.core?.integrity.results;
  return [
    gauge('edge_control_integrity_running', '1 while a data integrity run is under way.', () => {
      const found = results();
      return found && Number(found.inProgress);
    }),
    gauge(
      'edge_control_integrity_findings',
      'Findings of the last run, up to integrityResultsMax, by whether they were put right.',
      () => {
        const found = results();
        if (found === undefined) return undefined;
        const fixed = found.results.filter((finding) => finding.fixed).length;
        return [
          [fixed, { fixed: 'true' }],
          [found.results.length - fixed, { fixed: 'false' }],
        ];
      },
    ),
    gauge(
      'edge_control_integrity_end_timestamp_seconds',
      'When the last run ended, in seconds since 1970.',
      () => {
        const endTime = results()?.endTime;
        return endTime === undefined ? undefined : endTime / 1000;
      },
    ),
  ];
}

function inspectors(sources: Sources): Metric[] {
  return [
    gauge(
      'edge_control_inspectors',
      'Attached inspectors.',
      () => sources.core?.inspectors().attached,
    ),
    counter(
      'edge_control_inspector_transitions_dropped_total',
      'Transitions that inspectors were not told, for their slowness.',
      () => sources.core?.inspectors().dropped,
    ),
  ];
}

// Metrics of the disk: log, snapshots, and what the start found there.

import { counter, gauge, histogram, type Metric, states } from './metric.ts';
import type { Sources } from './sources.ts';

/** These metrics. */
export function logMetrics(sources: Sources): Metric[] {
  return [...log(sources), ...snapshots(sources), ...recovery(sources)];
}

function log(sources: Sources): Metric[] {
  const journal = () => sources.core?.journal;
  const figures = () => journal()?.figures;
  return [
    states(
      'edge_control_log_state',
      '1 for the state that the log is in: writable, stalled (it tries again) or failed.',
      'state',
      ['writable', 'stalled', 'failed'],
      () => journal()?.health.state,
    ),
    counter(
      'edge_control_log_frames_total',
      'Frames made durable since the start.',
      () => figures()?.framesWritten,
    ),
    counter(
      'edge_control_log_bytes_total',
      'Bytes of these frames.',
      () => figures()?.bytesWritten,
    ),
    histogram(
      'edge_control_log_group_frames',
      'Frames that one sync made durable. Where several groups are told together, their mean.',
      () => sources.core?.logMeter.groupFrames,
    ),
    histogram(
      'edge_control_log_commit_duration_seconds',
      'From the append of a frame to its being durable; of one frame each half millisecond.',
      () => sources.core?.logMeter.commitSeconds,
    ),
    gauge('edge_control_log_last_lsn', 'Number of the newest frame.', () => journal()?.lastLsn),
    gauge(
      'edge_control_log_durable_lsn',
      'Number of the newest frame that is durable.',
      () => journal()?.durableLsn,
    ),
    gauge('edge_control_log_lag_frames', 'Frames that are not durable yet.', () => {
      const found = journal();
      return found && found.lastLsn - found.durableLsn;
    }),
    gauge('edge_control_log_lag_seconds', 'How long the oldest of them waits.', () => {
      const meter = sources.core?.logMeter;
      return meter && meter.lagMs / 1000;
    }),
    gauge(
      'edge_control_log_since_snapshot_bytes',
      'Log that a start would replay.',
      () => sources.core?.snapshotter.logBytes,
    ),
  ];
}

function snapshots(sources: Sources): Metric[] {
  const figures = () => sources.core?.snapshotter.figures;
  return [
    states(
      'edge_control_snapshotter_state',
      '1 for the state that the snapshotter is in.',
      'state',
      ['idle', 'writing', 'resting', 'stopped'],
      () => sources.core?.snapshotter.phase,
    ),
    counter(
      'edge_control_snapshots_total',
      'Snapshots written since the start, by outcome.',
      () => {
        const found = figures();
        return (
          found && [
            [found.kept, { outcome: 'kept' }],
            [found.failed, { outcome: 'failed' }],
          ]
        );
      },
    ),
    gauge(
      'edge_control_snapshot_duration_seconds',
      'What the newest one of this process took.',
      () => seconds(figures()?.lastMs),
    ),
    gauge(
      'edge_control_snapshot_size_bytes',
      'Size of the newest one of this process.',
      () => sources.core?.snapshotter.newest?.bytes,
    ),
    gauge(
      'edge_control_snapshot_records',
      'Records in it.',
      () => sources.core?.snapshotter.newest?.records,
    ),
    gauge(
      'edge_control_snapshot_timestamp_seconds',
      'When it was kept, in seconds since 1970.',
      () => seconds(figures()?.lastKeptAtMs),
    ),
    gauge(
      'edge_control_snapshot_age_seconds',
      'Age of the newest one, of the start before the first; 0 while nothing was logged since.',
      () => seconds(figures()?.behindMs),
    ),
  ];
}

function recovery(sources: Sources): Metric[] {
  const report = () => sources.core?.report;
  return [
    gauge('edge_control_recovery_duration_seconds', 'What opening the home took.', () =>
      seconds(sources.core?.recoveryMs),
    ),
    gauge(
      'edge_control_recovery_records',
      'Records that the start found.',
      () => report()?.records,
    ),
    gauge(
      'edge_control_recovery_replayed_frames',
      'Frames that it replayed.',
      () => report()?.framesReplayed,
    ),
    gauge(
      'edge_control_recovery_replayed_bytes',
      'Bytes of these frames.',
      () => report()?.bytesReplayed,
    ),
    gauge('edge_control_recovery_clean_stop', '1 where the last stop was clean.', () => {
      const found = report();
      return found && Number(found.sealed);
    }),
    gauge(
      'edge_control_recovery_torn_tail_bytes',
      'Bytes behind the last good frame that the start cut off and kept beside.',
      () => {
        const found = report();
        return found && (found.tornTail?.bytes ?? 0);
      },
    ),
    gauge(
      'edge_control_recovery_damaged_snapshots',
      'Snapshots that did not verify and were passed over.',
      () => report()?.damagedSnapshots.length,
    ),
  ];
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1000;
}

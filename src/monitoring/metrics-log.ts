// Metrics of the disk: log, snapshots, and what the start found there.

import { counter, type Definitions, gauge, histogram, seconds, states } from './metric.ts';
import type { WatchedCore } from './sources.ts';

const log: Definitions<WatchedCore> = {
  edge_control_log_state: states(
    '1 for the state that the log is in: writable, stalled (it tries again) or failed.',
    ['writable', 'stalled', 'failed'],
    ({ journal }) => journal.health.state,
  ),
  edge_control_log_frames_total: counter(
    'Frames made durable since the start.',
    ({ journal }) => journal.figures.framesWritten,
  ),
  edge_control_log_bytes_total: counter(
    'Bytes of these frames.',
    ({ journal }) => journal.figures.bytesWritten,
  ),
  edge_control_log_group_frames: histogram(
    'Frames that one sync made durable. Where several groups are told together, their mean.',
    ({ logMeter }) => logMeter.groupFrames,
  ),
  edge_control_log_commit_duration_seconds: histogram(
    'From the append of a frame to its being durable; of one frame each half millisecond.',
    ({ logMeter }) => logMeter.commitSeconds,
  ),
  edge_control_log_last_lsn: gauge('Number of the newest frame.', ({ journal }) => journal.lastLsn),
  edge_control_log_durable_lsn: gauge(
    'Number of the newest frame that is durable.',
    ({ journal }) => journal.durableLsn,
  ),
  edge_control_log_lag_frames: gauge(
    'Frames that are not durable yet.',
    ({ journal }) => journal.lastLsn - journal.durableLsn,
  ),
  edge_control_log_lag_seconds: gauge('How long the oldest of them waits.', ({ logMeter }) =>
    seconds(logMeter.lagMs),
  ),
  edge_control_log_since_snapshot_bytes: gauge(
    'Log that a start would replay.',
    ({ snapshotter }) => snapshotter.logBytes,
  ),
};

const snapshots: Definitions<WatchedCore> = {
  edge_control_snapshotter_state: states(
    '1 for the state that the snapshotter is in.',
    ['idle', 'writing', 'resting', 'stopped'],
    ({ snapshotter }) => snapshotter.phase,
  ),
  edge_control_snapshots_total: counter(
    'Snapshots written since the start, by outcome.',
    ({ snapshotter: { figures } }) => [
      [figures.kept, { outcome: 'kept' }],
      [figures.failed, { outcome: 'failed' }],
    ],
  ),
  edge_control_snapshot_duration_seconds: gauge(
    'What the newest one of this process took.',
    ({ snapshotter }) => seconds(snapshotter.figures.lastMs),
  ),
  edge_control_snapshot_size_bytes: gauge(
    'Size of the newest one of this process.',
    ({ snapshotter }) => snapshotter.newest?.bytes,
  ),
  edge_control_snapshot_records: gauge(
    'Records in it.',
    ({ snapshotter }) => snapshotter.newest?.records,
  ),
  edge_control_snapshot_timestamp_seconds: gauge(
    'When it was kept, in seconds since 1970.',
    ({ snapshotter }) => seconds(snapshotter.figures.lastKeptAtMs),
  ),
  edge_control_snapshot_age_seconds: gauge(
    'Age of the newest one, of the start before the first; 0 while nothing was logged since.',
    ({ snapshotter }) => seconds(snapshotter.figures.behindMs),
  ),
};

const recovery: Definitions<WatchedCore> = {
  edge_control_recovery_duration_seconds: gauge('What opening the home took.', ({ recoveryMs }) =>
    seconds(recoveryMs),
  ),
  edge_control_recovery_records: gauge(
    'Records that the start found.',
    ({ report }) => report.records,
  ),
  edge_control_recovery_replayed_frames: gauge(
    'Frames that it replayed.',
    ({ report }) => report.framesReplayed,
  ),
  edge_control_recovery_replayed_bytes: gauge(
    'Bytes of these frames.',
    ({ report }) => report.bytesReplayed,
  ),
  edge_control_recovery_clean_stop: gauge('1 where the last stop was clean.', ({ report }) =>
    Number(report.sealed),
  ),
  edge_control_recovery_torn_tail_bytes: gauge(
    'Bytes behind the last good frame that the start cut off and kept beside.',
    ({ report }) => report.tornTail?.bytes ?? 0,
  ),
  edge_control_recovery_damaged_snapshots: gauge(
    'Snapshots that did not verify and were passed over.',
    ({ report }) => report.damagedSnapshots.length,
  ),
};

/** These metrics. */
export const logMetrics: Definitions<WatchedCore> = { ...log, ...snapshots, ...recovery };

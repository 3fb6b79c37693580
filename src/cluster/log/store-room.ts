// How much room NATS has for the log, and when that is too little to accept more records.

import type { Lsn } from '../../../snapshots/journal.ts';
import type { NodeState } from '../cluster-node.ts';
import type { Member } from '../membership.ts';
import type { StoreBound, StoreState } from '../shared-snapshots.ts';

/**
 * The part of a bound that is left for deletions, changes, heartbeats, entries of nodes and
 * commands when no more records are created. @bound
 */
const reservedShareMin = 1 / 10;

/**
 * The part of a bound that no upload of a snapshot takes. It is smaller, because what was written
 * until the shortage was seen must not keep the snapshot out that ends it. @bound
 */
const untouchedShareMin = 1 / 20;

/** Intervals between snapshots after which the newest shared one counts as late. @bound */
const intervalsMax = 3;

/**
 * The bounds with too little room for more records. The next snapshot has to fit beside what is
 * kept, because only that frees the log before it; it is hardly larger than the last one and the
 * whole log together (behaviour/cluster#room-at-nats).
 */
export function shortBounds(store: StoreState): readonly StoreBound[] {
  const snapshotBytes = (store.shared?.bytes ?? 0) + store.streamBytes;
  return store.bounds.filter((bound) => roomBytes(bound, reservedShareMin) < snapshotBytes);
}

/** Whether so many bytes can be added, and enough is left for what must always be possible. */
export function fits({ bounds }: StoreState, bytes: number): boolean {
  return bounds.every((bound) => roomBytes(bound, untouchedShareMin) >= bytes);
}

/**
 * What a node and those that it has heard know of the store: each may see another server. A bound
 * is left out if another node has read it since a newer snapshot was shared, which frees room:
 * entries of nodes may be 5 s old (behaviour/cluster#room-at-nats).
 * @param heard entries of nodes that were heard lately
 */
export function storesOf(
  { store }: Pick<NodeState, 'store'>,
  heard: readonly Member[],
): readonly StoreState[] {
  const others = heard.map(({ condition }) => condition?.store);
  const stores = [store, ...others].filter((known) => known !== undefined);
  const newest = new Map<string, Lsn>();
  for (const each of stores) {
    for (const { of } of each.bounds) {
      newest.set(of, Math.max(newest.get(of) ?? 0, sharedLsn(each)));
    }
  }
  return stores.map((each) => {
    const isCurrent = ({ of }: StoreBound) => newest.get(of) === sharedLsn(each);
    return { ...each, bounds: each.bounds.filter(isCurrent) };
  });
}

function sharedLsn({ shared }: StoreState): Lsn {
  return shared?.lsn ?? 0;
}

/**
 * The age of the newest shared snapshot in ms, or the time since which the log has more than it if
 * that is shorter: none is taken while nothing changes. So it is 0 while nothing has changed since.
 * Undefined if there is none, or if it does not tell its time.
 * @param stores as nodes tell them: the first that has seen a change tells when that was
 */
export function sharedAgeMs(
  { shared }: StoreState,
  stores: readonly StoreState[],
  last: Lsn,
  nowMs: number,
): number | undefined {
  if (shared?.atMs === undefined) return undefined;
  if (shared.lsn >= last) return 0;
  const seen = stores.flatMap((store) =>
    store.shared?.lsn === shared.lsn ? (store.shared.outgrownAtMs ?? []) : [],
  );
  const sinceMs = seen.length === 0 ? shared.atMs : Math.max(shared.atMs, Math.min(...seen));
  return Math.max(0, nowMs - sinceMs);
}

/**
 * Whether a shared snapshot is so old that nobody shares any more. After two intervals a leader
 * does it if no follower has.
 * @param ageMs as `sharedAgeMs` tells it
 * @param intervalMs the setting `snapshot.ageMinutes`
 */
export function isLate(ageMs: number | undefined, intervalMs: number): boolean {
  return ageMs !== undefined && ageMs > intervalsMax * intervalMs;
}

/** A bound, as a sentence for operators. */
export function boundText({ of, usedBytes, bytesMax }: StoreBound): string {
  return `${of} keeps ${usedBytes} of ${bytesMax} bytes at most`;
}

/** Bytes that may be added until only this part of the bound is left. */
function roomBytes({ usedBytes, bytesMax, copies }: StoreBound, part: number): number {
  return (bytesMax * (1 - part) - usedBytes) / copies;
}

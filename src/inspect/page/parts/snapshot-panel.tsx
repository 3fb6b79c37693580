// Takes a snapshot, and shows its progress.

import { useState } from 'preact/hooks';
import type { ProcessView } from '../../contract.ts';
import { useOrder } from '../hooks/use-order.ts';
import { ProblemNote } from './problem-note.tsx';

/** A button, and the state of the snapshotter. */
export function SnapshotPanel({ processes }: { readonly processes: readonly ProcessView[] }) {
  const order = useOrder();
  const [isTaken, setTaken] = useState(false);
  const snapshotter = processes.find(({ name }) => /snapshot/i.test(name));
  const take = async () => {
    setTaken(false);
    setTaken(await order.give('/database/snapshot', { method: 'POST' }));
  };
  return (
    <section class="card panel" aria-label="Snapshot">
      <h3>Snapshot</h3>
      <p class="hint">Writes all data at one LSN, so that a start replays less log.</p>
      <p role="status">
        Snapshot: {word(order.isBusy, isTaken)}
        {snapshotter === undefined ? '' : ` (snapshotter ${snapshotter.state})`}
      </p>
      <ProblemNote text={order.problem} />
      <button type="button" disabled={order.isBusy} onClick={take}>
        Take a snapshot
      </button>
    </section>
  );
}

function word(isBusy: boolean, isTaken: boolean): string {
  if (isBusy) return 'being written…';
  return isTaken ? 'written and verified' : 'none asked for here';
}

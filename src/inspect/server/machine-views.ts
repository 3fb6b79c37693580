// Every machine with the number of its instances by state.

import type { Environment } from '../../declare/environment.ts';
import type { MachineView } from '../contract.ts';
import type { Inspection } from './inspection.ts';

/** All machines, those of records first. It needs no search. */
export function machineViews({ inspection, store }: Environment): MachineView[] {
  const durable = inspection.durable.map((kind) => {
    store.fence.note(store.tableNamed(kind).lastLsn);
    return viewOf(inspection, kind, inspection.states.counts(kind));
  });
  const live = inspection.live.map((machine) => {
    const counts = new Map<string, number>();
    for (const { state } of machine.instances()) counts.set(state, (counts.get(state) ?? 0) + 1);
    return viewOf(inspection, machine.id, counts);
  });
  return [...durable, ...live].filter((view) => view !== undefined);
}

function viewOf(
  inspection: Inspection,
  id: string,
  counted: ReadonlyMap<string, number>,
): MachineView | undefined {
  const chart = inspection.chartOf(id);
  if (chart === undefined) return undefined;
  // A record that is damaged may be in a state that its machine does not have.
  const states = new Set([...chart.present, ...counted.keys()]);
  const counts = Object.fromEntries([...states].map((state) => [state, counted.get(state) ?? 0]));
  let total = 0;
  for (const count of counted.values()) total += count;
  return { ...chart.drawn, total, counts };
}

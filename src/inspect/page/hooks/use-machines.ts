// Keeps the machines and their counts up to date while they are shown.

import { useEffect } from 'preact/hooks';
import type { MachineView } from '../../contract.ts';
import { usePage } from '../page-context.ts';
import { useAnswer } from './use-answer.ts';
import { useSelected } from './use-selected.ts';

/**
 * Requests the machines at this interval in ms, for the whole page. Used by one component at a
 * time.
 */
export function useMachinesUpdates(everyMs: number): void {
  const { machines } = usePage();
  const { answer, problem } = useAnswer<readonly MachineView[]>('/inspect/machines', everyMs);
  useEffect(() => {
    if (answer !== undefined) machines.send({ type: 'loaded', machines: answer.data });
  }, [machines, answer]);
  useEffect(() => {
    if (problem !== undefined) machines.send({ type: 'failed', problem: problem.message });
  }, [machines, problem]);
}

/** One machine; undefined while it is not known. */
export function useMachine(kind: string): MachineView | undefined {
  const { machines } = usePage();
  return useSelected(machines, (state) => state.machines?.find(({ id }) => id === kind));
}

// Keeps the machines and their counts up to date while somebody looks at them.

import { useEffect } from 'preact/hooks';
import type { MachineView } from '../../contract.ts';
import { usePage } from '../page-context.ts';
import { useAnswer } from './use-answer.ts';
import { useSelected } from './use-selected.ts';

/** Asks for the machines every so many ms, for all of the page. Used by one component at a time. */
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

// The machines of the controller, as every view and the find box show them.

import { createStore } from '@xstate/store';
import type { MachineView } from '../contract.ts';

/** The known machines. */
export interface MachinesState {
  /** Undefined until they were loaded. */
  readonly machines: readonly MachineView[] | undefined;
  /** Why they could not be loaded; empty otherwise. */
  readonly problem: string;
}

/** Nothing is known. */
const noMachines: MachinesState = { machines: undefined, problem: '' };

/** The store of them, of which the page has one. */
export function createMachinesStore() {
  return createStore({
    context: noMachines,
    on: {
      loaded: (_, { machines }: { machines: readonly MachineView[] }): MachinesState => ({
        machines,
        problem: '',
      }),
      failed: (state, { problem }: { problem: string }): MachinesState => ({ ...state, problem }),
      leave: () => noMachines,
    },
  });
}

/** The store that `createMachinesStore` makes. */
export type MachinesStore = ReturnType<typeof createMachinesStore>;

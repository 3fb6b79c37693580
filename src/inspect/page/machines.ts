// The machines of the controller, as every view and the find box show them: how many instances are
// in which state, its share of the bar, and what it means.

import { createStore } from '@xstate/store';
import type { MachineView, StateMeaning } from '../messages.ts';

/** The known machines. */
export interface MachinesState {
  /** Undefined until they were loaded. */
  readonly machines: readonly MachineView[] | undefined;
  /** Why they could not be loaded; empty otherwise. */
  readonly problem: string;
}

const noMachines: MachinesState = { machines: undefined, problem: '' };

/** The store of them, of which the page has one. */
export function createMachinesStore() {
  return createStore({
    context: noMachines,
    on: {
      loaded: (_, { machines }: Pick<MachinesState, 'machines'>) => ({ machines, problem: '' }),
      failed: (state, { problem }: Pick<MachinesState, 'problem'>) => ({ ...state, problem }),
      leave: () => noMachines,
    },
  });
}

/** The store that `createMachinesStore` makes. */
export type MachinesStore = ReturnType<typeof createMachinesStore>;

/** A state that few are in must still be seen. */
const leastWidth = 0.8;

/**
 * Every state that instances of a machine can be in, each with its piece of the bar in percent of
 * its width; those with no instance have no width.
 */
export function stateShares({ counts }: Pick<MachineView, 'counts'>) {
  const states = Object.entries(counts);
  const total = states.reduce((sum, [, count]) => sum + count, 0);
  const wide = states.map(([state, count]) => {
    const width = count === 0 ? 0 : Math.max(leastWidth, (count / total) * 100);
    return { state, count, width };
  });
  const whole = wide.reduce((sum, { width }) => sum + width, 0);
  let start = 0;
  return wide.map(({ state, count, width }) => {
    const share = { state, count, start, width: width * (100 / Math.max(100, whole)) };
    start += share.width;
    return share;
  });
}

/** Of several regions of a machine, the one that needs most attention counts. */
const byUrgency: readonly StateMeaning[] = ['bad', 'waiting', 'good', 'over'];

/**
 * The meaning of the state of an instance. A damaged record may be in a state that its machine does
 * not have: that is bad.
 */
export function meaningOf({ meanings }: Pick<MachineView, 'meanings'>, state: string) {
  const parts = state.split(',').map((part) => meanings[part] ?? 'bad');
  return byUrgency.find((meaning) => parts.includes(meaning)) ?? 'over';
}

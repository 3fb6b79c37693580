// The parts of a chart in which an instance is and through which it went.

import type { Transition } from '../contract.ts';

type Step = Pick<Transition, 'from' | 'event' | 'to'>;

/** The highlighted states: one, or one of each region, `door:open,lamp:on`. */
export function litStates(state: string): readonly string[] {
  return state === '' ? [] : state.split(',');
}

/** Says of a way of the chart whether one of `steps` took it. */
export function wasTaken(steps: readonly Step[]): (way: Step) => boolean {
  const taken = new Set<string>();
  for (const { from, event, to } of steps) {
    for (const left of litStates(from)) {
      for (const reached of litStates(to)) taken.add(keyOf({ from: left, event, to: reached }));
    }
  }
  return (way) => taken.has(keyOf(way));
}

function keyOf({ from, event, to }: Step): string {
  return `${from} ${event} ${to}`;
}

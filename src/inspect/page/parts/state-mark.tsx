// The name of a state beside the colour it has all over the page.

import { formatState } from '../format.ts';
import { useMachine } from '../hooks/use-machines.ts';
import { stateColour } from '../state-shares.ts';

/** A state of an instance. */
export interface StateMarkProps {
  readonly kind: string;
  readonly state: string;
}

/** A dot and the name. */
export function StateMark({ kind, state }: StateMarkProps) {
  const machine = useMachine(kind);
  const colour = machine === undefined ? 'state-rest' : stateColour(machine, state);
  return (
    <span class={`state-mark ${colour}`} title={state}>
      {formatState(state)}
    </span>
  );
}

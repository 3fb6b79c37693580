// States, in the colour that each has all over the page.

import type { MachineView } from '../../contract.ts';
import { stateFilter } from '../filter-text.ts';
import { formatCount, formatState } from '../format.ts';
import { stateColour, stateShares } from '../machines.ts';
import { useMachine } from '../page-context.ts';
import { hashOf, kindRoute } from '../route.ts';

/** The state of an instance: a dot and the name. */
export function StateMark({ kind, state }: { readonly kind: string; readonly state: string }) {
  const machine = useMachine(kind);
  const colour = machine === undefined ? 'state-rest' : stateColour(machine, state);
  return (
    <span class={`state-mark ${colour}`} title={state}>
      {formatState(state)}
    </span>
  );
}

/** How many instances of a kind are in which state: a bar, and its legend to click through. */
export function StateBar({ machine }: { readonly machine: MachineView }) {
  const shares = stateShares(machine);
  return (
    <>
      <svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-ground" width="100" height="6" />
        {shares.map(({ state, start, width }) => (
          <rect
            key={state}
            class={stateColour(machine, state)}
            x={start}
            width={width}
            height="6"
          />
        ))}
      </svg>
      <ul class="legend" aria-label={`States of ${machine.id}`}>
        {shares.map(({ state, count }) => (
          <li key={state} class={count === 0 ? 'is-empty' : undefined}>
            <a href={hashOf(kindRoute(machine.id, stateFilter(state)))}>
              <span class={`state-mark ${stateColour(machine, state)}`}>{formatState(state)}</span>{' '}
              <span class="figure">{formatCount(count)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

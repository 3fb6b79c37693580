// How many instances of a kind are in which state: a bar, and its legend to click through.

import type { MachineView } from '../../contract.ts';
import { stateFilter } from '../filter-text.ts';
import { formatCount, formatState } from '../format.ts';
import { hashOf, kindRoute } from '../route.ts';
import { stateColour, stateShares } from '../state-shares.ts';

/** Bar and legend of one kind. */
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

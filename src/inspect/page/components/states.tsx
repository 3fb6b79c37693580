// States, with the sign and the colour of their meaning, the same all over the page.

import type { MachineView } from '../../messages.ts';
import { stateFilter } from '../filter-text.ts';
import { formatCount, formatState } from '../format.ts';
import { meaningOf, stateShares } from '../machines.ts';
import { useMachine } from '../page-context.ts';
import { hashOf, kindRoute } from '../route.ts';
import { Sign } from './sign.tsx';

/** The state of an instance: the sign of its meaning, and its name. */
export function StateMark({ kind, state }: { readonly kind: string; readonly state: string }) {
  const machine = useMachine(kind);
  return (
    <span class="state-mark" title={state}>
      {machine === undefined ? null : <Sign meaning={meaningOf(machine, state)} />}
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
            class={`is-${meaningOf(machine, state)}`}
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
              <StateMark kind={machine.id} state={state} />{' '}
              <span class="figure">{formatCount(count)}</span>
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

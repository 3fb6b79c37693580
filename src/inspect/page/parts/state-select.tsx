// Filters a list by state without writing a filter.

import { useId } from 'preact/hooks';
import { stateFilter, stateOfFilter } from '../filter-text.ts';
import { formatState } from '../format.ts';
import { useMachine } from '../hooks/use-machines.ts';

/** The filter that applies now. */
export interface StateSelectProps {
  readonly kind: string;
  readonly filter: string;
  onFilter(filter: string): void;
}

/** Every state that instances of the kind can be in. */
export function StateSelect({ kind, filter, onFilter }: StateSelectProps) {
  const id = useId();
  const machine = useMachine(kind);
  const choose = (state: string) => onFilter(state === '' ? '' : stateFilter(state));
  return (
    <div class="choice">
      <label for={id}>State</label>
      <select
        id={id}
        value={stateOfFilter(filter)}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="">any</option>
        {Object.keys(machine?.counts ?? {}).map((state) => (
          <option key={state} value={state}>
            {formatState(state)}
          </option>
        ))}
      </select>
    </div>
  );
}

// Shows whether the page is live.

import { useSelected } from '../hooks/use-selected.ts';
import { usePage } from '../page-context.ts';

/** A dot and a word. */
export function ConnectionMark() {
  const { stream } = usePage();
  const phase = useSelected(stream, (state) => state.phase);
  return (
    <span role="status" class={`connection is-${phase}`} title="Stream of the controller">
      {phase}
    </span>
  );
}

// How long until a deadline, second by second.

import { formatMoment, formatSpan } from '../format.ts';
import { useNow } from '../hooks/use-now.ts';

/** When it comes, as an ISO text. */
export interface CountdownProps {
  readonly at: string;
}

/** A timer; `due` once it is over. */
export function Countdown({ at }: CountdownProps) {
  const leftMs = Date.parse(at) - useNow();
  return (
    <span role="timer" aria-label="Deadline" class="figure" title={formatMoment(at)}>
      {leftMs <= 0 ? 'due' : formatSpan(leftMs)}
    </span>
  );
}

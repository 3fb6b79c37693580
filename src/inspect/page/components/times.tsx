// Points in time: in full, or as the time until then or since then.

import { useEffect, useState } from 'preact/hooks';
import { formatMoment, formatSpan, formatTime } from '../format.ts';
import { usePage, useSelected } from '../page-context.ts';

/** A point in time. */
export interface MomentProps {
  /** ISO text or wall-clock ms. */
  readonly at: string | number;
  /** Of today only the time, with ms. */
  readonly isShort?: boolean;
}

/** Nothing for what is no time. */
export function Moment({ at, isShort = false }: MomentProps) {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return null;
  const isToday = time.toDateString() === new Date().toDateString();
  const text = isShort && isToday ? formatTime(time.getTime()) : formatMoment(at);
  return (
    <time dateTime={time.toISOString()} title={time.toISOString()}>
      {text}
    </time>
  );
}

/** The time until `at`, an ISO text, second by second; `due` once it is over. */
export function Countdown({ at }: { readonly at: string }) {
  const leftMs = Date.parse(at) - useNow();
  return (
    <span role="timer" aria-label="Deadline" class="figure" title={formatMoment(at)}>
      {leftMs <= 0 ? 'due' : formatSpan(leftMs)}
    </span>
  );
}

/** The time since `sinceMs`, in wall-clock ms of the controller, second by second. */
export function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <>{formatSpan(useNow() - sinceMs)}</>;
}

/** Wall-clock ms of the controller, updated every second. */
function useNow(): number {
  const { stream } = usePage();
  const aheadMs = useSelected(stream, ({ clockAheadMs }) => clockAheadMs);
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return nowMs + aheadMs;
}

// A point in time, in full for machines and short for people.

import { formatMoment, formatTime } from '../format.ts';

/** ISO text or wall-clock ms. */
export interface MomentProps {
  readonly at: string | number | null | undefined;
  /** Of today only the time, with ms. */
  readonly isShort?: boolean;
}

/** Nothing for what is no time. */
export function Moment({ at, isShort = false }: MomentProps) {
  if (at === undefined || at === null || at === '') return null;
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

// Times as people read them: in local time, and how long ago something was.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/**
 * A moment in local time: `2026-11-24 09:14`, or `09:14` on the day of `nowMs` and in the twelve
 * hours after it, so that what is good for some hours reads alike at any time of the day.
 * @param at RFC 3339; anything else stays as it is
 */
export function localTime(at: string, nowMs?: number): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return nowMs !== undefined && isNear(time, nowMs) ? clock : `${date} ${clock}`;
}

function isNear(time: Date, nowMs: number): boolean {
  const aheadMs = time.getTime() - nowMs;
  const isSoon = aheadMs > 0 && aheadMs < 12 * hourMs;
  return isSoon || new Date(nowMs).toDateString() === time.toDateString();
}

/**
 * A moment in local time to the second: `09:14:05`, with the date before it where `localTime` has
 * one.
 * @param at RFC 3339; anything else stays as it is
 */
export function secondText(at: string, nowMs: number): string {
  const seconds = new Date(at).getSeconds();
  return Number.isNaN(seconds) ? at : `${localTime(at, nowMs)}:${two(seconds)}`;
}

const agoMs: Readonly<Record<string, number>> = { s: 1000, m: minuteMs, h: hourMs, d: dayMs };

/**
 * A moment that a person typed, in wall-clock ms: `2026-11-24T09:00`, `09:00` of today, or `10m`
 * ago.
 * @returns undefined for anything else
 */
export function timeTyped(text: string, nowMs: number): number | undefined {
  const [, count, unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const ago = agoMs[unit];
  if (ago !== undefined) return nowMs - Number(count) * ago;
  const date = new Date(nowMs);
  const today = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const isWhole = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/.test(text);
  if (!isWhole && !/^\d\d:\d\d(:\d\d)?$/.test(text)) return undefined;
  // A date alone would be read as one in UTC.
  const whole = text.includes('T') ? text : `${text}T00:00`;
  const ms = new Date(isWhole ? whole : `${today}T${text}`).getTime();
  return Number.isNaN(ms) ? undefined : ms;
}

/** A duration in its two largest units: `2 d 4 h`, `11 min`. */
export function ageText(ms: number): string {
  if (ms < minuteMs) return `${Math.max(0, Math.floor(ms / 1000))} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs)
    return pair(Math.floor(ms / hourMs), 'h', Math.floor((ms % hourMs) / minuteMs), 'min');
  return pair(Math.floor(ms / dayMs), 'd', Math.floor((ms % dayMs) / hourMs), 'h');
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

// Numbers and times as people read them. Everything is in the reader's time zone and in English,
// as is the rest of the page.

import type { SessionClient } from '../messages.ts';

const counts = new Intl.NumberFormat('en-US');
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** `1,000,000`. */
export function formatCount(value: number): string {
  return counts.format(value);
}

/** `1M`, for where there is little room. */
export function formatCompact(value: number): string {
  return Math.abs(value) < 10_000 ? formatRate(value) : compact.format(value);
}

/** A rate with as many digits as mean something: `0.4`, `12`, `1,204`. */
export function formatRate(value: number): string {
  const rounded = Math.abs(value) < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  return counts.format(rounded);
}

const byteUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `1.5 MiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < byteUnits.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${formatRate(value)} ${byteUnits[unit]}`;
}

/** `0.4 ms`, `1.2 s`. */
export function formatMs(durationMs: number): string {
  if (Math.abs(durationMs) < 1000) return `${formatRate(durationMs)} ms`;
  return `${formatRate(durationMs / 1000)} s`;
}

/** How long, in the two largest units: `2 d 3 h`, `4 min 05 s`, `12 s`. Never negative. */
export function formatSpan(spanMs: number): string {
  const seconds = Math.max(0, Math.floor(spanMs / 1000));
  const [days, hours] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24];
  const [minutes, rest] = [Math.floor(seconds / 60) % 60, seconds % 60];
  if (days > 0) return `${days} d ${hours} h`;
  if (hours > 0) return `${hours} h ${twoDigits(minutes)} min`;
  if (minutes > 0) return `${minutes} min ${twoDigits(rest)} s`;
  return `${rest} s`;
}

/** Time of the day, with ms: `13:05:09.120`. */
export function formatTime(timeMs: number): string {
  const time = new Date(timeMs);
  if (Number.isNaN(time.getTime())) return '';
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(':');
  return `${clock}.${String(time.getMilliseconds()).padStart(3, '0')}`;
}

/** Day and time: `2026-11-21 13:05:09`. Empty for what is no time. */
export function formatMoment(value: number | string | null | undefined): string {
  const time = new Date(value ?? '');
  if (Number.isNaN(time.getTime())) return '';
  const day = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())];
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits);
  return `${day.join('-')} ${clock.join(':')}`;
}

/**
 * A state in few words: of a machine with parallel regions, what is said twice only once, and no
 * names of regions: `certificate:current,life:existing` is `current · existing`.
 */
export function formatState(state: string): string {
  const parts = state.split(',').map((part) => part.slice(part.indexOf(':') + 1));
  return [...new Set(parts)].join(' · ');
}

/** What tells an API session from others: where its client is, what it is, when it was active. */
export function formatClient({ address, sdk, version, lastActivityAt }: SessionClient): string {
  const parts = [address, sdk, version, `active ${formatMoment(lastActivityAt)}`];
  return parts.filter((part) => part !== '').join(' · ');
}

const isoPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** A value of a record: times as such, structures as JSON, absence as a dash. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'string') return isoPattern.test(value) ? formatMoment(value) : value;
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '–' : JSON.stringify(value, undefined, 1);
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

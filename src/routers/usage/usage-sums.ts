// Sums of what circuits carried, for clients and for hosts.

import type { UsageSums } from '../../records/usage.ts';

/** The names of the sums. */
export const usageSumNames = [
  'clientSentBytes',
  'clientReceivedBytes',
  'hostSentBytes',
  'hostReceivedBytes',
] as const satisfies readonly (keyof UsageSums)[];

/** Sums that are added to. */
export type RunningSums = Record<keyof UsageSums, number>;

/** Sums of nothing. */
export function noSums(): RunningSums {
  return { clientSentBytes: 0, clientReceivedBytes: 0, hostSentBytes: 0, hostReceivedBytes: 0 };
}

/** Adds all of `more`. */
export function addSums(to: RunningSums, more: Partial<UsageSums>): void {
  for (const name of usageSumNames) to[name] = addedBytes(to[name], more[name] ?? 0);
}

/** A sum that stays exact: routers that lie cannot make it lose digits. */
export function addedBytes(sum: number, bytes: number): number {
  return Math.min(sum + bytes, Number.MAX_SAFE_INTEGER);
}

const secondsAnHour = 3600;

/** The name of the hour of a moment, in seconds since the Unix epoch: `2026-11-27T08`. */
export function hourOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 'YYYY-MM-DDTHH'.length);
}

/** The start of an hour by its name, in seconds since the Unix epoch. */
export function startOfHour(hour: string): number {
  return Date.parse(`${hour}:00:00Z`) / 1000;
}

/** The names of the hours from one moment to another, both in seconds since the Unix epoch. */
export function* hoursBetween(fromSeconds: number, toSeconds: number): Generator<string> {
  const first = Math.floor(fromSeconds / secondsAnHour) * secondsAnHour;
  for (let start = first; start < toSeconds; start += secondsAnHour) yield hourOf(start);
}

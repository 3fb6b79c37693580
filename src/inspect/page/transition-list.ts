// Transitions of one instance from two sources: pages of the log, and the stream.

import type { Transition } from '../contract.ts';

/**
 * Newest first: what the log told, and what the stream told since. Both may tell of the same
 * frames, and one frame may hold several steps of an instance.
 * @param told by the log, newest first
 * @param live by the stream, newest first, of any instance
 */
export function withLive(
  told: readonly Transition[],
  live: readonly Transition[],
  { kind, id }: { readonly kind: string; readonly id: string },
): readonly Transition[] {
  const newest = told[0]?.lsn ?? 0;
  const news = live.filter((step) => step.lsn > newest && step.kind === kind && step.id === id);
  return news.length === 0 ? told : [...news, ...told];
}

/** A page of older ones behind those that are there. */
export function withOlder(
  told: readonly Transition[],
  older: readonly Transition[],
): readonly Transition[] {
  const oldest = told.at(-1)?.lsn ?? Number.POSITIVE_INFINITY;
  return [...told, ...older.filter(({ lsn }) => lsn < oldest)];
}

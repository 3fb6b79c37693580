// Keeps the machines' counts fresh: often where they are looked at, seldom elsewhere.

import { useMachinesUpdates } from '../hooks/use-machines.ts';

/** Draws nothing. */
export function Freshness({ isFast }: { readonly isFast: boolean }) {
  useMachinesUpdates(isFast ? 2_000 : 15_000);
  return null;
}

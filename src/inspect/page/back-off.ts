// The waiting time before the stream is opened again.

const firstMs = 500;
const longestMs = 15_000;

/**
 * Ms to wait before try `attempt` (from 0 on): twice as long each time. `chance` (0 to 1) spreads
 * the pages of many operators over half of it, so that a restarted controller does not meet all
 * of them at once.
 */
export function backOffMs(attempt: number, chance: number): number {
  const wholeMs = Math.min(longestMs, firstMs * 2 ** Math.min(attempt, 10));
  return Math.round(wholeMs * (0.5 + chance / 2));
}

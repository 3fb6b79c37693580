// The rules by which the page uses the stream: which requests it sends, which answers still count,
// and how long it waits before it connects again.

import type { StreamMessage, StreamRequest } from '../messages.ts';
import type { StreamState } from './stream-store.ts';

/** The last request to the controller on this connection. */
export interface StreamOrder {
  readonly filter: string;
  readonly isPaused: boolean;
  /** As `StreamState.mapService`. */
  readonly mapService: string | undefined;
}

/** The state of a connection before anything was sent. */
export const initialOrder: StreamOrder = {
  filter: '',
  isPaused: false,
  mapService: undefined,
};

/** The subscription of a state. A view that shows no transitions wants none. */
export function orderOf({ filter, isPaused, mapService }: StreamState): StreamOrder {
  return { filter: filter ?? '', isPaused: isPaused || filter === undefined, mapService };
}

/** The requests that lead from one order to the next; a filter is set before anything flows. */
export function requestsBetween(before: StreamOrder, after: StreamOrder): StreamRequest[] {
  const requests: StreamRequest[] = [];
  if (after.isPaused && !before.isPaused) requests.push({ type: 'pause' });
  if (after.filter !== before.filter) requests.push({ type: 'filter', filter: after.filter });
  if (!after.isPaused && before.isPaused) requests.push({ type: 'resume' });
  const { mapService } = after;
  if (mapService !== before.mapService) {
    const isWanted = mapService !== undefined;
    requests.push({ type: 'map', isWanted, serviceId: mapService ?? '' });
  }
  return requests;
}

/**
 * The filter that the controller answered last, after one more message. While it differs from the
 * one that was sent last, transitions arrive for a filter that no view wants any more.
 */
export function answeredAfter(answered: string, message: StreamMessage): string {
  switch (message.type) {
    case 'attached':
      return initialOrder.filter;
    case 'filtered':
      return message.filter;
    case 'refused':
      return message.filter ?? answered;
    default:
      return answered;
  }
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/**
 * Ms to wait before attempt `attempt` (from 0 on): twice as long each time. `chance` (0 to 1)
 * spreads the pages of many operators over half of it, so that a restarted controller does not meet
 * all of them at once.
 */
export function backOffMs(attempt: number, chance: number): number {
  const wholeMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(attempt, 10));
  return Math.round(wholeMs * (0.5 + chance / 2));
}

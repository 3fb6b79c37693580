// Translates the page's subscription into requests to the stream.

import type { StreamMessage, StreamRequest } from '../contract.ts';
import type { StreamState } from './stream-store.ts';

/** The last request to the controller on this connection. */
export interface StreamOrder {
  readonly filter: string;
  readonly isPaused: boolean;
}

/** The state of a connection before anything was sent. */
export const initialOrder: StreamOrder = { filter: '', isPaused: false };

/** The subscription of a state. A view that shows no transitions wants none. */
export function orderOf({ filter, isPaused }: StreamState): StreamOrder {
  return { filter: filter ?? '', isPaused: isPaused || filter === undefined };
}

/** The requests that lead from one order to the next; a filter is set before anything flows. */
export function requestsBetween(before: StreamOrder, after: StreamOrder): StreamRequest[] {
  const requests: StreamRequest[] = [];
  if (after.isPaused && !before.isPaused) requests.push({ type: 'pause' });
  if (after.filter !== before.filter) requests.push({ type: 'filter', filter: after.filter });
  if (!after.isPaused && before.isPaused) requests.push({ type: 'resume' });
  return requests;
}

/**
 * The filter that the controller answered last, after one more message: while it is another than
 * the one it was sent last, transitions that come are of a filter that nobody wants any more.
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

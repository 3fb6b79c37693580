// Reads where a delivered message stands.

import type { StreamSequence } from '../stream.ts';

/** Where a delivered message stands, as its reply subject tells; undefined for other messages. */
export function placeOf(reply: string | undefined):
  | {
      readonly sequence: StreamSequence;
      /** Number of the delivery by its consumer, from 1 on. */
      readonly delivery: number;
      /** When the server took the message, in ms since 1970. */
      readonly timeMs: number;
    }
  | undefined {
  const tokens = (reply ?? '').split('.');
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK') return undefined;
  // The newer form has a domain, a hash of the account and a random token in addition.
  const from = tokens.length === 9 ? 4 : 6;
  const [, sequence, delivery, timeNanos] = tokens.slice(from).map(Number);
  if (sequence === undefined || delivery === undefined || timeNanos === undefined) return undefined;
  if (![sequence, delivery, timeNanos].every((value) => value > 0)) return undefined;
  return { sequence, delivery, timeMs: Math.floor(timeNanos / 1_000_000) };
}

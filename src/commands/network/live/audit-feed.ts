// The audit feed as a command reads it: frames from one LSN on, and the gaps between them.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { CommandFailure } from '../command-failure.ts';
import type { Asking } from '../connection/asking.ts';
import type { Connection } from '../connection/connection.ts';
import { frameIn, type LogFrame } from './log-frame.ts';

/** Which part of the feed is read. */
export interface FeedOrder {
  readonly fromLsn: Lsn;
  /** Only frames that touch records of this kind. */
  readonly kind?: string | undefined;
  readonly signal: AbortSignal;
}

/** One event of the feed, which has told everything up to `lsn` with it. */
export type FeedPart =
  | { readonly is: 'frame'; readonly lsn: Lsn; readonly line: string; readonly frame: LogFrame }
  | { readonly is: 'gone'; readonly lsn: Lsn; readonly fromLsn: Lsn; readonly toLsn: Lsn }
  | { readonly is: 'nothing'; readonly lsn: Lsn };

/** The parts of the feed, live after the last frame. @throws CommandFailure */
export async function* auditFeed(
  connection: Connection,
  { fromLsn, kind, signal }: FeedOrder,
): AsyncGenerator<FeedPart> {
  const query = new URLSearchParams({ fromLsn: String(fromLsn) });
  if (kind !== undefined) query.set('kind', kind);
  const client = await connection.client();
  for await (const { id, event, data } of client.events(`/audit?${query}`, signal)) {
    // The feed begins with an event of its own, so that one knows that it is open.
    const lsn = id === '' ? fromLsn - 1 : Number(id);
    if (data === '') yield { is: 'nothing', lsn };
    else if (event === 'gone') yield { is: 'gone', lsn, ...goneIn(data) };
    else yield { is: 'frame', lsn, line: data, frame: frameIn(data) };
  }
}

function goneIn(data: string): { readonly fromLsn: Lsn; readonly toLsn: Lsn } {
  return JSON.parse(data) as { readonly fromLsn: Lsn; readonly toLsn: Lsn };
}

/** The last durable frame. @throws CommandFailure for callers who may not read the log */
export async function lastLsn(asking: Asking): Promise<Lsn> {
  const answer = await asking.ask('GET', '/inspect/figures');
  const { durableLsn } = (answer as { readonly data: { readonly durableLsn: Lsn } }).data;
  // The figures are those of up to a second ago; a frame comes with the last one of now.
  return (await frameTimes(asking, durableLsn))?.lastLsn ?? durableLsn;
}

/**
 * The first kept frame that is not older than a moment, found by halves; the next one to be written
 * when all are. A clock that was set back meanwhile makes it a little wrong.
 * @param sinceMs wall-clock ms @throws CommandFailure
 */
export async function lsnSince(asking: Asking, sinceMs: number, lastLsn: Lsn): Promise<Lsn> {
  let low = 1;
  let high = lastLsn + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const frame = await frameTimes(asking, middle);
    // A frame that is gone is older than all that are kept.
    if (frame !== undefined && frame.timeMs >= sinceMs) high = middle;
    else low = Math.max(middle + 1, frame?.oldestLsn ?? 0);
  }
  return low;
}

interface FrameTimes {
  readonly timeMs: number;
  readonly oldestLsn: Lsn;
  readonly lastLsn: Lsn;
}

/** Undefined for a frame that is not kept. */
async function frameTimes(asking: Asking, lsn: Lsn): Promise<FrameTimes | undefined> {
  // The controller need not look for what followed from the frame.
  const query = `afterLsn=${Number.MAX_SAFE_INTEGER}`;
  try {
    const answer = await asking.ask('GET', `/inspect/log/${lsn}?${query}`);
    return (answer as { readonly data: FrameTimes }).data;
  } catch (error) {
    if (error instanceof CommandFailure && error.details.status === 404) return undefined;
    throw error;
  }
}

// Whether servers sync each message before they acknowledge it, where they let us see it.

import type { Fetch } from '../../ports.ts';

/** What a server says about its syncing. */
export type SyncAnswer =
  /** It syncs each message. */
  | 'always'
  /** It acknowledges what is only in the memory of the operating system. */
  | 'later'
  /** It does not let us see it. */
  | 'unseen';

const answerBounds = { timeoutMs: 3000, bodyBytesMax: 1024 * 1024, redirectsMax: 0 };

/**
 * Asks a server by its monitoring port. NATS tells it there and to its system account, and to no
 * other account.
 * @param url of the monitoring port, as `http://127.0.0.1:8222`
 */
export async function syncOfServer(fetch: Fetch, url: string): Promise<SyncAnswer> {
  try {
    const { status, body } = await fetch(`${url}/jsz?config=true`, answerBounds);
    return status === 200 ? syncOf(JSON.parse(body.toString())) : 'unseen';
  } catch {
    return 'unseen';
  }
}

/** Reads what a server says about its JetStream. */
function syncOf(answer: unknown): SyncAnswer {
  const config = fieldOf(answer, 'config');
  if (typeof config !== 'object' || config === null) return 'unseen';
  return fieldOf(config, 'sync_always') === true ? 'always' : 'later';
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

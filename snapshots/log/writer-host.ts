// The interface between the journal and the log writer: a thread of its own, or the caller's.

import type { WriterProgress } from './frame-ring.ts';

/** Runs a log writer. Frames are written in the order in which they were laid. */
export interface WriterHost {
  /** Copies a payload in; false when there is no room. Writes nothing yet. */
  lay(kind: number, payload: Uint8Array): boolean;
  /** Starts the writing of everything laid so far. */
  wake(): void;
  /** Resolves when everything laid so far is synced, at any level. Rejects with JournalFailed. */
  sync(): Promise<void>;
  /** Writes what was laid, unless it is stalled, and ends the writer. */
  stop(): Promise<void>;
}

/** Messages from a writer to the journal; never sent from within `lay`. */
export interface WriterEvents {
  progress(progress: WriterProgress): void;
  /** Writing fails and is retried. */
  stalled(reason: string): void;
  /** Writing works again. */
  resumed(): void;
  /** Nothing can be promised any more. */
  failed(reason: string): void;
}

/** Pause before a failed write is retried, in ms. */
export const retryMs = 250;

/** How often level `second` syncs, in ms. */
export const syncEveryMs = 1000;

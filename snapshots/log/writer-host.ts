// Where the frames of a journal become durable, as the journal sees it.

import type { LogWriterOptions, WriterEvents } from './log-writer.ts';

/**
 * Makes the writer of a recovered home. `start` is where the home's own log ends. Bytes and LSNs in
 * `progress` are those of frames that were appended; bytes count from the making on.
 */
export type OpenWriter = (start: LogWriterOptions, events: WriterEvents) => WriterHost;

/** Takes frames and makes them durable in order. It tells by `WriterEvents`. */
export interface WriterHost {
  /** Copies a payload in; false when there is no room. Writes nothing yet. */
  append(kind: number, payload: Uint8Array): boolean;
  /** Starts the writing of everything appended so far. */
  wake(): void;
  /**
   * Resolves when everything appended so far is synced, at any level. Rejects with JournalFailed.
   */
  sync(): Promise<void>;
  /** Writes what was appended, unless it is stalled, and ends. */
  stop(): Promise<void>;
}

/** The writer of a log whose frames may come from elsewhere. */
export interface StampedHost extends WriterHost {
  /**
   * Copies in frames that are stamped already, whole and one after the other; false when there is
   * no room for all of them. Writes nothing yet.
   */
  appendStamped(frames: Uint8Array): boolean;
}

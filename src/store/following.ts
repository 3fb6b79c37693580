// Applies the frames of a leader to the store of a node that follows, group by group.

import { paddedToWords } from '../../snapshots/binary.ts';
import type { FollowingJournal, Lsn } from '../../snapshots/journal.ts';
import { unpackFrame, unpackSeal, unpackTerm } from '../../snapshots/log/codec.ts';
import {
  type FrameHeader,
  frameHeaderBytes,
  frameKinds,
  frameSeed,
  readFrame,
} from '../../snapshots/log/frame.ts';
import { FrameDoesNotFit } from './applied-frame.ts';
import { AppliedRequests } from './applied-requests.ts';
import { NewerRecord } from './record.ts';
import type { Store } from './store.ts';

/** The parts that a leader's frames change. */
export interface FollowingOptions {
  readonly store: Store;
  readonly journal: FollowingJournal;
  /** Of the home: frames of another one are refused. */
  readonly dataSetId: string;
  /**
   * Told of each leadership when its first frame is applied, with the frame's time, or that of an
   * earlier frame of its group if that is later.
   */
  readonly termBegan: (term: number, timeMs: number) => void;
}

/**
 * The follower's side of a log (behaviour/cluster#applying). After an error, memory may hold a
 * part of a frame, and the process has to end.
 */
export class Following {
  readonly #store: Store;
  readonly #journal: FollowingJournal;
  readonly #seed: number;
  readonly #termBegan: FollowingOptions['termBegan'];
  #applied: () => void = () => {};
  #term = 0;
  /** The requests whose frames were applied lately. */
  readonly requests = new AppliedRequests();

  /** The store is recovered by then. */
  constructor({ store, journal, dataSetId, termBegan }: FollowingOptions) {
    this.#store = store;
    this.#journal = journal;
    this.#seed = frameSeed(dataSetId);
    this.#termBegan = termBegan;
    store.beginApplying(journal.lastLsn);
  }

  /** Calls `applied` after each group of frames. There is one such function. */
  onApplied(applied: () => void): void {
    this.#applied = applied;
  }

  /** The term whose first frame was applied last; 0 before the first one. */
  get term(): number {
    return this.#term;
  }

  /** The last frame that was applied. */
  get lastLsn(): Lsn {
    return this.#journal.lastLsn;
  }

  /**
   * Applies whole, stamped frames, the last of which has LSN `lastLsn`. They count as durable.
   * @throws FrameDoesNotFit for bytes that are no frames, a gap, or a change of a record that is
   *   not as the leader had it; NewerRecord for what only a later version understands
   */
  apply(frames: Buffer, lastLsn: Lsn): void {
    let timeMs = 0;
    for (let offset = 0; offset < frames.length; ) {
      const header = readFrame(frames, offset, this.#seed);
      if (header === undefined) {
        throw new FrameDoesNotFit(this.#nextLsn, 'its bytes are no frame of this home');
      }
      const end = offset + header.length;
      const payload = frames.subarray(offset + frameHeaderBytes, end);
      timeMs = Math.max(timeMs, this.#applyOne(header, payload, timeMs));
      offset += paddedToWords(header.length);
    }
    const lsn = this.#nextLsn - 1;
    if (lsn !== lastLsn) throw new FrameDoesNotFit(lsn, `the group should end with ${lastLsn}`);
    this.#journal.followed({ lsn, timeMs, bytes: frames.length });
    this.#applied();
  }

  get #nextLsn(): Lsn {
    return (this.#store.appliedLsn ?? 0) + 1;
  }

  /** Returns the time of the frame; those before it in its group are of `latestMs` at most. */
  #applyOne({ lsn, kind }: FrameHeader, payload: Buffer, latestMs: number): number {
    switch (kind) {
      case frameKinds.transaction: {
        const frame = unpackFrame(lsn, payload);
        this.#store.apply(frame);
        this.requests.add(frame.requestId);
        return frame.timeMs;
      }
      case frameKinds.seal:
        this.#store.applyNothing(lsn);
        return unpackSeal(payload);
      case frameKinds.term: {
        this.#store.applyNothing(lsn);
        const { term, timeMs } = unpackTerm(payload);
        this.#term = term;
        this.#termBegan(term, Math.max(timeMs, latestMs));
        return timeMs;
      }
      default:
        throw new NewerRecord(`frames of the unknown kind ${kind}`);
    }
  }
}

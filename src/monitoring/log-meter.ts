// Measures how frames become durable: how long they wait, and how many share one sync.

import type { Journal, Lsn } from '../../snapshots/journal.ts';
import { countBounds, Histogram, latencyBounds } from '../observe/histogram.ts';
import type { Clock } from '../platform/ports.ts';

/** A frame that follows a timed one sooner than this is not timed itself. */
const betweenMarksMs = 0.5;

/** Frames whose way to the disk is timed; a stalled log takes none. @bound per controller */
const marksMax = 8192;

/** Watches a journal. The store reports each appended frame. */
export class LogMeter {
  /** Seconds from the append of a frame until it is durable, for one frame per 0.5 ms. */
  readonly commitSeconds = new Histogram(latencyBounds);
  /**
   * Frames that one sync made durable. If several groups are reported together, each counts with
   * their mean, so that sum and count are exact.
   */
  readonly groupFrames = new Histogram(countBounds);
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #marks: { readonly lsn: Lsn; readonly atMs: number }[] = [];
  #lastMarkMs = Number.NEGATIVE_INFINITY;
  #frames: number;
  #groups: number;

  constructor(journal: Journal, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
    const { framesWritten, groupsWritten } = journal.figures;
    this.#frames = framesWritten;
    this.#groups = groupsWritten;
    journal.onDurable((lsn) => this.#durable(lsn));
  }

  /** A frame was appended. */
  appended(lsn: Lsn): void {
    const atMs = this.#clock.monotonic();
    if (atMs - this.#lastMarkMs < betweenMarksMs && this.#marks.length > 0) return;
    if (this.#marks.length >= marksMax) return;
    this.#lastMarkMs = atMs;
    this.#marks.push({ lsn, atMs });
  }

  /** How long the oldest frame that is not durable has waited, in ms; 0 if there is none. */
  get lagMs(): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : this.#clock.monotonic() - oldest.atMs;
  }

  #durable(lsn: Lsn): void {
    const { framesWritten, groupsWritten } = this.#journal.figures;
    const groups = groupsWritten - this.#groups;
    const frames = framesWritten - this.#frames;
    if (groups > 0 && frames > 0) this.groupFrames.observe(frames / groups, groups);
    this.#groups = groupsWritten;
    this.#frames = framesWritten;
    const now = this.#clock.monotonic();
    let served = 0;
    for (const mark of this.#marks) {
      if (mark.lsn > lsn) break;
      this.commitSeconds.observe((now - mark.atMs) / 1000);
      served++;
    }
    this.#marks.splice(0, served);
  }
}

// The API sessions that a node has served while it follows: their uses are in no frame, so it
// reports them to the leader, which ends sessions that are not used (behaviour/cluster#reads).

import type { Clock, Timer } from '../../platform/ports.ts';

/** The use of an API session. */
export interface SessionUse {
  readonly id: string;
  /** Wall-clock ms. */
  readonly atMs: number;
}

/** The options of the reports. */
export interface SessionUsesOptions {
  readonly clock: Clock;
  /**
   * Sends uses to the leader. `acknowledged` is called once with those that the leader has noted,
   * and never if they are lost. False if nobody can be told.
   */
  readonly report: (
    uses: readonly SessionUse[],
    acknowledged: (noted: readonly SessionUse[]) => void,
  ) => boolean;
  /** Told of what the leader has noted. */
  readonly acknowledged: (uses: readonly SessionUse[]) => void;
}

/** How often the uses of a session are reported, in ms. @bound per session */
export const reportEveryMs = 5000;

/** The bounds that a leader keeps. */
export const useBounds = {
  /** How long a session may be in use at a node before the leader has noted it. @bound */
  unheardMs: 10_000,
};

/** Uses in one report, which delay the leader by a millisecond. @bound */
const usesPerReportMax = 2000;

/** Collects the uses of API sessions, and reports each session at most once per `reportEveryMs`. */
export class SessionUses {
  readonly #options: SessionUsesOptions;
  /** By session, when it was used last since the last report. */
  readonly #uses = new Map<string, number>();
  #next: Timer | undefined;

  constructor(options: SessionUsesOptions) {
    this.#options = options;
  }

  /** Notes that a session was used now. */
  note(id: string): void {
    const { clock } = this.#options;
    this.#uses.set(id, clock.now());
    this.#next ??= clock.after(reportEveryMs, () => {
      this.#next = undefined;
      this.#report();
    });
  }

  /** Reports what was used so far, one report after the other. */
  #report(): void {
    const uses = [...this.#uses].map(([id, atMs]) => ({ id, atMs }));
    this.#uses.clear();
    const next = (from: number) => {
      if (from >= uses.length) return;
      const to = from + usesPerReportMax;
      // A use that is not acknowledged does not count, so the leader answers that session soon.
      this.#options.report(uses.slice(from, to), (noted) => {
        this.#options.acknowledged(noted);
        next(to);
      });
    };
    next(0);
  }
}

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
   * Sends uses to the leader. `answered` is called once, in a later turn: with the ids of sessions
   * that the leader does not have any more, or with undefined if it has noted nothing. False if
   * nobody can be told.
   */
  readonly report: (
    uses: readonly SessionUse[],
    answered: (unknown: readonly string[] | undefined) => void,
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
    this.#uses.set(id, this.#options.clock.now());
    this.#reportLater();
  }

  #reportLater(): void {
    this.#next ??= this.#options.clock.after(reportEveryMs, () => {
      this.#next = undefined;
      const uses = [...this.#uses].map(([id, atMs]) => ({ id, atMs }));
      this.#uses.clear();
      this.#report(uses);
    });
  }

  /** Reports one part after the other. */
  #report(uses: readonly SessionUse[]): void {
    if (uses.length === 0) return;
    const part = uses.slice(0, usesPerReportMax);
    const isSent = this.#options.report(part, (unknown) => {
      if (unknown === undefined) {
        this.#keep(uses);
        return;
      }
      const gone = new Set(unknown);
      this.#options.acknowledged(part.filter(({ id }) => !gone.has(id)));
      this.#report(uses.slice(part.length));
    });
    if (!isSent) this.#keep(uses);
  }

  /** Reports these uses again later, unless a session was used again since. */
  #keep(uses: readonly SessionUse[]): void {
    for (const { id, atMs } of uses) if (!this.#uses.has(id)) this.#uses.set(id, atMs);
    this.#reportLater();
  }
}

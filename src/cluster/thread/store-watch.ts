// Reads every few seconds what NATS keeps, and how much room is left.

import type { Lsn } from '../../../snapshots/journal.ts';
import type { Clock } from '../../platform/ports.ts';
import type { NodeRole } from '../membership.ts';
import type { NewestShared, StoreState } from '../shared-snapshots.ts';
import { StreamUnreachable } from '../stream.ts';

/** How often the leader reads it, which refuses to create records when there is too little room. */
const leaderEveryMs = 1000;

/** How often the others do. */
const everyMs = 2000;

/** What a watch works with. */
export interface StoreWatchOptions {
  /** Rejects with StreamUnreachable; undefined where there is nothing to ask. */
  readonly read: (() => Promise<StoreState>) | undefined;
  readonly role: () => NodeRole;
  /** The last LSN that the node has. */
  readonly lastLsn: () => Lsn;
  /** Ms since 1970 by the clock of the servers. */
  readonly serverNowMs: () => number;
  readonly clock: Clock;
}

/** Watches the store from `start` on, for as long as its thread runs. */
export class StoreWatch {
  readonly #options: StoreWatchOptions;
  #state: StoreState | undefined;

  constructor(options: StoreWatchOptions) {
    this.#options = options;
  }

  /** As it was read last. It stays while NATS does not answer. */
  get state(): StoreState | undefined {
    return this.#state;
  }

  start(): void {
    const { clock, read, role } = this.#options;
    if (read === undefined) return;
    void this.#read(read).then(() => {
      clock.after(role() === 'leading' ? leaderEveryMs : everyMs, () => this.start());
    });
  }

  /** Each snapshot has a moment of its own, so a newer one is compared with the log again. */
  #withMoment(shared: NewestShared | undefined): NewestShared | undefined {
    if (shared === undefined) return undefined;
    const before = this.#state?.shared;
    if (before?.lsn === shared.lsn && before.outgrownAtMs !== undefined) return before;
    const { lastLsn, serverNowMs } = this.#options;
    return { ...shared, outgrownAtMs: lastLsn() > shared.lsn ? serverNowMs() : undefined };
  }

  async #read(read: () => Promise<StoreState>): Promise<void> {
    try {
      const state = await read();
      this.#state = { ...state, shared: this.#withMoment(state.shared) };
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
    }
  }
}

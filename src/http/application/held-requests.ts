// Requests that wait before they are decided: for the check of a token, for what they prepare, or
// until revoked access is removed.

import type { Environment } from '../../declare/operations/environment.ts';
import type { AnyOperation } from '../../declare/operations/operation.ts';
import { ApiError } from '../../errors/errors.ts';

/** What waiting requests need of the controller. */
type HeldRequestsOptions = Pick<Environment, 'clock' | 'limits' | 'store'>;

/** Bounds how many requests wait, the bytes of their bodies, and how long each one waits. */
export class HeldRequests {
  readonly #options: HeldRequestsOptions;
  /** Bytes of the bodies of requests that wait for tokens or for pending deferred cascades. */
  #waitingBytes = 0;

  constructor(options: HeldRequestsOptions) {
    this.#options = options;
  }

  /** Whether there is room for the body of one more request that waits. */
  mayHold(bodyBytes: number): boolean {
    return this.#waitingBytes + bodyBytes <= this.#options.limits.bodiesBytesMax;
  }

  /** Counts a body of so many bytes until `settling` has settled. */
  async hold(bodyBytes: number, settling: Promise<void>): Promise<void> {
    this.#waitingBytes += bodyBytes;
    try {
      await settling;
    } finally {
      this.#waitingBytes -= bodyBytes;
    }
  }

  /**
   * A grant must not restore access that was revoked in the meantime, so it waits until all of that
   * access is removed. The work runs in slices, so that no other request waits for it.
   */
  mustWait({ grants }: AnyOperation): boolean {
    return grants === true && this.#options.store.deferredCascades.holdsGrants;
  }

  /**
   * Waits until no deferred cascade is left, or `wait` is cancelled. Waiting bodies are bounded
   * like bodies that still arrive. @throws ApiError SERVER_TOO_MANY_REQUESTS for one too many.
   */
  async waitInLine(bodyBytes: number, wait: CancellableWait): Promise<void> {
    const { limits, store } = this.#options;
    const { deferredCascades } = store;
    if (deferredCascades.waiting >= limits.writesWaitingMax || !this.mayHold(bodyBytes)) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS');
    }
    await this.hold(
      bodyBytes,
      wait.for((done) => deferredCascades.onceGrantsMayGo(done)),
    );
  }

  /** Calls `late` and cancels the wait unless `work`, which never rejects, ends within `ms`. */
  within(ms: number, late: () => void, work: (wait: CancellableWait) => Promise<void>): void {
    const wait = new CancellableWait();
    const timer = this.#options.clock.after(ms, () => {
      late();
      wait.cancel();
    });
    void work(wait).finally(() => timer.cancel());
  }
}

/** A wait for one event that can be cancelled. */
export class CancellableWait {
  #giveUp: (() => void) | undefined;

  /** Waits until `done` is called. `begin` returns a function that cancels the wait. */
  for(begin: (done: () => void) => () => void): Promise<void> {
    return new Promise((resolve) => {
      const cancel = begin(resolve);
      this.#giveUp = () => {
        cancel();
        resolve();
      };
    });
  }

  /** Ends the wait. */
  cancel(): void {
    this.#giveUp?.();
  }
}

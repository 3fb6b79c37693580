// Lets requests wait while the keys of external JWT signers are fetched: for a short time, and only
// so many of them (behaviour/external-jwt#keys).

import type { Clock } from '../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import type { JwtSigner, SignerKeys } from './jwks-endpoints.ts';

/** The options of the waits. */
export interface KeyWaitsOptions {
  readonly keys: Pick<SignerKeys, 'load'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly limits: Pick<Limits, 'authenticationsWaitingMax'>;
  readonly bounds?: BoundValues | undefined;
}

/** The requests that wait for keys at present. */
export class KeyWaits {
  readonly #options: KeyWaitsOptions;
  readonly #bounds: typeof waitBounds;
  readonly #byShare = new Map<string, number>();
  #waiting = 0;

  constructor(options: KeyWaitsOptions) {
    this.#options = options;
    this.#bounds = boundsOf(waitBounds, options.bounds);
  }

  /** How many requests wait; for tests. */
  get waiting(): number {
    return this.#waiting;
  }

  /**
   * Fetches the keys of `signers`, in one fetch with all others that wait for them. The promise
   * never rejects, and is fulfilled when the fetches have ended or the time is over. Undefined if
   * too many wait already, in all or of the same `share`: the id of an identity, or a block of
   * addresses.
   */
  wait(share: string, signers: readonly JwtSigner[]): Promise<void> | undefined {
    const { limits, keys } = this.#options;
    const waiting = this.#byShare.get(share) ?? 0;
    if (this.#waiting >= limits.authenticationsWaitingMax) return undefined;
    if (waiting >= this.#bounds.keyWaitsOfCallerMax) return undefined;
    this.#byShare.set(share, waiting + 1);
    this.#waiting += 1;
    const fetched = Promise.all(signers.map((signer) => keys.load(signer)));
    return this.#inTime(fetched).finally(() => this.#leave(share));
  }

  #inTime(fetched: Promise<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(this.#bounds.keyWaitMs, resolve);
      void fetched.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  #leave(share: string): void {
    this.#waiting -= 1;
    const others = (this.#byShare.get(share) ?? 1) - 1;
    if (others === 0) this.#byShare.delete(share);
    else this.#byShare.set(share, others);
  }
}

const waitBounds = {
  /**
   * Longer than a healthy provider takes, and short enough for interactive use. @bound per request
   */
  keyWaitMs: 2000,
  /**
   * Requests of one identity, or logins from one block of addresses, that wait for keys at a time.
   * Further ones are answered at once. @bound per identity
   */
  keyWaitsOfCallerMax: 25,
};

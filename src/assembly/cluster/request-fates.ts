// Decides whether a request may be sent again whose leader went away before it answered
// (behaviour/cluster#leader-changes).

import type { Environment } from '../../declare/operations/environment.ts';
import type { Routes } from '../../http/application/routes.ts';
import type { LostRequest, RequestFate } from '../../http/front/tls-messages.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type { Following } from '../../store/following.ts';

/** The options of the fates. */
export interface RequestFatesOptions<Env extends Environment> {
  readonly following: Pick<Following, 'term' | 'requests'>;
  readonly routes: Routes<Env>;
  readonly clock: Clock;
  /** How long the frames of a next leader are waited for, in ms. */
  readonly waitMs: number;
}

/** A write that waits for the next leader's first frame. */
interface Waiting {
  readonly lost: LostRequest;
  readonly then: (fate: RequestFate) => void;
  readonly late: Timer;
  /** How many requests may have been noted before its own may be forgotten. */
  readonly forgetsAt: number;
}

/** RFC 9110 §9.2.1. A path that no operation has is no reason to repeat another method. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Once this node has applied the first frame of a later term, no frame of an earlier one can come:
 * a write whose id is in no frame was not done. Must be told by `applied`.
 */
export class RequestFates<Env extends Environment> {
  readonly #options: RequestFatesOptions<Env>;
  readonly #waiting = new Set<Waiting>();

  constructor(options: RequestFatesOptions<Env>) {
    this.#options = options;
  }

  /** Calls `then` once: `again` if the request may be sent to the next leader. */
  decide(lost: LostRequest, then: (fate: RequestFate) => void): void {
    const { routes, following, clock, waitMs } = this.#options;
    const match = routes.matchTidied(lost.method, lost.path);
    const operation = match.found === 'operation' ? match.operation : undefined;
    const isRead = safeMethods.has(lost.method) || operation !== undefined;
    if (operation?.actsOutside === true) then('unknown');
    else if (isRead && operation?.writes !== true) then('again');
    else if (this.#isPast(lost)) then(this.#fateOf(lost));
    else {
      const late = clock.after(waitMs, () => this.#settle(waiting, 'unknown'));
      const waiting = { lost, then, late, forgetsAt: following.requests.forgetsAt };
      this.#waiting.add(waiting);
    }
  }

  /** Must be called after frames were applied. */
  applied(): void {
    for (const waiting of [...this.#waiting]) {
      if (!this.#isPast(waiting.lost)) continue;
      const isForgotten = this.#options.following.requests.added >= waiting.forgetsAt;
      this.#settle(waiting, isForgotten ? 'unknown' : this.#fateOf(waiting.lost));
    }
  }

  #isPast({ term }: LostRequest): boolean {
    return this.#options.following.term > term;
  }

  #fateOf({ requestId }: LostRequest): RequestFate {
    return this.#options.following.requests.has(requestId) ? 'unknown' : 'again';
  }

  #settle(waiting: Waiting, fate: RequestFate): void {
    if (!this.#waiting.delete(waiting)) return;
    waiting.late.cancel();
    waiting.then(fate);
  }
}

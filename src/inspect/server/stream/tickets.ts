// Tickets, with which a browser opens its stream, because a WebSocket cannot send headers of its
// own.

import { createHash } from 'node:crypto';
import type { BearerToken, Caller } from '../../../declare/operations/operation.ts';
import { ApiError } from '../../../errors/errors.ts';
import type { Clock, Random } from '../../../platform/ports.ts';
import { boundsOf } from '../../../settings/bounds.ts';

/** The caller that requested a ticket. */
export interface TicketHolder {
  readonly caller: Caller;
  /**
   * External JWTs of the request; whether the session needs a further factor may depend on them.
   */
  readonly bearerTokens: readonly BearerToken[];
}

/** The ports that tickets need. */
export interface TicketsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly bounds?: Partial<typeof ticketBounds> | undefined;
}

/**
 * The unused tickets, in memory only. They are found by their hash, so that the time of a look-up
 * discloses nothing about other tickets.
 */
export class Tickets {
  readonly #options: TicketsOptions;
  readonly #bounds: typeof ticketBounds;
  /** The oldest first, as all are valid for the same time. */
  readonly #waiting = new Map<string, { readonly holder: TicketHolder; readonly endsAt: number }>();

  constructor(options: TicketsOptions) {
    this.#options = options;
    this.#bounds = boundsOf(ticketBounds, options.bounds);
  }

  /** The number of unused tickets. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Creates a ticket of 256 random bits. @throws ApiError RATE_LIMITED when too many are unused.
   */
  issue(holder: TicketHolder): string {
    const { clock, random } = this.#options;
    const now = clock.monotonic();
    for (const [hash, { endsAt }] of this.#waiting) {
      if (endsAt > now) break;
      this.#waiting.delete(hash);
    }
    if (this.#waiting.size >= this.#bounds.inspectorTicketsMax) throw new ApiError('RATE_LIMITED');
    const ticket = random.bytes(32).toString('base64url');
    this.#waiting.set(hashOf(ticket), { holder, endsAt: now + this.#bounds.inspectorTicketMs });
    return ticket;
  }

  /** Uses a ticket and returns its caller. Undefined if it is unknown, used or too old. */
  take(ticket: string): TicketHolder | undefined {
    const hash = hashOf(ticket);
    const found = this.#waiting.get(hash);
    this.#waiting.delete(hash);
    if (found === undefined || found.endsAt <= this.#options.clock.monotonic()) return undefined;
    return found.holder;
  }
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64');
}

/** How many tickets wait, and how long. */
export const ticketBounds = {
  /** Tickets that nobody has used yet, 300 bytes each. @bound per controller */
  inspectorTicketsMax: 1000,
  /** How long a ticket opens a stream: it stands in a URL, which proxies may write down. @bound */
  inspectorTicketMs: 30_000,
};

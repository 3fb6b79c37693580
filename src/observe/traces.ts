// Which identities' traffic is traced, and until when: in memory, as a trace is for the minutes in
// which somebody looks (behaviour/identities#tracing).

import { boundsOf } from '../bounds.ts';

/** One running trace. */
export interface Trace {
  readonly traceId: string;
  /** What is traced; `all` among them stands for everything. */
  readonly channels: readonly string[];
  /** Wall-clock ms. */
  readonly untilMs: number;
}

/**
 * The running traces by identity. Nothing carries traffic yet; whatever will reports what `of`
 * answers. They do not outlive the process.
 */
export class Traces {
  readonly #bounds: typeof traceBounds;
  readonly #byIdentity = new Map<string, Trace>();

  constructor(bounds?: Partial<typeof traceBounds>) {
    this.#bounds = boundsOf(traceBounds, bounds);
  }

  /** Starts a trace, or changes the running one; false when no more may run. */
  start(identityId: string, trace: Trace, nowMs: number): boolean {
    if (!this.#byIdentity.has(identityId) && this.#byIdentity.size >= this.#bounds.tracesMax) {
      for (const [id, { untilMs }] of this.#byIdentity) {
        if (untilMs <= nowMs) this.#byIdentity.delete(id);
      }
      if (this.#byIdentity.size >= this.#bounds.tracesMax) return false;
    }
    this.#byIdentity.set(identityId, trace);
    return true;
  }

  /** Ends the trace of an identity, if one runs: it was switched off, or the identity is gone. */
  end(identityId: string): void {
    this.#byIdentity.delete(identityId);
  }

  /** The trace of an identity that runs at `nowMs`. */
  of(identityId: string, nowMs: number): Trace | undefined {
    const trace = this.#byIdentity.get(identityId);
    return trace !== undefined && trace.untilMs > nowMs ? trace : undefined;
  }

  /** How many are held, those that have ended and not been swept yet included. */
  get size(): number {
    return this.#byIdentity.size;
  }
}

const traceBounds = {
  /** Identities that are traced at a time. Traces run for minutes. @bound per controller */
  tracesMax: 1000,
};

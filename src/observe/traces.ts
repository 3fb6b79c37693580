// Which identities' traffic is traced, and until when. Traces last for minutes, so they are kept in
// memory (behaviour/identities#tracing).

import { boundsOf } from '../settings/bounds.ts';

/** One running trace. */
export interface Trace {
  readonly traceId: string;
  /** The traced channels; `all` stands for every one. */
  readonly channels: readonly string[];
  /** Wall-clock ms. */
  readonly untilMs: number;
}

/**
 * The running traces by identity. No traffic flows through the controller yet; later, `of` will
 * tell whether to trace it. Traces do not survive a restart.
 */
export class Traces {
  readonly #bounds: typeof traceBounds;
  readonly #byIdentity = new Map<string, Trace>();

  constructor(bounds?: Partial<typeof traceBounds>) {
    this.#bounds = boundsOf(traceBounds, bounds);
  }

  /** Starts a trace or changes the running one. Returns false if no more may run. */
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

  /**
   * Ends the trace of an identity, if one runs, because it was switched off or the identity was
   * deleted.
   */
  end(identityId: string): void {
    this.#byIdentity.delete(identityId);
  }

  /** The trace of an identity that runs at `nowMs`. */
  of(identityId: string, nowMs: number): Trace | undefined {
    const trace = this.#byIdentity.get(identityId);
    return trace !== undefined && trace.untilMs > nowMs ? trace : undefined;
  }

  /** The number of traces, including those that have ended but are not removed yet. */
  get size(): number {
    return this.#byIdentity.size;
  }
}

const traceBounds = {
  /** Identities that are traced at a time. Traces run for minutes. @bound per controller */
  tracesMax: 1000,
};

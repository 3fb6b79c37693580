// The leadership of this node: its writer, its lease, its heartbeats, and its end.

import type { Clock } from '../../platform/ports.ts';
import { type ConfirmedGroup, GroupWriter, type GroupWriterOptions } from '../log/group-writer.ts';
import type { Group, StreamSequence, Term } from '../stream.ts';
import { heartbeatMs, type Lease, leaseMs } from './lease.ts';

/** How long a step-down may take; the process ends in any case. */
const resignMs = 5000;

/** What a leadership is made of. */
export interface LeadershipOptions extends Omit<GroupWriterOptions, 'events'> {
  readonly lease: Lease;
  readonly events: LeadershipEvents;
}

/** What a leadership tells the node; never from within a call of it. */
export interface LeadershipEvents {
  /** A group is in the stream, and so are all before it; with the last read that it confirms. */
  confirmed(group: Group, sequence: StreamSequence, readsRequested: number): void;
  /** The term stands; answers may leave while the lease lasts. */
  begun(term: Term): void;
  /** Another was faster: the term never was in the stream. */
  notElected(reason: string): void;
  /** It is over, and the process has to end. */
  ended(reason: string): void;
  /** The lease has run out, or lasts again. */
  contact(trouble: string | undefined): void;
  /** The stream contradicts itself. */
  failed(reason: string): void;
}

/** The last confirmed message of a leadership. */
interface Confirmed extends ConfirmedGroup {
  /** When that was told, in monotonic ms. */
  readonly atMs: number;
}

/** A step-down under way. */
interface Resigning {
  /** Monotonic ms. */
  readonly untilMs: number;
  isSent: boolean;
  /** Called when the leadership has ended. */
  readonly told: (() => void)[];
}

/** One leadership, from the frame of its term on (behaviour/cluster#lease). */
export class Leadership {
  readonly writer: GroupWriter;
  readonly #clock: Clock;
  readonly #lease: Lease;
  readonly #events: LeadershipEvents;
  #last: Confirmed | undefined;
  #hasBegun = false;
  #resigning: Resigning | undefined;

  /** Publishes the frame of its term. */
  constructor(options: LeadershipOptions) {
    const { clock, events, lease, leadership } = options;
    this.#clock = clock;
    this.#lease = lease;
    this.#events = events;
    this.writer = new GroupWriter({
      ...options,
      events: {
        confirmed: (confirmed) => this.#confirm(confirmed),
        begun: () => this.#begin(leadership.term),
        fenced: (reason) => this.#fenced(reason),
        // A lease that runs out says the same, and it also says what answers may leave.
        unreachable: () => {},
        resumed: () => {},
        failed: (reason) => events.failed(reason),
      },
    });
    this.writer.begin();
  }

  /** Its last confirmed message. */
  get last(): Confirmed | undefined {
    return this.#last;
  }

  /** Whether it takes frames. */
  get isOpen(): boolean {
    return this.#hasBegun && this.#resigning?.isSent !== true;
  }

  /** Sends heartbeats, and sees whether the lease has run out; called every 100 ms or so. */
  tick(): void {
    if (this.#last === undefined || !this.#hasBegun) return;
    if (this.#resigning !== undefined) {
      this.#tickAsResigning(this.#resigning);
      return;
    }
    const { writer } = this;
    const silentMs = this.#clock.monotonic() - this.#last.firstSent.monotonicMs;
    if (silentMs >= leaseMs) {
      this.#events.contact(writer.trouble ?? 'no message was acknowledged in time');
    }
    if (silentMs < heartbeatMs || writer.inFlight > 0) return;
    if (this.#lease.isMainThreadAlive) writer.heartbeat();
  }

  /**
   * Confirms what was published, then lets another node lead at once. Resolves when that is done,
   * or after `resignMs`.
   */
  resign(): Promise<void> {
    const untilMs = this.#clock.monotonic() + resignMs;
    this.#resigning ??= { untilMs, isSent: false, told: [] };
    const { told } = this.#resigning;
    return new Promise((resolve) => void told.push(resolve));
  }

  /** Publishes nothing more. */
  stop(): void {
    this.writer.stop();
    for (const tell of this.#resigning?.told ?? []) tell();
  }

  #tickAsResigning(resigning: Resigning): void {
    if (this.#clock.monotonic() >= resigning.untilMs) {
      this.#events.ended('it has resigned, and that is not confirmed');
    } else if (!resigning.isSent && this.writer.inFlight === 0) {
      // Whoever reads the resignation may answer at once.
      this.#lease.end();
      resigning.isSent = true;
      this.writer.resign();
    }
  }

  #confirm(confirmed: ConfirmedGroup): void {
    const { group, sequence, firstSent } = confirmed;
    this.#last = { ...confirmed, atMs: this.#clock.monotonic() };
    if (this.#hasBegun) {
      this.#lease.renew(firstSent);
      this.#events.contact(undefined);
    }
    this.#events.confirmed(group, sequence, firstSent.readsRequested);
    if (group.kind === 'resign') this.#events.ended('it has resigned');
  }

  #begin(term: Term): void {
    this.#hasBegun = true;
    if (this.#last !== undefined) this.#lease.renew(this.#last.firstSent);
    this.#events.begun(term);
  }

  #fenced(reason: string): void {
    // A term that was confirmed is known to the others; one that was not has never been.
    if (this.#last === undefined) this.#events.notElected(reason);
    else this.#events.ended(reason);
  }
}

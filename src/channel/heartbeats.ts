// One wheel with slots of a second for all channels: heartbeats, and the end of silent channels
// (behaviour/control-channel#frames-and-channels).

import type { Clock, Timer } from '../platform/ports.ts';

/** A channel as the wheel sees it. */
export interface HeartbeatMember {
  /** Called when it is due; returns the ticks until it is due again, 0 to leave the wheel. */
  beat(): number;
}

/**
 * Calls its members when they are due. Times are counted in ticks of about a second instead of read
 * from a clock: after a long pause of the process, what routers have sent in the meantime is read
 * before their channels could be found silent.
 */
export class Heartbeats {
  /** Ticks since the wheel was made. */
  tick = 0;
  readonly #clock: Clock;
  readonly #ticked: () => void;
  readonly #slots: HeartbeatMember[][] = Array.from({ length: slots }, () => []);
  #size = 0;
  #timer: Timer | undefined;

  /** `ticked` is called at each tick, before the members. */
  constructor(clock: Clock, ticked: () => void = () => undefined) {
    this.#clock = clock;
    this.#ticked = ticked;
  }

  /** Adds a member, which is due at the next tick. */
  add(member: HeartbeatMember): void {
    this.#size += 1;
    this.#slotIn(1).push(member);
    this.#timer ??= this.#clock.after(tickMs, () => this.#turn());
  }

  #turn(): void {
    this.tick += 1;
    // Nothing is timed while there are no members.
    this.#timer = undefined;
    this.#ticked();
    const due = this.#slotIn(0);
    this.#slots[this.tick % slots] = [];
    this.#beat(due, 0);
    this.#timer ??= this.#size === 0 ? undefined : this.#clock.after(tickMs, () => this.#turn());
  }

  /** Lets the members of a slot beat, some in each turn of the event loop. */
  #beat(members: readonly HeartbeatMember[], from: number): void {
    const until = Math.min(from + beatsPerTurnMax, members.length);
    for (const member of members.slice(from, until)) {
      const ticks = member.beat();
      if (ticks > 0) this.#slotIn(Math.min(ticks, slots - 1)).push(member);
      else this.#size -= 1;
    }
    if (until < members.length) this.#clock.soon(() => this.#beat(members, until));
  }

  #slotIn(ticks: number): HeartbeatMember[] {
    return this.#slots[(this.tick + ticks) % slots] ?? [];
  }
}

const tickMs = 1000;
/** More than any time between two beats of a channel. */
const slots = 16;

/** Channels that beat in one turn of the event loop, about a millisecond. @bound per controller */
const beatsPerTurnMax = 256;

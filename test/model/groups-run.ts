// One random life of a stream, its leaders and candidates, and what must hold throughout.

import assert from 'node:assert/strict';
import { unpackValue } from '../../snapshots/log/codec.ts';
import { frameBytesAt, frameHeaderBytes } from '../../snapshots/log/frame.ts';
import type { Group, LogPoint, StreamSequence } from '../../src/cluster/contract.ts';
import { GroupChain } from '../../src/cluster/group-chain.ts';
import { leadership, trust } from '../cluster/groups.ts';
import { Leader } from '../cluster/leader.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { noFaults, SimulatedStream, type StreamFaults } from '../simulated/stream.ts';

/** A stream that lacks something for so long has lost it. */
const shortStreamMs = 15_000;

/** How often something has happened in all runs: what never happens is not tested. */
export interface Seen {
  begun: number;
  fenced: number;
  resumed: number;
  /** Messages of leaders that were fenced, which were taken all the same. */
  passedOver: number;
  failed: number;
  confirmed: number;
}

/** A leader, and what the run knows of it. */
interface Actor {
  readonly leader: Leader;
  /** What it was given to write, in order. */
  readonly written: string[];
  hasBegun: boolean;
  /** It has resigned, or its process has ended. */
  hasLeft: boolean;
  /** How many of its confirmations were checked. */
  checked: number;
  /** How many there were when it ended. */
  atEnd: number | undefined;
}

const stepsCount = 100;

/** Time for all requests, late messages and pauses to end, in ms. */
const healingMs = 30_000;

/** The life of one seed. */
export class GroupsRun {
  readonly #stream: SimulatedStream;
  readonly #seen: Seen;
  readonly #random: () => number;
  readonly #faults: StreamFaults;
  readonly #actors: Actor[] = [];
  readonly #chain = new GroupChain(trust, { lsn: 0, crc: 0 });
  /** The groups of the log by number; those that were passed over are not among them. */
  readonly #log = new Map<StreamSequence, Group>();
  #values: string[] = [];
  #count = 0;

  constructor(seed: number, seen: Seen) {
    this.#stream = new SimulatedStream({ clock: new SimulatedClock(), seed });
    this.#seen = seen;
    this.#random = this.#stream.random;
    this.#faults = this.#randomFaults();
    this.#stream.faults = this.#faults;
  }

  /** @throws AssertionError */
  async live(): Promise<void> {
    for (let step = 0; step < stepsCount; step++) {
      await this.#step();
      this.#check();
    }
    await this.#heal();
    const final = await this.#finalLeader();
    if (this.#chance(0.3)) await this.#loseNewest(final);
    for (const { leader } of this.#actors) {
      for (const told of leader.told) {
        const [what = ''] = told.split(':');
        if (what === 'begun' || what === 'fenced' || what === 'resumed') this.#seen[what] += 1;
        if (what === 'failed') this.#seen.failed += 1;
      }
    }
  }

  async #step(): Promise<void> {
    const actor = this.#anyActor();
    const { writer, connection } = actor.leader;
    const isLeading = actor.leader.isLeading && !actor.hasLeft;
    const drawn = this.#random();
    if (drawn < 0.35) {
      if (isLeading) this.#write(actor, 1 + this.#below(this.#chance(0.2) ? 60 : 3));
    } else if (drawn < 0.4) writer.heartbeat();
    else if (drawn < 0.45) this.#stand();
    else if (drawn < 0.5) this.#begin(actor);
    else if (drawn < 0.54) connection.cut();
    else if (drawn < 0.6) connection.restore();
    else if (drawn < 0.62) connection.freeze();
    else if (drawn < 0.66) connection.thaw();
    else if (drawn < 0.67) this.#stream.isSilent = true;
    else if (drawn < 0.7) this.#stream.isSilent = false;
    else if (drawn < 0.71) this.#stream.isFull = true;
    else if (drawn < 0.74) this.#stream.isFull = false;
    else if (drawn < 0.75) this.#stream.purge(1 + this.#below(this.#stream.last));
    else if (drawn < 0.77) this.#leave(actor, isLeading);
    else await this.#elapse(this.#chance(0.1) ? 6000 * this.#random() : 8 * this.#random());
  }

  /** Time goes by in small pieces, so that what is confirmed is looked for in the stream then. */
  async #elapse(ms: number): Promise<void> {
    const pieces = Math.min(10, Math.ceil(ms / 20));
    for (let left = pieces; left > 0; left--) {
      await this.#stream.clock.elapse(ms / pieces);
      this.#check();
    }
  }

  /** A node that has read everything wants to lead, though perhaps somebody leads. */
  #stand(): Actor {
    this.#read();
    const term = (this.#chain.leadership?.term ?? 0) + 1;
    const digit = (this.#actors.length % 16).toString(16);
    const end = { last: this.#chain.last, sequence: this.#stream.last };
    const leader = new Leader(this.#stream, leadership(term, digit), end);
    const actor: Actor = {
      leader,
      written: [],
      hasBegun: false,
      hasLeft: false,
      checked: 0,
      atEnd: undefined,
    };
    this.#actors.push(actor);
    if (this.#chance(0.8)) this.#begin(actor);
    return actor;
  }

  #begin(actor: Actor): void {
    if (actor.hasBegun || actor.hasLeft) return;
    actor.hasBegun = true;
    actor.leader.writer.begin();
  }

  #leave(actor: Actor, isLeading: boolean): void {
    actor.hasLeft = true;
    if (isLeading && this.#chance(0.5)) actor.leader.writer.resign();
    else actor.leader.writer.stop();
  }

  #write(actor: Actor, count: number): void {
    const values = Array.from({ length: count }, () => `v${this.#count++}`);
    actor.written.push(...values);
    actor.leader.write(...values);
  }

  /** All faults end. */
  async #heal(): Promise<void> {
    this.#stream.faults = noFaults;
    this.#stream.isSilent = this.#stream.isFull = false;
    for (const { leader } of this.#actors) {
      leader.connection.thaw();
      leader.connection.restore();
    }
    await this.#elapse(healingMs);
  }

  /** Whoever leads then writes; if nobody does, another node stands. All others are fenced. */
  async #finalLeader(): Promise<Actor> {
    let final = this.#actors.find(
      ({ leader, hasLeft }) => leader.isLeading && !hasLeft && this.#isNewest(leader),
    );
    if (final === undefined || final.leader.writer.inFlight > 0) {
      final = this.#stand();
      this.#begin(final);
      await this.#elapse(1000);
    }
    assert.ok(final.leader.isLeading, `a candidate begins: ${final.leader.told}`);
    for (const { leader } of this.#actors) leader.writer.heartbeat();
    this.#write(final, 50);
    await this.#elapse(healingMs);
    assert.equal(final.leader.writer.inFlight, 0);
    assert.deepEqual(this.#valuesBy(final), final.written, 'all that it wrote is in the log');
    const isConfirmed = final.leader.confirmed.at(-1)?.group.last.lsn === this.#chain.last.lsn;
    assert.ok(isConfirmed, 'and confirmed');
    return final;
  }

  #isNewest({ leadership }: Leader): boolean {
    this.#read();
    const newest = this.#chain.leadership;
    return newest?.term === leadership.term && newest.nonce === leadership.nonce;
  }

  /** A server comes back without its newest messages, or the stream is deleted and made anew. */
  async #loseNewest({ leader }: Actor): Promise<void> {
    for (const other of this.#actors) if (other.leader !== leader) other.leader.writer.stop();
    const confirmed = leader.confirmed.length;
    if (this.#chance(0.3)) this.#stream.recreate();
    else this.#stream.rollBack(1 + this.#below(5));
    leader.writer.heartbeat();
    await this.#stream.clock.elapse(healingMs + shortStreamMs);
    assert.match(leader.told.at(-1) ?? '', /^failed/, 'a leader notices what the stream has lost');
    assert.equal(leader.confirmed.length, confirmed, 'and confirms nothing more');
  }

  /** Reads what is new in the stream, as a follower does. */
  #read(): void {
    const { last } = this.#stream;
    for (let next = (this.#chain.sequence ?? 0) + 1; next <= last; next++) {
      const message = this.#stream.at(next);
      assert.ok(message, `message ${next} is there`);
      const found = this.#chain.next(message);
      if (found === undefined) {
        this.#seen.passedOver += 1;
      } else {
        this.#log.set(next, found.group);
        this.#values.push(...valuesOf(found.frames));
      }
    }
  }

  #check(): void {
    this.#read();
    for (const actor of this.#actors) {
      this.#checkConfirmed(actor);
      const { leader } = actor;
      if (leader.hasEnded) actor.atEnd ??= leader.confirmed.length;
      assert.equal(leader.confirmed.length, actor.atEnd ?? leader.confirmed.length);
      const failed = leader.told.find((told) => told.startsWith('failed'));
      assert.equal(failed, undefined, 'nobody fails as long as nothing is lost');
    }
  }

  /** What was confirmed follows what was confirmed before, and stands in the stream. */
  #checkConfirmed(actor: Actor): void {
    const { confirmed } = actor.leader;
    let before: LogPoint | undefined = confirmed[actor.checked - 1]?.group.last;
    for (const { group, sequence } of confirmed.slice(actor.checked)) {
      if (before !== undefined) assert.deepEqual(group.after, before);
      before = group.last;
      const taken = this.#log.get(sequence);
      assert.ok(taken, `message ${sequence}, which was confirmed, is a part of the log`);
      assert.deepEqual(taken, group);
      this.#seen.confirmed += 1;
    }
    if (confirmed.length === actor.checked) return;
    actor.checked = confirmed.length;
    const inLog = this.#valuesBy(actor);
    assert.deepEqual(inLog, actor.written.slice(0, inLog.length), 'in order, and once');
  }

  #valuesBy({ written }: Actor): string[] {
    const own = new Set(written);
    return this.#values.filter((value) => own.has(value));
  }

  #anyActor(): Actor {
    // The newest ones have the most to do.
    const recent = this.#actors.slice(-3);
    return recent[this.#below(recent.length)] ?? this.#stand();
  }

  #randomFaults(): StreamFaults {
    const often = () => (this.#chance(0.5) ? 0.08 * this.#random() : 0);
    return {
      publish: {
        refused: often(),
        lost: often(),
        unheard: often(),
        slow: often(),
        late: often(),
        twice: often(),
      },
      unanswered: often(),
      stale: often(),
    };
  }

  #chance(often: number): boolean {
    return this.#random() < often;
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }
}

function valuesOf(frames: Buffer): string[] {
  const values: string[] = [];
  for (let at = 0; at < frames.length; at += frameBytesAt(frames, at)) {
    const end = at + frames.readUInt32LE(at);
    const value = unpackValue(frames.subarray(at + frameHeaderBytes, end));
    // The frame of a term has an array.
    if (typeof value === 'string') values.push(value);
  }
  return values;
}

// One random life of a stream, its leaders and candidates, and what must hold throughout.

import assert from 'node:assert/strict';
import { unpackValue } from '../../snapshots/log/codec.ts';
import { frameBytesAt, frameHeaderBytes } from '../../snapshots/log/frame.ts';
import { GroupChain } from '../../src/cluster/log/group-chain.ts';
import { GroupInvalid, readGroup } from '../../src/cluster/log/group-message.ts';
import type { Group, LogPoint, StreamMessage, StreamSequence } from '../../src/cluster/stream.ts';
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
  /** Streams that have skipped a number. */
  gaps: number;
  /** Writers to which a number was acknowledged that they had not expected. */
  gapsTold: number;
  /** Streams of the next generation that began while writers of the former one were running. */
  generations: number;
}

/** The stream of one generation, and what was read of it. */
interface Log {
  readonly stream: SimulatedStream;
  readonly chain: GroupChain;
  /** Its groups by number; those that were passed over are not among them. */
  readonly groups: Map<StreamSequence, Group>;
  readonly values: string[];
  /** The number that its stream has skipped; nothing behind it can be read. */
  skippedAt: StreamSequence | undefined;
}

/** A leader, and what the run knows of it. */
interface Actor {
  readonly leader: Leader;
  /** That of its generation. */
  readonly log: Log;
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
  /** That of the newest generation. */
  #stream: SimulatedStream;
  readonly #seen: Seen;
  readonly #random: () => number;
  readonly #actors: Actor[] = [];
  /** That of the newest generation, and those of the others. */
  #log: Log;
  readonly #previousLogs: Log[] = [];
  #count = 0;

  constructor(seed: number, seen: Seen) {
    this.#stream = new SimulatedStream({ clock: new SimulatedClock(), seed });
    this.#seen = seen;
    this.#random = this.#stream.random;
    this.#stream.faults = this.#randomFaults();
    this.#log = logAfter({ lsn: 0, crc: 0 }, this.#stream);
  }

  /** @throws AssertionError */
  async live(): Promise<void> {
    for (let step = 0; step < stepsCount; step++) {
      await this.#step();
      this.#check();
    }
    await this.#heal();
    if (this.#stream.skippedAt !== undefined) {
      await this.#standStill();
      this.#reseed();
    }
    const final = await this.#finalLeader();
    if (this.#chance(0.3)) await this.#loseNewest(final);
    for (const { leader } of this.#actors) {
      for (const told of leader.told) {
        const [what = ''] = told.split(':');
        if (what === 'begun' || what === 'fenced' || what === 'resumed') this.#seen[what] += 1;
        if (what === 'failed') this.#seen.failed += 1;
      }
      if (leader.connection.hasToldGap) this.#seen.gapsTold += 1;
    }
  }

  async #step(): Promise<void> {
    const actor = this.#anyActor();
    const { writer, connection } = actor.leader;
    if (this.#chance(0.001)) this.#reseed();
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
    const { chain } = this.#log;
    const term = (chain.leadership?.term ?? 0) + 1;
    const digit = (this.#actors.length % 16).toString(16);
    const end = { last: chain.last, sequence: chain.sequence ?? 0 };
    const leader = new Leader(this.#stream, leadership(term, digit), end);
    const actor: Actor = {
      leader,
      log: this.#log,
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
    for (const { stream } of [this.#log, ...this.#previousLogs]) {
      stream.faults = noFaults;
      stream.isSilent = stream.isFull = false;
    }
    for (const { leader } of this.#actors) {
      leader.connection.thaw();
      leader.connection.restore();
    }
    await this.#elapse(healingMs);
  }

  /** Whoever leads then writes; if nobody does, another node stands. All others are fenced. */
  async #finalLeader(): Promise<Actor> {
    let final = this.#actors.find(
      ({ leader, log, hasLeft }) =>
        leader.isLeading && !hasLeft && log === this.#log && this.#isNewest(leader),
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
    const { last } = final.log.chain;
    const isConfirmed = final.leader.confirmed.at(-1)?.group.last.lsn === last.lsn;
    assert.ok(isConfirmed, 'and confirmed');
    return final;
  }

  #isNewest({ leadership }: Leader): boolean {
    this.#read();
    const newest = this.#log.chain.leadership;
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

  /** Nobody goes on behind a number that the stream has skipped, before there is a new stream. */
  async #standStill(): Promise<void> {
    const actors = this.#actors.filter(({ log }) => log === this.#log);
    const confirmed = () => actors.map(({ leader }) => leader.confirmed.length);
    const before = confirmed();
    const candidate = this.#stand();
    this.#begin(candidate);
    for (const { leader } of actors) leader.writer.heartbeat();
    await this.#elapse(healingMs);
    assert.deepEqual(confirmed(), before, 'nothing is confirmed behind a gap');
    assert.equal(candidate.leader.confirmed.length, 0, 'and nobody is elected');
  }

  /**
   * An operator begins the next generation with what one node has, which may lack the newest
   * groups. Writers of the former generation go on, in their own stream if that is kept.
   */
  #reseed(): void {
    this.#check();
    const { chain, groups, stream: former } = this.#log;
    const { clock, faults } = former;
    const lesser = [...groups.values()].at(-1 - this.#below(3))?.last ?? chain.last;
    const seed = 1 + this.#below(1e9);
    const generation = former.generation + 1;
    this.#stream = new SimulatedStream({ clock, seed, generation, faults });
    this.#previousLogs.push(this.#log);
    this.#log = logAfter(this.#chance(0.5) ? lesser : chain.last, this.#stream);
    this.#seen.generations += 1;
    const message = former.messages.at(-1);
    if (message !== undefined) this.#refuses(message);
    if (this.#chance(0.5)) former.delete();
  }

  /** A node that reads the stream refuses such a message, and reads no further. */
  #refuses(message: StreamMessage, { generation } = this.#stream): void {
    assert.throws(() => readGroup(message, { ...trust, generation }), GroupInvalid);
  }

  /** Reads what is new in the stream, as a follower does. */
  #read(log = this.#log): void {
    const { chain, groups, stream, values } = log;
    const { last, skippedAt } = stream;
    for (let next = (chain.sequence ?? 0) + 1; next <= last; next++) {
      if (next === skippedAt) {
        if (log.skippedAt === undefined) this.#seen.gaps += 1;
        log.skippedAt = skippedAt;
        const behind = stream.at(next + 1);
        if (behind !== undefined) this.#refuses(behind, stream);
        return;
      }
      const message = stream.at(next);
      assert.ok(message, `message ${next} is there`);
      const found = chain.next(message);
      if (found === undefined) {
        this.#seen.passedOver += 1;
      } else {
        groups.set(next, found.group);
        values.push(...valuesOf(found.frames));
      }
    }
  }

  #check(): void {
    for (const log of [this.#log, ...this.#previousLogs]) this.#read(log);
    for (const actor of this.#actors) {
      this.#checkConfirmed(actor);
      const { leader } = actor;
      if (leader.hasEnded) actor.atEnd ??= leader.confirmed.length;
      assert.equal(leader.confirmed.length, actor.atEnd ?? leader.confirmed.length);
      this.#checkFailed(actor);
    }
  }

  /** A writer fails if it has heard of a gap, or sees what stands behind one, and never else. */
  #checkFailed({ leader, log, hasLeft }: Actor): void {
    const failed = leader.told.find((told) => told.startsWith('failed'));
    if (leader.connection.hasToldGap && !hasLeft) assert.ok(leader.hasEnded, 'a gap ends it');
    if (failed === undefined) return;
    const [, number = 0] = /^failed: message (\d+) /.exec(failed) ?? [];
    const { skippedAt } = log;
    const isRight = skippedAt !== undefined && Number(number) >= skippedAt;
    assert.ok(isRight, `nothing is lost, and a writer says: ${failed}`);
  }

  /** What was confirmed follows what was confirmed before, and stands in the stream. */
  #checkConfirmed(actor: Actor): void {
    const { confirmed } = actor.leader;
    let before: LogPoint | undefined = confirmed[actor.checked - 1]?.group.last;
    for (const { group, sequence } of confirmed.slice(actor.checked)) {
      if (before !== undefined) assert.deepEqual(group.after, before);
      before = group.last;
      const taken = actor.log.groups.get(sequence);
      assert.ok(taken, `message ${sequence}, which was confirmed, is a part of the log`);
      assert.deepEqual(taken, group);
      this.#seen.confirmed += 1;
    }
    if (confirmed.length === actor.checked) return;
    actor.checked = confirmed.length;
    const inLog = this.#valuesBy(actor);
    assert.deepEqual(inLog, actor.written.slice(0, inLog.length), 'in order, and once');
  }

  #valuesBy({ log, written }: Actor): string[] {
    const own = new Set(written);
    return log.values.filter((value) => own.has(value));
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
        gap: this.#chance(0.3) ? 0.05 : 0,
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

/** The log of a stream that begins behind `point`. */
function logAfter(point: LogPoint, stream: SimulatedStream): Log {
  const chain = new GroupChain({ ...trust, generation: stream.generation }, point);
  return { stream, chain, groups: new Map(), values: [], skippedAt: undefined };
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

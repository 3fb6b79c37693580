// A stream in simulated time that does what a real one may do: it refuses, loses answers, takes
// messages late or twice, falls silent, skips a number, loses its newest messages.

import type {
  FollowEvents,
  Generation,
  OutgoingMessage,
  PublishOutcome,
  Stream,
  StreamMessage,
  StreamSequence,
  StreamState,
} from '../../src/cluster/stream.ts';
import { StreamUnreachable } from '../../src/cluster/stream.ts';
import type { Clock, Timer } from '../../src/platform/ports.ts';
import type { SimulatedClock } from './clock.ts';
import { chance } from './disk.ts';

/** What can happen to one message that is published. */
export type PublishFault =
  /** Nothing: it is evaluated by its expectation. */
  | 'none'
  /** It is refused, although the expectation is right. */
  | 'refused'
  /** It never arrives. */
  | 'lost'
  /** It is taken, and the answer is lost. */
  | 'unheard'
  /** It is taken, and the answer comes just before the time limit. */
  | 'slow'
  /** It arrives some seconds after the sender has given up. */
  | 'late'
  /** It arrives twice, and the sender hears only the answer to the second copy. */
  | 'twice'
  /** It is taken after the server has skipped a number. */
  | 'gap';

/** How often what happens, each from 0 to 1. */
export interface StreamFaults {
  readonly publish: Readonly<Partial<Record<Exclude<PublishFault, 'none'>, number>>>;
  /** A read, or the question for the state, stays without an answer. */
  readonly unanswered: number;
  /** The answer to a read shows the stream as it was up to `staleMsMax` ago. */
  readonly stale: number;
}

/** A stream that does nothing wrong. */
export const noFaults: StreamFaults = { publish: {}, unanswered: 0, stale: 0 };

/** How a simulated stream begins. */
export interface SimulatedStreamOptions {
  readonly clock: SimulatedClock;
  /** Of all chances. */
  readonly seed?: number;
  readonly generation?: Generation;
  readonly faults?: StreamFaults;
}

/** How long a request waits for its answer, in ms. */
export const requestMs = 2000;

const latencyMsMax = 3;
const lateMsMax = 8000;
const staleMsMax = 3000;
const idleMs = 1000;

/**
 * The server side of a stream. Nodes use it by connections, and tests change it directly. Time is
 * that of `clock`, which is moved by `elapse`, so that promise callbacks run in between.
 */
export class SimulatedStream {
  readonly clock: SimulatedClock;
  readonly random: () => number;
  /** May be replaced at any time. */
  faults: StreamFaults;
  /** How far the server's wall clock is ahead of `clock`, in ms. */
  clockAheadMs = 0;
  /** Messages are not taken, for want of room. */
  isFull = false;
  /** No request is answered, as while servers elect their leader. */
  isSilent = false;
  generation: Generation;
  /** The first number that was skipped in this generation: no message has it. */
  skippedAt: StreamSequence | undefined;
  #exists = true;
  #first = 1;
  #last = 0;
  #messages = new Map<StreamSequence, TakenMessage>();
  readonly #connections: SimulatedConnection[] = [];

  constructor({ clock, seed = 1, generation = 1, faults = noFaults }: SimulatedStreamOptions) {
    this.clock = clock;
    this.random = chance(seed);
    this.generation = generation;
    this.faults = faults;
  }

  /** The contact of one more node, by whose clock it gives requests up. */
  connect(clock: Clock = this.clock): SimulatedConnection {
    const connection = new SimulatedConnection(this, clock);
    this.#connections.push(connection);
    return connection;
  }

  /** The server's wall clock. */
  get serverTimeMs(): number {
    return this.clock.now() + this.clockAheadMs;
  }

  /** The first message that it still has; `last` + 1 if there is none. */
  get first(): StreamSequence {
    return this.#first;
  }

  get last(): StreamSequence {
    return this.#last;
  }

  /** The messages that it has, in order. */
  get messages(): readonly StreamMessage[] {
    return [...this.#messages.values()];
  }

  /** The message with this number, as it was `agoMs` ago. */
  at(sequence: StreamSequence, agoMs = 0): StreamMessage | undefined {
    const message = this.#messages.get(sequence);
    return message !== undefined && message.takenAt <= this.clock.monotonic() - agoMs
      ? message
      : undefined;
  }

  /** The number of the last message, as it was `agoMs` ago. */
  lastBefore(agoMs: number): StreamSequence {
    let last = this.#last;
    while (last >= this.#first && this.at(last, agoMs) === undefined) last--;
    return last;
  }

  /** Whether a request of a node of `generation` gets an answer. */
  answers(generation: Generation): boolean {
    return this.#exists && !this.isSilent && this.generation === generation;
  }

  /** Evaluates a message like the server; undefined expects nothing. */
  take(message: OutgoingMessage, expectedLast?: StreamSequence): PublishOutcome {
    if (this.isFull) return { outcome: 'unknown', reason: 'the account is full' };
    if (expectedLast !== undefined && expectedLast !== this.#last) return { outcome: 'refused' };
    this.#last += 1;
    this.#messages.set(this.#last, {
      sequence: this.#last,
      serverTimeMs: this.serverTimeMs,
      headers: new Map(message.headers),
      body: Buffer.from(message.body),
      takenAt: this.clock.monotonic(),
    });
    for (const connection of this.#connections) connection.notice();
    return { outcome: 'acknowledged', sequence: this.#last };
  }

  /** Goes on with another number than the next. */
  skip(count = 1): void {
    this.skippedAt ??= this.#last + 1;
    this.#last += count;
  }

  /** Loses the newest messages, as a server that is set back to an older copy. */
  rollBack(count: number): void {
    for (let left = count; left > 0 && this.#last >= this.#first; left--) {
      this.#messages.delete(this.#last);
      this.#last -= 1;
    }
  }

  /** Removes all messages before `sequence`; the last one stays. */
  purge(sequence: StreamSequence): void {
    for (; this.#first < Math.min(sequence, this.#last); this.#first++) {
      this.#messages.delete(this.#first);
    }
  }

  /** Changes a message behind everybody's back. */
  corrupt(sequence: StreamSequence, change: (message: StreamMessage) => StreamMessage): void {
    const message = this.#messages.get(sequence);
    if (message === undefined) throw new Error(`there is no message ${sequence}`);
    this.#messages.set(sequence, { ...change(message), takenAt: message.takenAt });
  }

  /** The stream is deleted; its nodes get no answers. */
  delete(): void {
    this.#exists = false;
  }

  /** An empty stream of the same name, or of another generation. */
  recreate(generation: Generation = this.generation): void {
    this.#exists = true;
    this.generation = generation;
    this.skippedAt = undefined;
    this.#first = 1;
    this.#last = 0;
    this.#messages = new Map();
  }

  /** What happens to the next message, by chance. */
  drawFault(): PublishFault {
    let drawn = this.random();
    for (const fault of drawnFaults) {
      const often = this.faults.publish[fault] ?? 0;
      if (drawn < often) return fault;
      drawn -= often;
    }
    return 'none';
  }
}

const drawnFaults = ['refused', 'lost', 'unheard', 'slow', 'late', 'twice', 'gap'] as const;

interface TakenMessage extends StreamMessage {
  /** By the monotonic clock. */
  readonly takenAt: number;
}

/** A message on its way. */
interface SentMessage {
  readonly message: OutgoingMessage;
  readonly expectedLast: StreamSequence;
  readonly fault: PublishFault;
  /** Settles the promise of `publish`; only the first call counts. */
  readonly tell: (outcome: PublishOutcome) => void;
  arrival: Timer | undefined;
}

/** The contact of one node to a simulated stream. */
export class SimulatedConnection implements Stream {
  readonly generation: Generation;
  readonly #stream: SimulatedStream;
  readonly #clock: Clock;
  readonly #under = new Set<SentMessage>();
  readonly #followers = new Set<Follower>();
  /** It has handed out an acknowledgement with another number than the expected one. */
  hasToldGap = false;
  #planned: PublishFault[] = [];
  #isCut = false;
  #held: (() => void)[] | undefined;
  #arrivesAt = 0;

  constructor(stream: SimulatedStream, clock: Clock) {
    this.#stream = stream;
    this.#clock = clock;
    this.generation = stream.generation;
  }

  /** What happens to the next messages, one after the other; afterwards it is chance again. */
  plan(...faults: readonly PublishFault[]): void {
    this.#planned.push(...faults);
  }

  /** Messages that were published and whose outcome is open. */
  get underWay(): number {
    return this.#under.size;
  }

  /** Whether requests reach the stream and are answered. */
  get isUp(): boolean {
    return !this.#isCut && this.#stream.answers(this.generation);
  }

  /**
   * Contact is lost. The outcomes of all messages are unknown at once; those that have not arrived
   * yet are lost, or arrive in time, or come late.
   */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    for (const sent of this.#under) {
      this.#strand(sent);
      this.#hand(() => sent.tell({ outcome: 'unknown', reason: 'the connection is lost' }));
    }
    for (const follower of this.#followers) {
      this.#hand(() => follower.reportInterrupted('the connection is lost'));
    }
  }

  restore(): void {
    this.#isCut = false;
    this.notice();
  }

  /** The node's process is stopped: what it would be told waits until `thaw`. */
  freeze(): void {
    this.#held ??= [];
  }

  thaw(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const task of held) task();
  }

  publish(message: OutgoingMessage, expectedLast: StreamSequence): Promise<PublishOutcome> {
    return new Promise((resolve) => {
      const fault = this.#planned.shift() ?? this.#stream.drawFault();
      const limit = this.#clock.after(requestMs, () => {
        this.#hand(() => sent.tell({ outcome: 'unknown', reason: 'there was no answer in time' }));
      });
      const tell = (outcome: PublishOutcome) => {
        limit.cancel();
        this.#under.delete(sent);
        if (outcome.outcome === 'acknowledged' && outcome.sequence !== expectedLast + 1) {
          this.hasToldGap = true;
        }
        resolve(outcome);
      };
      const sent: SentMessage = { message, expectedLast, fault, tell, arrival: undefined };
      this.#under.add(sent);
      this.#send(sent);
    });
  }

  read(sequence: StreamSequence): Promise<StreamMessage | undefined> {
    return this.#ask((agoMs) => this.#stream.at(sequence, agoMs));
  }

  state(): Promise<StreamState> {
    const stream = this.#stream;
    return this.#ask((agoMs) => {
      const { first } = stream;
      const last = stream.lastBefore(agoMs);
      return { first, last, configuration: {}, serverTimeMs: stream.serverTimeMs };
    });
  }

  follow(from: StreamSequence, events: FollowEvents): { stop(): void } {
    const follower = new Follower(this.#stream, this, from, events, (task) => this.#hand(task));
    this.#followers.add(follower);
    follower.notice();
    return {
      stop: () => {
        this.#followers.delete(follower);
        follower.stop();
      },
    };
  }

  purge(sequence: StreamSequence): Promise<void> {
    return this.#ask(() => this.#stream.purge(sequence));
  }

  /** There may be something new. */
  notice(): void {
    for (const follower of this.#followers) follower.notice();
  }

  #send(sent: SentMessage): void {
    const { clock } = this.#stream;
    const { fault } = sent;
    if (this.#isCut) {
      const outcome: PublishOutcome = { outcome: 'unknown', reason: 'there is no connection' };
      clock.after(1, () => this.#hand(() => sent.tell(outcome)));
      return;
    }
    if (fault === 'lost') return;
    const lateMs = fault === 'late' ? requestMs + this.#upTo(lateMsMax) : 0;
    // Messages of one connection arrive in the order in which they were sent.
    this.#arrivesAt = Math.max(this.#arrivesAt, clock.monotonic() + this.#latencyMs());
    const delayMs = this.#arrivesAt + lateMs - clock.monotonic();
    sent.arrival = clock.after(delayMs, () => this.#arrive(sent));
  }

  #arrive(sent: SentMessage): void {
    const stream = this.#stream;
    const { message, expectedLast, fault, tell } = sent;
    sent.arrival = undefined;
    if (!stream.answers(this.generation)) return;
    const isSkipping = fault === 'gap' && stream.last === expectedLast && !stream.isFull;
    if (isSkipping) stream.skip();
    const last = isSkipping ? stream.last : expectedLast;
    let outcome = fault === 'refused' ? refused : stream.take(message, last);
    if (fault === 'twice') outcome = stream.take(message, expectedLast);
    if (fault === 'unheard') return;
    const delayMs = fault === 'slow' ? requestMs - 2 * latencyMsMax : this.#latencyMs();
    stream.clock.after(delayMs, () => {
      if (this.#under.has(sent) && !this.#isCut) this.#hand(() => tell(outcome));
    });
  }

  /** A message that was under way when contact was lost. */
  #strand(sent: SentMessage): void {
    if (sent.arrival === undefined) return;
    const drawn = this.#stream.random();
    if (drawn < 0.3) return;
    sent.arrival.cancel();
    sent.arrival = undefined;
    if (drawn < 0.6) return;
    this.#stream.clock.after(this.#upTo(lateMsMax), () => this.#arrive(sent));
  }

  #ask<T>(answer: (agoMs: number) => T): Promise<T> {
    const stream = this.#stream;
    const { clock, random, faults } = stream;
    return new Promise((resolve, reject) => {
      const fail = (delayMs: number) => {
        const error = new StreamUnreachable('there was no answer in time');
        this.#clock.after(delayMs, () => this.#hand(() => reject(error)));
      };
      if (this.#isCut) return fail(1);
      if (random() < faults.unanswered) return fail(requestMs);
      const agoMs = random() < faults.stale ? this.#upTo(staleMsMax) : 0;
      clock.after(this.#latencyMs(), () => {
        if (!this.isUp) return fail(requestMs);
        const value = answer(agoMs);
        clock.after(this.#latencyMs(), () => {
          if (this.#isCut) return fail(1);
          this.#hand(() => resolve(value));
        });
      });
    });
  }

  #hand(task: () => void): void {
    if (this.#held === undefined) task();
    else this.#held.push(task);
  }

  #latencyMs(): number {
    return 1 + this.#upTo(latencyMsMax - 1);
  }

  #upTo(ms: number): number {
    return this.#stream.random() * ms;
  }
}

const refused: PublishOutcome = { outcome: 'refused' };

/** Hands out messages in order, one per turn of simulated time. */
class Follower {
  readonly #stream: SimulatedStream;
  readonly #connection: SimulatedConnection;
  readonly #events: FollowEvents;
  readonly #hand: (task: () => void) => void;
  #next: StreamSequence;
  #timer: Timer | undefined;
  #isDue = false;
  #isStopped = false;

  constructor(
    stream: SimulatedStream,
    connection: SimulatedConnection,
    from: StreamSequence,
    events: FollowEvents,
    hand: (task: () => void) => void,
  ) {
    this.#stream = stream;
    this.#connection = connection;
    this.#events = events;
    this.#hand = hand;
    this.#next = from;
  }

  notice(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#arm(1 + this.#stream.random() * (latencyMsMax - 1));
  }

  reportInterrupted(reason: string): void {
    if (!this.#isStopped) this.#events.interrupted(reason);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #arm(delayMs: number): void {
    this.#timer?.cancel();
    this.#timer = this.#stream.clock.after(delayMs, () => this.#step());
  }

  #step(): void {
    if (this.#isStopped) return;
    this.#isDue = false;
    this.#arm(idleMs);
    if (!this.#connection.isUp) return;
    const { first, last } = this.#stream;
    if (this.#next < first) {
      this.stop();
      this.#hand(() => this.#events.missed(first));
      return;
    }
    if (this.#next > last) {
      this.#tell(() => this.#events.idle());
      return;
    }
    const message = this.#stream.at(this.#next);
    this.#next += 1;
    if (message !== undefined) this.#tell(() => this.#events.message(message));
    this.notice();
  }

  #tell(task: () => void): void {
    this.#hand(() => {
      if (!this.#isStopped) task();
    });
  }
}

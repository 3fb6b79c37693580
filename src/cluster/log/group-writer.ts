// The leader's side of the stream: cuts appended frames into groups, publishes these in order, and
// finds out what became of each (behaviour/cluster#writing, behaviour/cluster#terms).

import { reasonOf } from '../../../snapshots/errors.ts';
import { packTerm } from '../../../snapshots/log/codec.ts';
import { frameBytes, frameKinds, putFrame } from '../../../snapshots/log/frame.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type {
  Group,
  GroupKind,
  Leadership,
  LogPoint,
  PublishOutcome,
  Stream,
  StreamMessage,
  StreamSequence,
} from '../stream.ts';
import { GroupInvalid, type GroupTrust, groupsInFlightMax, readGroup } from './group-message.ts';
import { PendingFrames, stampAll } from './pending-frames.ts';
import { PendingGroup, type SendTime } from './pending-group.ts';

/** What a writer begins with. */
export interface GroupWriterOptions {
  /** Its connection does not reconnect by itself with messages in its buffers. */
  readonly stream: Stream;
  readonly clock: Clock;
  readonly trust: GroupTrust;
  /** A term greater than all in the stream, and the nonce of this process. */
  readonly leadership: Leadership;
  /** The last frame in the stream. */
  readonly after: LogPoint;
  /** The last message in the stream. */
  readonly sequence: StreamSequence;
  /** Bytes of frames in one message; at least those of the largest frame. */
  readonly payloadBytesMax: number;
  /** The number of the last read that waits for a confirmation. */
  readonly readsRequested?: (() => number) | undefined;
  readonly events: GroupWriterEvents;
}

/** A group that is in the stream, and so are all before it. */
export interface ConfirmedGroup {
  readonly group: Group;
  readonly sequence: StreamSequence;
  /** When its first copy left. Leases count from here. */
  readonly firstSent: SendTime;
}

/** What a writer tells; never from within a call of it. After `fenced` or `failed` it ends. */
export interface GroupWriterEvents {
  /**
   * In order, each group once. The frames belong to the receiver, except that other buffers may
   * share their ArrayBuffer.
   */
  confirmed(confirmed: ConfirmedGroup): void;
  /** The term stands, and no message of an earlier leader can be taken any more: it may write. */
  begun(): void;
  /** Another leads; before `begun`, it was not elected. What is unconfirmed is not in the log. */
  fenced(reason: string): void;
  /** Groups cannot be confirmed for now; it goes on trying. Told again if the reason changes. */
  unreachable(reason: string): void;
  /** Groups are confirmed again. */
  resumed(): void;
  /** The stream contradicts what it has acknowledged: an operator has to look. */
  failed(reason: string): void;
}

/**
 * Groups that may be unconfirmed at a time unless groups are full: while two are on their way, a
 * larger third one gathers. @bound
 */
const smallGroupsInFlightMax = 2;

/** Pause before the stream is asked again about a group that it did not take, in ms. */
const retryMs = 250;

/**
 * How long a stream may end too early before that counts, in ms. A server that has lost its
 * majority answers from an old state until it notices, which takes it 10 s.
 */
const shortStreamMs = 15_000;

/** Writes one leadership. */
export class GroupWriter {
  readonly #options: GroupWriterOptions;
  readonly #uncut: PendingFrames;
  #phase: 'new' | 'standing' | 'clearing' | 'leading' | 'resigning' | 'ended' = 'new';
  /** Published and not confirmed, in the order of their numbers. */
  #pending: PendingGroup[] = [];
  /** The last group that was published. */
  #last: LogPoint;
  #sequence: StreamSequence;
  /** No message of an earlier leader can get a number beyond this one. */
  #clearFrom: StreamSequence = 0;
  #heartbeatDue = false;
  /** The last read that a published message confirms. */
  #readsSent = 0;
  #isResolving = false;
  #trouble: string | undefined;
  #shortSinceMs: number | undefined;
  #pause: Timer | undefined;

  constructor(options: GroupWriterOptions) {
    this.#options = options;
    this.#uncut = new PendingFrames(options.payloadBytesMax);
    this.#last = options.after;
    this.#sequence = options.sequence;
  }

  /** Groups that were published and are not confirmed. */
  get inFlight(): number {
    return this.#pending.length;
  }

  /** Why nothing can be confirmed at the moment. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** Publishes the frame of the term; `begun` or `fenced` follows. */
  begin(): void {
    if (this.#phase !== 'new') throw new Error('a leadership begins once');
    this.#phase = 'standing';
    const { clock, leadership } = this.#options;
    const payload = packTerm({ timeMs: clock.now(), ...leadership });
    const frame = Buffer.allocUnsafe(frameBytes(payload.length));
    putFrame(frame, 0, frameKinds.term, payload);
    this.#publish('term', frame);
  }

  /**
   * Takes whole unstamped frames, one after the other, and copies them. They get their LSNs when
   * they are published, at once or when earlier groups are confirmed. The caller bounds how many
   * bytes wait.
   */
  stage(frames: readonly Buffer[]): void {
    if (this.#phase !== 'leading') throw new Error('only a leader takes frames');
    for (const region of frames) this.#uncut.add(region);
    this.#pump();
  }

  /** Sees to it that a group that is published from now on will be confirmed. */
  heartbeat(): void {
    this.#heartbeatDue = this.#phase === 'leading';
    this.#pump();
  }

  /** Sees to it that all reads that were asked for by now will be confirmed. */
  confirmReads(): void {
    if ((this.#options.readsRequested?.() ?? 0) > this.#readsSent) this.heartbeat();
  }

  /**
   * Confirms all that was staged, then publishes a group of kind `resign`, the last one. The
   * leadership is over once that is confirmed.
   */
  resign(): void {
    if (this.#phase !== 'leading') throw new Error('only a leader resigns');
    this.#phase = 'resigning';
    this.#pump();
  }

  /** Ends at once; nothing is told any more. What is under way may still get into the stream. */
  stop(): void {
    this.#phase = 'ended';
    this.#pause?.cancel();
  }

  /** Publishes what may be published now. */
  #pump(): void {
    if (this.#phase !== 'leading' && this.#phase !== 'resigning') return;
    if (this.#isResolving) return;
    while (this.#uncut.bytes > 0 && this.#pending.length < this.#inFlightMax) {
      this.#publish('frames', this.#uncut.cut());
    }
    if (this.#uncut.bytes > 0) return;
    if (this.#phase === 'resigning') {
      if (this.#pending.length === 0) this.#publish('resign', noFrames);
    } else if (this.#heartbeatDue && this.#pending.length < smallGroupsInFlightMax) {
      this.#publish('heartbeat', noFrames);
    }
  }

  get #inFlightMax(): number {
    return this.#uncut.isFull ? groupsInFlightMax : smallGroupsInFlightMax;
  }

  #publish(kind: GroupKind, frames: Buffer): void {
    const { trust, leadership } = this.#options;
    const after = this.#last;
    const last = stampAll(frames, after, trust.seed);
    const { term, nonce } = leadership;
    const { generation } = trust;
    const group: Group = { kind, generation, term, nonce, after, last, frames };
    const sequence = this.#sequence + 1;
    const firstSent = this.#now();
    this.#readsSent = firstSent.readsRequested;
    const pending = new PendingGroup(group, sequence, trust.key, firstSent);
    this.#pending.push(pending);
    this.#last = last;
    this.#sequence = sequence;
    this.#heartbeatDue = false;
    this.#send(pending);
  }

  #send(pending: PendingGroup): void {
    const attempt = pending.begin();
    const { message, sequence } = pending;
    void this.#options.stream.publish(message, sequence - 1).then((outcome) => {
      this.#hear(pending, attempt, outcome);
    });
  }

  #hear(pending: PendingGroup, attempt: number, outcome: PublishOutcome): void {
    if (this.#phase === 'ended') return;
    if (outcome.outcome === 'acknowledged' && outcome.sequence !== pending.sequence) {
      const { sequence } = pending;
      this.#fail(`message ${sequence} was acknowledged as message ${outcome.sequence}`);
      return;
    }
    pending.hear(attempt, outcome);
    this.#proceed();
  }

  /** Confirms what can be confirmed, and looks at what is open before it goes on. */
  #proceed(): void {
    if (this.#openHead() !== undefined) void this.#resolve();
    else this.#pump();
  }

  /**
   * The lowest unconfirmed group, if its outcome is open. Those behind it do not matter as long as
   * it is.
   */
  #openHead(): PendingGroup | undefined {
    for (let head = this.#pending[0]; head?.state === 'taken'; head = this.#pending[0]) {
      this.#pending.shift();
      this.#confirm(head);
    }
    const head = this.#phase === 'ended' ? undefined : this.#pending[0];
    return head?.state === 'open' ? head : undefined;
  }

  #confirm({ group, sequence, firstSent }: PendingGroup): void {
    if (this.#isEnded()) return;
    this.#shortSinceMs = undefined;
    const hadTrouble = this.#trouble !== undefined;
    this.#trouble = undefined;
    // The receiver may stop the writer, so its phase is right before it is told.
    if (group.kind === 'term') {
      this.#phase = 'clearing';
      this.#clearFrom = sequence + groupsInFlightMax - 1;
    }
    if (group.kind === 'resign') this.stop();
    const { events } = this.#options;
    events.confirmed({ group, sequence, firstSent });
    if (hadTrouble && !this.#isEnded()) events.resumed();
    if (this.#isClearing()) this.#clear(sequence);
  }

  /** Uses up the numbers that an earlier leader may still expect. */
  #clear(sequence: StreamSequence): void {
    if (sequence < this.#clearFrom) {
      this.#publish('heartbeat', noFrames);
    } else {
      this.#phase = 'leading';
      this.#options.events.begun();
    }
  }

  /** Finds out what became of the lowest unconfirmed group, until none is open. */
  async #resolve(): Promise<void> {
    if (this.#isResolving) return;
    this.#isResolving = true;
    for (let head = this.#openHead(); head !== undefined; head = this.#openHead()) {
      const trouble = await this.#look(head).catch(reasonOf);
      if (this.#isEnded()) return;
      // An answer to an earlier copy may have come meanwhile.
      if (trouble === undefined || head.state !== 'open') continue;
      this.#reportTrouble(trouble);
      await this.#wait();
      if (this.#isEnded()) return;
    }
    this.#isResolving = false;
    this.#pump();
  }

  /** Looks once; the reason if that did not help. */
  async #look(head: PendingGroup): Promise<string | undefined> {
    const { stream } = this.#options;
    const { sequence } = head;
    const message = await stream.read(sequence);
    if (this.#isEnded()) return undefined;
    if (message !== undefined) {
      this.#evaluate(head, message);
      return undefined;
    }
    const { first, last } = await stream.state();
    if (this.#isEnded()) return undefined;
    if (first > sequence) {
      this.#fence(`message ${sequence} was purged: another node has gone on behind it`);
      return undefined;
    }
    if (last >= sequence) return `message ${sequence} is missing from the stream`;
    const isShort =
      last < sequence - 1 || this.#pending.some((pending) => pending.state === 'taken');
    if (isShort) return this.#noteShort(sequence, last);
    this.#shortSinceMs = undefined;
    if (head.attempts > 1) {
      this.#reportTrouble(head.reason);
      await this.#wait();
      if (this.#isEnded()) return undefined;
    }
    this.#sendAgain();
    return undefined;
  }

  #evaluate(head: PendingGroup, message: StreamMessage): void {
    const { trust, leadership } = this.#options;
    try {
      const { term, nonce } = readGroup(message, trust);
      if (head.is(message)) head.take();
      else if (term === leadership.term && nonce === leadership.nonce) {
        this.#fail(`message ${head.sequence} was changed in the stream`);
      } else if (term >= leadership.term || this.#phase === 'standing') {
        this.#fence(`message ${head.sequence} is of the leader of term ${term}`);
      } else if (this.#phase === 'clearing') {
        this.#moveOn(head);
      } else {
        this.#fail(`message ${head.sequence} is of term ${term}, which had ended`);
      }
    } catch (error) {
      if (!(error instanceof GroupInvalid)) throw error;
      this.#fail(error.message);
    }
  }

  /** A message of an earlier leader has the number: all pass it over, this group gets the next. */
  #moveOn(head: PendingGroup): void {
    const { group, sequence, firstSent } = head;
    const moved = new PendingGroup(group, sequence + 1, this.#options.trust.key, firstSent);
    this.#sequence = sequence + 1;
    this.#pending = [moved];
    this.#send(moved);
  }

  /** The lowest unconfirmed group is not in the stream, so nothing behind it can be. */
  #sendAgain(): void {
    for (const pending of this.#pending) this.#send(pending);
  }

  #noteShort(sequence: StreamSequence, last: StreamSequence): string {
    const nowMs = this.#options.clock.monotonic();
    this.#shortSinceMs ??= nowMs;
    const reason = `the stream ends at message ${last}, and ${sequence - 1} was acknowledged`;
    if (nowMs - this.#shortSinceMs >= shortStreamMs) this.#fail(reason);
    return reason;
  }

  #reportTrouble(reason: string): void {
    if (this.#trouble === reason) return;
    this.#trouble = reason;
    this.#options.events.unreachable(reason);
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      this.#pause = this.#options.clock.after(retryMs, resolve);
    });
  }

  #fence(reason: string): void {
    this.stop();
    this.#options.events.fenced(reason);
  }

  #fail(reason: string): void {
    this.stop();
    this.#options.events.failed(reason);
  }

  // Methods, because the phase may change while something is awaited or told.
  #isEnded(): boolean {
    return this.#phase === 'ended';
  }

  #isClearing(): boolean {
    return this.#phase === 'clearing';
  }

  #now(): SendTime {
    const { clock, readsRequested } = this.#options;
    return {
      monotonicMs: clock.monotonic(),
      wallMs: clock.now(),
      readsRequested: readsRequested?.() ?? 0,
    };
  }
}

const noFrames = Buffer.alloc(0);

// The channel to one router, from its connection to its end: hello, frames in both directions,
// replies, heartbeats, back-pressure (behaviour/control-channel#frames-and-channels).

import type { Log } from '../observe/logs.ts';
import type { Clock, Random, Timer } from '../platform/ports.ts';
import {
  type Channel,
  type ControlConnection,
  type ControlConnectionListener,
  type Frame,
  MalformedMessage,
  type Message,
  type MessageSteps,
  type ReplyWaiter,
} from './channel-api.ts';
import { contentTypes } from './content-types.ts';
import { encodeFrame, FrameReader } from './frame.ts';
import { booleanValue, encodeHeaders, headerKeys, textValue } from './headers.ts';
import type { HeartbeatMember, Heartbeats } from './heartbeats.ts';
import {
  encodeAcceptance,
  encodeRefusal,
  type Hello,
  parseHello,
  type RejectionClass,
  type ResultIdentity,
  rejectionClasses,
} from './hello.ts';
import type { ReadingTurns, TurnReader } from './reading-turns.ts';

/** Gets what happens on a channel that was accepted. */
export interface ChannelOwner {
  /** The result is under way; what is sent now leaves with it. */
  opened(channel: Channel): void;
  /**
   * Handles a frame that replies to no waiting request; false when its content type is not known.
   * It may leave work for later, during which no further frame comes. A MalformedMessage that it
   * throws closes the channel. Header values and body are views of what has arrived: what is kept
   * beyond that work must be copied. Heartbeats and pings (content type 1) do not come here.
   */
  frame(frame: Frame): boolean | MessageSteps;
  /** Called once, in a later turn than what closed the channel; the reason is for the log. */
  closed(reason: string): void;
}

/** The answer to a hello: an owner for the channel, or a refusal. */
export type Greeting =
  | { readonly owner: ChannelOwner }
  | { readonly refusal: string; readonly rejectionClass?: RejectionClass };

/** The parts that all channels share. */
export interface ChannelHub {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly identity: ResultIdentity;
  readonly framesPerSecondMax: number;
  readonly heartbeats: Heartbeats;
  readonly turns: ReadingTurns;
  readonly counts: ChannelCounts;
  /** 8 bytes that say when they were made. */
  readonly stamp: Buffer;
  greet(hello: Hello, connection: ControlConnection): Greeting;
  /** Called before a function that waits for a reply is. */
  readonly beforeReply: (() => void) | undefined;
  /** Calls `flush` of the channel at the end of the turn. */
  flushLater(channel: RouterChannel): void;
  /** Calls `readOn` of the channel at the next tick. */
  readLater(channel: RouterChannel): void;
  /** The channel holds much memory, and has received so many bytes since the last call. */
  weigh(channel: RouterChannel, receivedBytes: number): void;
  ended(channel: RouterChannel): void;
}

/** What has happened on all channels since the start. */
export interface ChannelCounts {
  framesReceived: number;
  framesSent: number;
  bytesReceived: number;
  bytesSent: number;
  /** Frames of content types that nothing handles. */
  framesUnknown: number;
  /** Channels closed for a frame or message that is malformed. */
  closedMalformed: number;
  /** Channels closed because nothing arrived on them. */
  closedSilent: number;
  /** Channels closed because the router did not read. */
  closedUnread: number;
  /** Channels closed because all channels held too much memory, and they the most. */
  closedHeavy: number;
  /** How often a router sent more frames per second than it may and had to wait. */
  framesHeldBack: number;
}

/** The channel of one connection. */
export class RouterChannel
  implements Channel, ControlConnectionListener, HeartbeatMember, TurnReader
{
  isClosed = false;
  isQueued = false;
  debtMs = 0;
  readonly #connection: ControlConnection;
  readonly #hub: ChannelHub;
  readonly #reader = new FrameReader();
  readonly #openedMs: number;
  /** For the hello, later for the connection to close. */
  #timer: Timer | undefined;
  #owner: ChannelOwner | undefined;
  /** Whether the hello was accepted and the owner has begun. */
  #isGreeted = false;
  #sequence = 0;
  readonly #waiters = new Map<number, Waiter>();
  /** Frames of this turn. */
  #chunks: Buffer[] = [];
  #chunksBytes = 0;
  #isFlushDue = false;
  /** Bytes of messages that are large by themselves, until everything has left. */
  #largeBytes = 0;
  /** All bytes that were written to the connection, and how many there were at a former tick. */
  #writtenBytes = 0;
  #previousBytes = 0;
  #previousTick = 0;
  /** A heartbeat of the router that is not answered yet. */
  #heartbeat: Buffer | undefined;
  #receivedTick = 0;
  #stampedTick = Number.NEGATIVE_INFINITY;
  /** The frames that were received in one tick. */
  #rateTick = 0;
  #rateFrames = 0;
  #isPaused = false;
  /** The remaining work for the last frame that was read. */
  #work: MessageSteps | undefined;
  #workBytes = 0;

  constructor(connection: ControlConnection, hub: ChannelHub) {
    this.#connection = connection;
    this.#hub = hub;
    this.#openedMs = hub.clock.monotonic();
    this.#timer = hub.clock.after(helloTimeoutMs, () => this.abort('it sent no hello in time'));
    connection.listen(this);
  }

  get unsentBytes(): number {
    return this.#chunksBytes + this.#connection.unsentBytes;
  }

  /** Bytes in memory for this channel, in both directions. */
  get weightBytes(): number {
    return this.unsentBytes + this.#reader.heldBytes + this.#workBytes;
  }

  send(message: Message): void {
    this.#write(message, undefined, undefined);
  }

  request(message: Message, timeoutMs: number, waiter: ReplyWaiter): void {
    if (this.isClosed || this.#waiters.size >= requestsWaitingMax) {
      this.#hub.clock.soon(() => this.#guarded(() => this.#answer(waiter, undefined)));
      return;
    }
    const sequence = this.#write(message, undefined, undefined);
    const timer = this.#hub.clock.after(timeoutMs, () => {
      this.#waiters.delete(sequence);
      this.#guarded(() => this.#answer(waiter, undefined));
    });
    this.#waiters.set(sequence, { waiter, timer });
  }

  reply(to: Frame, message: Message): void {
    this.#write(message, to.sequence, to.headers.get(headerKeys.reflected));
  }

  replyResult(to: Frame, isSuccess: boolean, text = ''): void {
    const headers = isSuccess ? successHeaders : failureHeaders;
    const body = text === '' ? undefined : textValue(text);
    this.reply(to, { contentType: contentTypes.result, headers, body });
  }

  close(reason: string): void {
    if (this.isClosed) return;
    this.flush();
    this.#end(reason);
    this.#linger();
  }

  /** Closes without waiting for what was sent. */
  abort(reason: string): void {
    this.#end(reason);
    this.#connection.destroy();
  }

  /** Writes the frames of this turn. */
  flush(): void {
    // Set all the while, as the answer to a heartbeat is written only now.
    this.#isFlushDue = true;
    if (this.#heartbeat !== undefined) this.#write(heartbeatMessage, undefined, undefined);
    this.#isFlushDue = false;
    if (this.#chunks.length === 0) return;
    const chunks = this.#chunks;
    this.#writtenBytes += this.#chunksBytes;
    this.#hub.counts.bytesSent += this.#chunksBytes;
    this.#chunks = [];
    this.#chunksBytes = 0;
    this.#connection.write(chunks);
    const { unsentBytes } = this.#connection;
    if (unsentBytes > unsentBytesMax + this.#largeBytes)
      this.#abortUnread('it does not read what is sent to it');
    else if (unsentBytes > lightBytesMax) this.#hub.weigh(this, 0);
  }

  data(bytes: Buffer): void {
    if (this.isClosed) return;
    this.#hub.counts.bytesReceived += bytes.length;
    this.#reader.push(bytes);
    this.#hub.turns.arrived(this);
    if (this.#reader.heldBytes <= lightBytesMax) return;
    this.#hub.weigh(this, bytes.length);
    const isWaiting = this.isQueued || this.#rateFrames >= this.#hub.framesPerSecondMax;
    if (this.#isPaused || !isWaiting || this.isClosed) return;
    this.#isPaused = true;
    this.#connection.pause();
  }

  drained(): void {
    // How long bytes wait is found when the channel beats.
    this.#largeBytes = 0;
  }

  closed(): void {
    this.#timer?.cancel();
    this.#end('the connection has ended');
  }

  /** Reads the next frame, unless as many as may be were read in this tick. */
  readNext(): boolean {
    if (this.isClosed) return false;
    const { heartbeats, framesPerSecondMax, counts } = this.#hub;
    if (this.#work !== undefined) {
      this.#receivedTick = heartbeats.tick;
      this.#workOn(this.#work);
      return !this.isClosed;
    }
    if (this.#rateTick !== heartbeats.tick) {
      this.#rateTick = heartbeats.tick;
      this.#rateFrames = 0;
    }
    if (this.#rateFrames >= framesPerSecondMax) {
      this.#hub.readLater(this);
      return false;
    }
    const frame = this.#nextFrame();
    if (frame === undefined) return false;
    this.#rateFrames += 1;
    counts.framesReceived += 1;
    this.#receivedTick = heartbeats.tick;
    this.#guarded(() => (this.#owner === undefined ? this.#greet(frame) : this.#handle(frame)));
    return !this.isClosed;
  }

  #workOn(work: MessageSteps): void {
    let isDone = true;
    this.#guarded(() => {
      isDone = work.next().done === true;
    });
    if (isDone) this.#leaveWork(undefined, 0);
  }

  #leaveWork(work: MessageSteps | undefined, bytes: number): void {
    this.#work = work;
    this.#workBytes = bytes;
    if (bytes > lightBytesMax) this.#hub.weigh(this, 0);
  }

  /** The next tick has come for a router that had to wait. */
  readOn(): void {
    this.#hub.turns.arrived(this);
  }

  beat(): number {
    if (this.isClosed) return 0;
    const { tick } = this.#hub.heartbeats;
    const silentTicks = tick - this.#receivedTick;
    if (silentTicks > silentTicksMax) {
      this.#hub.counts.closedSilent += 1;
      this.abort(`nothing has arrived from it for ${silentTicksMax} s`);
      return 0;
    }
    if (this.#isBacklogOld(tick)) {
      this.#abortUnread(`it has not read for ${unsentTicksMax} s what was sent to it`);
      return 0;
    }
    if (tick - this.#stampedTick >= stampLateTicks) {
      this.#write(heartbeatMessage, undefined, undefined);
    }
    const untilStamp = stampLateTicks - (tick - this.#stampedTick);
    return Math.max(1, Math.min(untilStamp, silentTicksMax + 1 - silentTicks));
  }

  #nextFrame(): Frame | undefined {
    let frame: Frame | undefined;
    this.#guarded(() => {
      frame = this.#reader.next();
    });
    if (frame === undefined && this.#isPaused && !this.isClosed) {
      this.#isPaused = false;
      this.#connection.resume();
    }
    return frame;
  }

  /** Runs a part that handles what has arrived, or that nothing did. */
  #guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      if (error instanceof MalformedMessage) {
        this.#hub.counts.closedMalformed += 1;
        this.abort(error.message);
        return;
      }
      this.#hub.log.error({ err: error }, 'what a router sent was not handled');
      if (!this.#isGreeted) this.abort('its hello could not be handled');
    }
  }

  #greet(frame: Frame): void {
    this.#timer?.cancel();
    if (this.#hub.clock.monotonic() - this.#openedMs > helloWaitMs) {
      this.abort('its hello has waited so long that it has given up');
      return;
    }
    const hello = parseHello(frame);
    const greeting = this.#hub.greet(hello, this.#connection);
    if ('refusal' in greeting) {
      const { refusal, rejectionClass = rejectionClasses.unspecified } = greeting;
      this.#connection.write([encodeRefusal(refusal, rejectionClass)]);
      this.#end(refusal);
      this.#linger();
      return;
    }
    this.#owner = greeting.owner;
    const { identity, random, heartbeats } = this.#hub;
    this.#append([encodeAcceptance(hello, identity, random)]);
    heartbeats.add(this);
    greeting.owner.opened(this);
    this.#isGreeted = true;
  }

  #handle(frame: Frame): void {
    const { contentType, headers } = frame;
    const heartbeat = headers.get(headerKeys.heartbeat);
    if (heartbeat?.length === 8) {
      this.#heartbeat = heartbeat;
      this.#flushLater();
    }
    if (contentType === contentTypes.heartbeat) return;
    const replyFor = headers.get(headerKeys.replyFor);
    const waiting = replyFor?.length === 4 ? this.#waiters.get(replyFor.readInt32LE(0)) : undefined;
    if (replyFor !== undefined && waiting !== undefined) {
      this.#waiters.delete(replyFor.readInt32LE(0));
      waiting.timer.cancel();
      this.#answer(waiting.waiter, frame);
    } else if (contentType === contentTypes.ping) {
      this.replyResult(frame, true);
    } else {
      const taken = this.#owner?.frame(frame);
      if (taken === false) this.#hub.counts.framesUnknown += 1;
      else if (typeof taken === 'object') this.#leaveWork(taken, frame.body.length);
    }
  }

  #answer(waiter: ReplyWaiter, reply: Frame | undefined): void {
    this.#hub.beforeReply?.();
    waiter(reply);
  }

  /** Adds a frame to those of this turn; returns its sequence. */
  #write(message: Message, replyFor: number | undefined, reflected: Buffer | undefined): number {
    if (this.isClosed) return 0;
    const { tick } = this.#hub.heartbeats;
    const isStampDue = tick - this.#stampedTick >= stampDueTicks;
    if (isStampDue) this.#stampedTick = tick;
    this.#sequence = this.#sequence === sequenceMax ? 1 : this.#sequence + 1;
    const frame = {
      contentType: message.contentType,
      sequence: this.#sequence,
      replyFor,
      heartbeat: isStampDue ? this.#hub.stamp : undefined,
      heartbeatResponse: this.#heartbeat,
      reflected,
      headers: message.headers,
      body: message.body,
      bodyRest: message.bodyRest,
    };
    this.#heartbeat = undefined;
    const bytes = encodeFrame(frame, this.#chunks);
    this.#chunksBytes += bytes;
    // One message, such as the model of the network, may be larger than the bound by itself.
    if (bytes > unsentBytesMax / 2) this.#largeBytes += bytes;
    this.#hub.counts.framesSent += 1;
    if (this.#chunksBytes > unsentBytesMax + this.#largeBytes)
      this.#abortUnread('too much is sent to it at once');
    else this.#flushLater();
    return frame.sequence;
  }

  #append(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#chunksBytes += chunk.length;
    }
    this.#flushLater();
  }

  #flushLater(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    this.#hub.flushLater(this);
  }

  /** Whether bytes that had been written a minute ago have not left yet. */
  #isBacklogOld(tick: number): boolean {
    const { unsentBytes } = this.#connection;
    if (unsentBytes === 0 || this.#writtenBytes - unsentBytes >= this.#previousBytes) {
      this.#previousBytes = this.#writtenBytes;
      this.#previousTick = tick;
      return false;
    }
    return tick - this.#previousTick >= unsentTicksMax;
  }

  #abortUnread(reason: string): void {
    if (!this.isClosed) this.#hub.counts.closedUnread += 1;
    this.abort(reason);
  }

  /** Lets the connection close by itself, for a while. */
  #linger(): void {
    this.#timer = this.#hub.clock.after(lingerMs, () => this.#connection.destroy());
    this.#connection.end();
  }

  /**
   * The end, of which the owner and the waiters hear in a later turn: they may write records, and
   * a channel may be closed in the middle of a transaction.
   */
  #end(reason: string): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.#timer?.cancel();
    this.#chunks = [];
    this.#chunksBytes = 0;
    this.#leaveWork(undefined, 0);
    this.#hub.ended(this);
    this.#hub.clock.soon(() => {
      for (const { waiter, timer } of this.#waiters.values()) {
        timer.cancel();
        this.#guarded(() => this.#answer(waiter, undefined));
      }
      this.#waiters.clear();
      if (this.#owner === undefined) {
        const { address } = this.#connection;
        this.#hub.log.debug({ address, reason }, 'a router was not connected');
      } else {
        const owner = this.#owner;
        this.#guarded(() => owner.closed(reason));
      }
    });
  }
}

interface Waiter {
  readonly waiter: ReplyWaiter;
  readonly timer: Timer;
}

const heartbeatMessage: Message = { contentType: contentTypes.heartbeat };
const successHeaders = encodeHeaders([[headerKeys.resultSuccess, booleanValue(true)]]);
const failureHeaders = encodeHeaders([[headerKeys.resultSuccess, booleanValue(false)]]);
const sequenceMax = 2 ** 31 - 1;

/**
 * A stamp rides on a frame that leaves so many ticks after the last one, and has a frame of its
 * own a little later. Routers send theirs every 10 s, so ours usually rides on the answer.
 */
const stampDueTicks = 9;
const stampLateTicks = 11;

/**
 * Ticks of a second without any frame after which a channel is closed: three heartbeats of the
 * router. @bound per entity
 */
const silentTicksMax = 30;

/** Ticks of a second after which bytes that have not left close the channel. @bound per entity */
const unsentTicksMax = 60;

/** Time from the connection to the hello. @bound per connection */
const helloTimeoutMs = 5000;

/**
 * A hello that is read later than this after its handshake is not answered: routers give up after
 * 5 s, so the work would be wasted. @bound per connection
 */
const helloWaitMs = 4000;

/** Time for the last bytes to leave after a channel was closed. @bound per connection */
const lingerMs = 5000;

/** Bytes that a router has not read, after which its channel is closed. @bound per entity */
const unsentBytesMax = 32 * 1024 * 1024;

/**
 * Bytes of a channel that do not count for the memory of all channels. Reading pauses beyond it
 * while frames wait for their turn. @bound per entity
 */
export const lightBytesMax = 64 * 1024;

/**
 * Requests that wait for the replies of one router: 4,000 routes per second for 2 s.
 * @bound per entity
 */
const requestsWaitingMax = 8192;

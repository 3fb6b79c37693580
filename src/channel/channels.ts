// All control channels: takes connections, and bounds what the channels hold together
// (behaviour/control-channel#frames-and-channels).

import type { Log } from '../observe/logs.ts';
import type { Clock, Random } from '../platform/ports.ts';
import { boundsOf } from '../settings/bounds.ts';
import type { Limits } from '../settings/limits.ts';
import {
  type ChannelCounts,
  type ChannelHub,
  type Greeting,
  lightBytesMax,
  RouterChannel,
} from './channel.ts';
import type { ControlConnection } from './channel-api.ts';
import { Heartbeats } from './heartbeats.ts';
import type { Hello, ResultIdentity } from './hello.ts';
import { ReadingTurns } from './reading-turns.ts';

/** What channels need. */
export interface ChannelsOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** What the controller says of itself. */
  readonly identity: ResultIdentity;
  readonly limits: Pick<Limits, 'routerFramesPerSecondMax'>;
  /** Other bounds than those of this file. */
  readonly bounds?: Partial<ChannelBounds>;
  /** Called before a function that waits for a reply is: to begin what it reads. */
  readonly beforeReply?: () => void;
  /** Accepts or refuses a hello. The connection is there for its address and certificates. */
  greet(hello: Hello, connection: ControlConnection): Greeting;
}

/** The bounds of all channels together. */
export type ChannelBounds = typeof ownBounds;

/** Makes a channel of each connection. */
export class Channels implements ChannelHub {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly identity: ResultIdentity;
  readonly framesPerSecondMax: number;
  readonly heartbeats: Heartbeats;
  readonly turns: ReadingTurns;
  readonly counts: ChannelCounts = {
    framesReceived: 0,
    framesSent: 0,
    bytesReceived: 0,
    bytesSent: 0,
    framesUnknown: 0,
    closedMalformed: 0,
    closedSilent: 0,
    closedUnread: 0,
    closedHeavy: 0,
    framesHeldBack: 0,
  };
  readonly greet: ChannelsOptions['greet'];
  readonly beforeReply: ChannelsOptions['beforeReply'];
  #toFlush: RouterChannel[] = [];
  #toRead = new Set<RouterChannel>();
  /** Channels that hold much memory. */
  readonly #heavy = new Set<RouterChannel>();
  readonly #bounds: ChannelBounds;
  #receivedBytes = 0;
  #stamp: Buffer | undefined;

  constructor(options: ChannelsOptions) {
    this.clock = options.clock;
    this.random = options.random;
    this.log = options.log;
    this.identity = options.identity;
    this.framesPerSecondMax = options.limits.routerFramesPerSecondMax;
    this.greet = options.greet;
    this.beforeReply = options.beforeReply;
    this.#bounds = boundsOf(ownBounds, options.bounds);
    this.heartbeats = new Heartbeats(options.clock, () => this.#ticked());
    this.turns = new ReadingTurns(options.clock);
  }

  get stamp(): Buffer {
    if (this.#stamp === undefined) {
      this.#stamp = Buffer.allocUnsafeSlow(8);
      this.#stamp.writeBigUInt64LE(BigInt(this.clock.now()) * 1_000_000n);
    }
    return this.#stamp;
  }

  /** Speaks with a router on a connection. */
  accept(connection: ControlConnection): void {
    new RouterChannel(connection, this);
  }

  flushLater(channel: RouterChannel): void {
    if (this.#toFlush.length === 0) this.clock.soon(() => this.flush());
    this.#toFlush.push(channel);
  }

  /** Writes what was sent on all channels in this turn; happens by itself at its end. */
  flush(): void {
    const channels = this.#toFlush;
    this.#toFlush = [];
    for (const channel of channels) channel.flush();
  }

  readLater(channel: RouterChannel): void {
    if (!this.#toRead.has(channel)) this.counts.framesHeldBack += 1;
    this.#toRead.add(channel);
  }

  weigh(channel: RouterChannel, receivedBytes: number): void {
    this.#heavy.add(channel);
    this.#receivedBytes += receivedBytes;
    if (this.#receivedBytes >= this.#bounds.receivedBytesMax) this.#lighten();
  }

  ended(channel: RouterChannel): void {
    this.#heavy.delete(channel);
  }

  #ticked(): void {
    this.#stamp = undefined;
    this.#lighten();
    const channels = this.#toRead;
    this.#toRead = new Set();
    for (const channel of channels) channel.readOn();
  }

  /** Closes the channels that hold the most while all together hold too much. */
  #lighten(): void {
    this.#receivedBytes = 0;
    let sumBytes = 0;
    for (const channel of this.#heavy) {
      const { weightBytes } = channel;
      if (weightBytes < lightBytesMax) this.#heavy.delete(channel);
      else sumBytes += weightBytes;
    }
    while (sumBytes > this.#bounds.heldBytesMax) {
      const heaviest = [...this.#heavy].reduce((most, channel) =>
        channel.weightBytes > most.weightBytes ? channel : most,
      );
      sumBytes -= heaviest.weightBytes;
      this.counts.closedHeavy += 1;
      heaviest.abort('it holds the most memory of all routers, which hold too much together');
    }
  }
}

const ownBounds = {
  /**
   * Bytes that all channels hold together, of frames that are not complete and of frames that have
   * not left. Beyond it the channel that holds the most is closed. @bound per controller
   */
  heldBytesMax: 512 * 1024 * 1024,
  /** Bytes that arrive between two looks at what all channels hold. @bound per controller */
  receivedBytesMax: 64 * 1024 * 1024,
};

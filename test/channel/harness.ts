// Channels on a simulated clock, with simulated routers at their other ends.

import type { ChannelOwner, Greeting } from '../../src/channel/channel.ts';
import type { Channel, Frame, MessageSteps } from '../../src/channel/channel-api.ts';
import { type ChannelBounds, Channels } from '../../src/channel/channels.ts';
import type { Hello } from '../../src/channel/hello.ts';
import { createLog } from '../../src/observe/logs.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedControlConnection } from '../simulated/control-connection.ts';
import { SimulatedRandom } from '../simulated/random.ts';
import { RouterTwin, type TwinOptions } from '../simulated/router-twin.ts';

/** What has happened on the controller's side of one channel. */
export class RecordedOwner implements ChannelOwner {
  readonly hello: Hello;
  channel: Channel | undefined;
  readonly frames: Frame[] = [];
  readonly closings: string[] = [];
  /** What is done with a frame besides keeping it. */
  onFrame: ((frame: Frame, channel: Channel) => void) | undefined;
  /** The work that it leaves for later. */
  work: ((frame: Frame) => MessageSteps) | undefined;
  /** Content types that it knows; undefined for all. */
  knows: ReadonlySet<number> | undefined;

  constructor(hello: Hello) {
    this.hello = hello;
  }

  /** The channel; it must have been opened. */
  get open(): Channel {
    if (this.channel === undefined) throw new Error('the channel was not opened');
    return this.channel;
  }

  opened(channel: Channel): void {
    this.channel = channel;
  }

  frame(frame: Frame): boolean | MessageSteps {
    if (this.knows?.has(frame.contentType) === false) return false;
    this.frames.push(frame);
    this.onFrame?.(frame, this.open);
    return this.work?.(frame) ?? true;
  }

  closed(reason: string): void {
    this.closings.push(reason);
  }
}

/** One router at both ends. */
export interface Connected {
  readonly twin: RouterTwin;
  readonly connection: SimulatedControlConnection;
  readonly owner: RecordedOwner;
}

/** Channels, and routers that can connect. */
export class ChannelBench {
  readonly clock = new SimulatedClock();
  readonly channels: Channels;
  readonly owners: RecordedOwner[] = [];
  readonly logged: string[] = [];
  /** Answers hellos; accepts them when absent. */
  greet: ((hello: Hello) => Greeting) | undefined;

  constructor(bounds: Partial<ChannelBounds> = {}, routerFramesPerSecondMax = 20_000) {
    const { clock } = this;
    const { log } = createLog({
      level: 'info',
      clock,
      readable: false,
      write: (line) => this.logged.push(line),
    });
    this.channels = new Channels({
      clock,
      random: new SimulatedRandom(),
      log,
      identity: { controllerId: 'ctrl1', version: ownVersion },
      limits: { routerFramesPerSecondMax },
      bounds,
      greet: (hello) => this.greet?.(hello) ?? { owner: this.#newOwner(hello) },
    });
  }

  /** A connection whose router has said nothing yet. */
  connect(options: Omit<TwinOptions, 'clock'>): Omit<Connected, 'owner'> {
    const connection = new SimulatedControlConnection(this.clock);
    const twin = new RouterTwin(connection.router, { ...options, clock: this.clock });
    this.channels.accept(connection);
    return { twin, connection };
  }

  /** A router whose hello was accepted. */
  open(id: string, options: Partial<TwinOptions> = {}): Connected {
    const { twin, connection } = this.connect({ ...options, id });
    twin.greet();
    this.clock.drain();
    const owner = this.owners.at(-1);
    if (owner?.hello.routerId !== id) throw new Error('the hello was not accepted');
    return { twin, connection, owner };
  }

  #newOwner(hello: Hello): RecordedOwner {
    const owner = new RecordedOwner(hello);
    this.owners.push(owner);
    return owner;
  }
}

/** What the controllers of these tests are. */
export const ownVersion = {
  version: 'v2.1.0',
  revision: '0000',
  buildDate: '2026-11-20 00:00:00',
  os: 'linux',
  arch: 'amd64',
};

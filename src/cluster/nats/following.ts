// Reads the stream of the log as it grows, by an ordered consumer that is made again after whatever
// ended it.

import { AckPolicy, DeliverPolicy, ReplayPolicy } from '@nats-io/jetstream';
import { createInbox, type Msg, type MsgHdrs, nanos } from '@nats-io/transport-node';
import type { Clock, Random, Timer } from '../../platform/ports.ts';
import type { FollowEvents, StreamMessage, StreamSequence, StreamState } from '../stream.ts';
import { Delivery } from './delivery.ts';
import { reasonOf } from './failure.ts';
import type { Connected, NatsLink } from './link.ts';
import { pause } from './pause.ts';

/** What is read, and how. */
export interface FollowSource {
  /** The stream. */
  readonly name: string;
  readonly link: NatsLink;
  /** Asks the stream's leader. */
  state(): Promise<StreamState>;
  messageOf(
    sequence: StreamSequence,
    serverTimeMs: number,
    sent: MsgHdrs | undefined,
    data: Uint8Array,
  ): StreamMessage;
}

/** The server tells that often that it has nothing to deliver. */
const heartbeatMs = 1000;

/** A consumer that says nothing for so long is gone. */
const silenceMs = 3 * heartbeatMs;

/** Between two consumers. */
const retryPauseMs = 250;

/** A consumer that nobody listens to is removed by the server after this time. */
const inactiveMs = 30_000;

/** A consumer whose server is that many heartbeats behind the stream's leader is left. */
const heartbeatsBehind = 3;

/** Follows a stream until it is stopped, or until a message that is needed was purged. */
export class Following {
  readonly #source: FollowSource;
  readonly #events: FollowEvents;
  readonly #clock: Clock;
  readonly #random: Random;
  #next: StreamSequence;
  #isStopped = false;
  /** Ends the consumer that is read at the moment. */
  #end: (reason: string) => void = () => undefined;

  constructor(
    source: FollowSource,
    from: StreamSequence,
    events: FollowEvents,
    clock: Clock,
    random: Random,
  ) {
    this.#source = source;
    this.#next = from;
    this.#events = events;
    this.#clock = clock;
    this.#random = random;
  }

  /** Begins; nothing is told before the next turn. */
  start(): void {
    void this.#run();
  }

  /** Nothing is told after it. */
  stop(): void {
    this.#isStopped = true;
    this.#end('stopped');
  }

  async #run(): Promise<void> {
    await pause(this.#clock, 0);
    while (!this.#isStopped) {
      const reason = await this.#attempt();
      if (this.#isStopped) return;
      this.#events.interrupted(reason);
      await pause(this.#clock, retryPauseMs);
    }
  }

  /** Reads by one consumer. @returns why it ended */
  async #attempt(): Promise<string> {
    try {
      const { first } = await this.#source.state();
      if (first > this.#next) {
        this.#miss(first);
        return 'a message was purged';
      }
      return await this.#source.link.ask((connected) => this.#consume(connected));
    } catch (thrown) {
      return reasonOf(thrown);
    }
  }

  #miss(first: StreamSequence): void {
    if (this.#isStopped) return;
    this.stop();
    this.#events.missed(first);
  }

  /** Resolves with a reason when this consumer is of no more use. */
  async #consume({ connection, api }: Connected): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#end = resolve;
    const inbox = createInbox();
    const delivery = new Delivery(this.#clock, (subject) => connection.publish(subject));
    const subscription = connection.subscribe(inbox, {
      callback: (error, message) => {
        if (error !== null) resolve(reasonOf(error));
        else this.#receive(delivery, message);
      },
    });
    const name = this.#random.bytes(12).toString('hex');
    let watch: Timer | undefined;
    try {
      void connection.closed().then(() => resolve('the connection was lost'));
      await api.consumers.add(this.#source.name, {
        name,
        deliver_subject: inbox,
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: this.#next,
        ack_policy: AckPolicy.None,
        replay_policy: ReplayPolicy.Instant,
        max_deliver: 1,
        flow_control: true,
        idle_heartbeat: nanos(heartbeatMs),
        inactive_threshold: nanos(inactiveMs),
        mem_storage: true,
        num_replicas: 1,
      });
      if (this.#isStopped) resolve('stopped');
      const look = (): void => {
        if (delivery.silentMs() > silenceMs) resolve('the server is silent');
        watch = this.#clock.after(heartbeatMs, look);
      };
      look();
      return await promise;
    } finally {
      watch?.cancel();
      if (!connection.isClosed()) {
        subscription.unsubscribe();
        // The server removes it in any case, but later.
        api.consumers.delete(this.#source.name, name).catch(() => undefined);
      }
    }
  }

  /** The client of NATS would swallow what the receiver of a message throws, and go deaf. */
  #receive(delivery: Delivery, message: Msg): void {
    try {
      if (!this.#isStopped) this.#take(delivery, message);
    } catch (thrown) {
      this.stop();
      this.#clock.soon(() => {
        throw thrown;
      });
    }
  }

  #take(delivery: Delivery, message: Msg): void {
    const seen = delivery.take(message);
    switch (seen.kind) {
      case 'message':
        if (seen.sequence > this.#next) this.#miss(seen.sequence);
        else if (seen.sequence === this.#next) this.#handOut(seen.sequence, seen.timeMs, message);
        return;
      case 'heartbeat':
        void this.#confirmIdle(delivery);
        return;
      case 'gap':
        this.#end('messages were lost on the way');
        return;
      case 'ended':
        this.#end(seen.reason);
        return;
      case 'nothing':
        return;
    }
  }

  #handOut(sequence: StreamSequence, timeMs: number, message: Msg): void {
    this.#next = sequence + 1;
    this.#events.message(this.#source.messageOf(sequence, timeMs, message.headers, message.data));
  }

  /**
   * A consumer may live on a server that is behind the stream's leader, or cut off from it, and
   * tells of idleness there. Only the leader knows whether there is something newer, and only its
   * answer shows that the stream is alive.
   */
  async #confirmIdle(delivery: Delivery): Promise<void> {
    if (!delivery.beginsAsking()) return;
    const next = this.#next;
    try {
      const { first, last } = await this.#source.state();
      if (this.#isStopped || next !== this.#next) return;
      if (first > next) this.#miss(first);
      else if (last < next) this.#events.idle();
      else if (delivery.staleHeartbeats() >= heartbeatsBehind) this.#end('the server is behind');
    } catch (thrown) {
      this.#end(reasonOf(thrown));
    } finally {
      delivery.endsAsking();
    }
  }
}

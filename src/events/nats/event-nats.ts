// Events as CloudEvents in a stream at NATS (behaviour/events#nats).

import type { EventMessage, EventStream } from '../../cluster/nats/event-stream.ts';
import type { EventType } from '../../observe/events.ts';
import type { Log } from '../../observe/logs.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import type { EntityCounts } from '../entity-counts.ts';
import type { EventHub } from '../event-hub.ts';
import type { EventReader } from '../event-reader.ts';
import { subscriptionTo } from '../subscription.ts';
import { Subscriptions } from '../subscriptions.ts';
import type { ToldEvent } from '../told-event.ts';

/** Dependencies of `EventNats`. */
export interface EventNatsOptions {
  readonly hub: EventHub;
  readonly counts: EntityCounts;
  readonly clock: Clock;
  readonly log: Log;
  readonly types: readonly EventType[];
  readonly stream: EventStream;
  /** Id of the network: its nodes send events under one source. */
  readonly networkId: string;
  readonly bounds?: BoundValues | undefined;
}

/**
 * Sends events, the next ones once the stream has acknowledged those before. A node that follows
 * keeps the events of the last frames, and sends again what the former leader may not have sent.
 */
export class EventNats implements EventReader {
  readonly #options: EventNatsOptions;
  readonly #bounds: typeof eventNatsBounds;
  readonly #subscriptions: Subscriptions;
  readonly #leave: () => void;
  /** Of frames that another node has decided. */
  #followed: ToldEvent[] = [];
  #waiting: EventMessage[] = [];
  #waitingBytes = 0;
  /** Whether the end of the stream is known, or need not be. */
  #isReady: boolean;
  #isSending = false;
  #isStopped = false;
  #retry: Timer | undefined;
  #dropped = 0;
  readonly #startMs: number;
  #live = 0;
  #lsn = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  /** @param follows whether another node leads */
  constructor(options: EventNatsOptions, follows: boolean) {
    this.#options = options;
    this.#bounds = boundsOf(eventNatsBounds, options.bounds);
    this.#isReady = !follows;
    this.#startMs = options.clock.now();
    this.#subscriptions = new Subscriptions(options.counts, (event) => this.take([event]));
    this.#subscriptions.add(options.types.map((type) => subscriptionTo(type)));
    this.#leave = options.hub.add(this);
  }

  get types(): ReadonlySet<EventType> {
    return this.#subscriptions.types;
  }

  /** Events that were not sent since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  take(events: readonly ToldEvent[]): void {
    for (const event of events) {
      const isCount = event.type === 'entityCount';
      if (isCount || this.#subscriptions.types.has(event.type)) this.#keep(event);
    }
    this.#send();
  }

  followed(events: readonly ToldEvent[]): void {
    for (const event of events) this.#followed.push(event);
    const over = this.#followed.length - this.#bounds.eventsFollowedMax;
    // In larger steps, so that a frame does not move all the others.
    if (over > this.#bounds.eventsFollowedMax / 4) this.#followed.splice(0, over);
  }

  missed(count: number): void {
    this.#drop(count, undefined);
  }

  /** This node leads from now on: it goes on where the stream ends. */
  async lead(): Promise<void> {
    const { stream, clock } = this.#options;
    while (!this.#isStopped && !this.#isReady) {
      try {
        const lastLsn = await stream.lastLsn();
        const again = this.#followed.filter(({ lsn }) => lsn >= lastLsn);
        this.#followed = [];
        const since = this.#waiting;
        [this.#waiting, this.#waitingBytes] = [[], 0];
        for (const event of again) this.#keep(event);
        for (const message of since) this.#push(message);
        this.#isReady = true;
      } catch (err) {
        this.#tell(err);
        await new Promise<void>((resolve) => {
          this.#retry = clock.after(retryMs, resolve);
        });
      }
    }
    this.#send();
  }

  async stop(): Promise<void> {
    this.#leave();
    this.#subscriptions.end();
    this.#isStopped = true;
    this.#retry?.cancel();
    await this.#options.stream.close();
  }

  #keep(event: ToldEvent): void {
    this.#lsn = Math.max(this.#lsn, event.lsn);
    const { networkId, hub } = this.#options;
    // Every node names the event of a frame alike, so that readers can drop a repetition.
    const id =
      event.place === undefined
        ? `${hub.sourceId}.${this.#startMs}.${(this.#live += 1)}`
        : `${event.place}.${event.timeMs}`;
    const head = JSON.stringify({
      specversion: '1.0',
      id,
      source: `/edge-control/${networkId}`,
      type: `edge-control.${event.type}`,
      time: new Date(event.timeMs).toISOString(),
      datacontenttype: 'application/json',
    });
    const body = Buffer.concat([Buffer.from(`${head.slice(0, -1)},"data":`), event.line, closing]);
    this.#push({ topic: event.type, id, lsn: this.#lsn, body });
  }

  #push(message: EventMessage): void {
    const { eventsWaitingMax, eventBytesWaitingMax } = this.#bounds;
    const bytes = this.#waitingBytes + message.body.length;
    const isTooLarge = message.body.length > eventMessageBytesMax;
    if (isTooLarge || this.#waiting.length >= eventsWaitingMax || bytes > eventBytesWaitingMax) {
      this.#drop(1, undefined);
      return;
    }
    this.#waiting.push(message);
    this.#waitingBytes = bytes;
  }

  #send(): void {
    if (this.#isSending || !this.#isReady || this.#isStopped) return;
    const batch = this.#waiting.slice(0, this.#bounds.eventsABatchMax);
    if (batch.length === 0) return;
    this.#isSending = true;
    this.#options.stream.publish(batch).then(
      () => this.#sent(batch),
      (err: unknown) => {
        this.#isSending = false;
        if (this.#isStopped) return;
        this.#tell(err);
        this.#retry = this.#options.clock.after(retryMs, () => this.#send());
      },
    );
  }

  #sent(batch: readonly EventMessage[]): void {
    this.#isSending = false;
    this.#waiting.splice(0, batch.length);
    for (const { body } of batch) this.#waitingBytes -= body.length;
    this.#send();
  }

  #drop(count: number, err: unknown): void {
    this.#dropped += count;
    this.#tell(err);
  }

  #tell(err: unknown): void {
    const { clock, log } = this.#options;
    const now = clock.monotonic();
    if (now - this.#toldMs < natsToldEveryMs) return;
    this.#toldMs = now;
    const counts = { dropped: this.#dropped, waiting: this.#waiting.length };
    log.warn({ ...counts, ...(err === undefined ? {} : { err }) }, 'events do not reach NATS');
  }
}

const closing = Buffer.from('}');

/** Between two attempts to send, in ms. */
const retryMs = 1000;

/** Between two log lines about events that are not sent. @bound */
const natsToldEveryMs = 60_000;

/** Bytes of an event; NATS takes messages of 1 MiB unless it is told otherwise. @bound */
export const eventMessageBytesMax = 960 * 1024;

/** Bounds of events for NATS. */
const eventNatsBounds = {
  /** Events that wait for NATS; further ones are dropped and counted. @bound per controller */
  eventsWaitingMax: 50_000,
  /** Bytes of these. @bound per controller */
  eventBytesWaitingMax: 32 * 1024 * 1024,
  /** Events that are sent before an acknowledgement of all of them is waited for. @bound */
  eventsABatchMax: 64,
  /**
   * Events of the last frames that a following node keeps: those of five seconds of 4,000 writes.
   * Within that time another node leads. @bound per controller
   */
  eventsFollowedMax: 20_000,
};

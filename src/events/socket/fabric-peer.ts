// One program on the WebSocket of the fabric API: its requests, and the events that it is sent
// (behaviour/events#the-websocket).

import { type Frame, MalformedMessage } from '../../channel/channel-api.ts';
import { decodeFrame, encodeFrame, type FrameToWrite } from '../../channel/frame.ts';
import { booleanValue, encodeHeaders, headerKeys, textValue } from '../../channel/headers.ts';
import type { BearerToken, Caller } from '../../declare/operations/operation.ts';
import { closeCodes, type Socket, type SocketListener } from '../../http/server/sockets.ts';
import type { EventFields, EventType } from '../../observe/events.ts';
import { type BoundValues, boundsOf } from '../../settings/bounds.ts';
import { eventTypes } from '../../settings/event-types.ts';
import type { Limits } from '../../settings/limits.ts';
import type { EntityCounts } from '../entity-counts.ts';
import type { EventReader } from '../event-reader.ts';
import { SubscriptionProblem, subscriptionsOf } from '../subscription.ts';
import { Subscriptions } from '../subscriptions.ts';
import type { ToldEvent } from '../told-event.ts';
import { eventTypeHeader, fabricTypes } from './fabric-types.ts';

/** Answers a request of a peer with a frame, at once or later; undefined for no answer. */
export type FabricRequest = (body: Buffer) => Promise<FabricAnswer | undefined>;

/** A request is refused; the message says why, in one sentence. */
export class FabricRequestRefused extends Error {
  override readonly name = 'FabricRequestRefused';
}

/** The answer to a request. */
export interface FabricAnswer extends FabricMessage {
  /** What follows the answer; its text is no longer than that of an event. */
  readonly results?: () => Promise<readonly FabricMessage[]>;
}

/** A message that is sent to a peer. */
export interface FabricMessage {
  readonly contentType: number;
  readonly body: Buffer;
}

/** What a peer is created with. */
export interface FabricPeerOptions {
  readonly socket: Socket;
  readonly caller: Caller;
  /** Tokens of its request; whether it needs a further factor may depend on them. */
  readonly bearers: readonly BearerToken[];
  readonly limits: Pick<Limits, 'eventBufferBytesMax'>;
  readonly bounds?: BoundValues | undefined;
  /** Requests besides those for events, by content type. */
  readonly requests: ReadonlyMap<number, FabricRequest>;
  /** Makes an event that this peer alone is sent. */
  readonly eventOf: (type: EventType, fields: EventFields) => ToldEvent;
  readonly counts: EntityCounts;
  /** The types that it reads have changed. */
  readonly subscribed: () => void;
  /**
   * Dismisses those that may no longer listen, before something is sent. Commits are watched only
   * while events come from them.
   */
  readonly dismissEnded: (mustLook: boolean) => void;
  readonly left: (peer: FabricPeer) => void;
  /** Events were not sent to it. */
  readonly dropped: (count: number) => void;
}

/** The controller's end of one connection. */
export class FabricPeer implements SocketListener, EventReader {
  readonly caller: Caller;
  readonly bearers: readonly BearerToken[];
  readonly #options: FabricPeerOptions;
  readonly #bounds: typeof fabricPeerBounds;
  readonly #subscriptions: Subscriptions;
  #sequence = 0;
  /** Messages that it sent in the current second. */
  #heard = 0;
  /** Requests whose answers are still to come. */
  #under = 0;

  constructor(options: FabricPeerOptions) {
    this.#options = options;
    this.#bounds = boundsOf(fabricPeerBounds, options.bounds);
    this.caller = options.caller;
    this.bearers = options.bearers;
    this.#subscriptions = new Subscriptions(options.counts, (event) => {
      options.dismissEnded(true);
      this.take([event]);
    });
  }

  get types(): ReadonlySet<EventType> {
    return this.#subscriptions.types;
  }

  /** A second has passed: it may send messages again. */
  second(): void {
    this.#heard = 0;
  }

  /** Closes it, because its session has ended or has lost its rights. */
  dismiss(): void {
    this.#close(closeCodes.policy, 'the session has ended or lost its rights');
  }

  message(): void {
    this.#close(closeCodes.unsupported, 'messages must be binary');
  }

  binary(bytes: Buffer): void {
    this.#heard += 1;
    if (this.#heard > this.#bounds.fabricMessagesMax) {
      this.#close(closeCodes.policy, 'too many messages');
      return;
    }
    try {
      this.#answer(decodeFrame(bytes));
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.#close(closeCodes.policy, error.message);
    }
  }

  closed(): void {
    this.#subscriptions.end();
    this.#options.left(this);
  }

  take(events: readonly ToldEvent[]): void {
    const { socket, limits, dismissEnded } = this.#options;
    dismissEnded(false);
    const room = limits.eventBufferBytesMax - socket.bufferedBytes;
    const messages: Buffer[] = [];
    let bytes = 0;
    let dropped = 0;
    for (const event of events) {
      for (const line of this.#linesOf(event)) {
        bytes += line.length;
        if (bytes > room) dropped += 1;
        else messages.push(this.#eventFrame(event.type, line));
      }
    }
    if (messages.length > 0) socket.send(...messages);
    if (dropped > 0) this.#overflow(dropped);
  }

  missed(count: number): void {
    this.#options.dropped(count);
    this.#alert(`${count} events were dropped, because the log was stalled`);
  }

  /** Counts of entities do not come from the hub. */
  #linesOf(event: ToldEvent): readonly Buffer[] {
    return event.type === 'entityCount' ? [event.line] : this.#subscriptions.linesOf(event);
  }

  /** It does not read: it is told how much it misses, and closed. */
  #overflow(count: number): void {
    this.#options.dropped(count);
    this.#alert(`${count} events were dropped, because they were not read`);
    this.#close(closeCodes.policy, 'events are not read');
  }

  /** Whatever it has subscribed to. */
  #alert(message: string): void {
    const alert = this.#options.eventOf('alert', {
      alert_source_type: 'controller',
      severity: 'warning',
      message,
    });
    this.#options.socket.send(this.#eventFrame('alert', alert.line));
  }

  #answer(frame: Frame): void {
    const heartbeat = frame.headers.get(headerKeys.heartbeat);
    if (heartbeat !== undefined) {
      this.#send({ contentType: fabricTypes.heartbeat, heartbeatResponse: heartbeat });
    }
    const { contentType } = frame;
    if (contentType === fabricTypes.heartbeat || contentType === fabricTypes.result) return;
    if (contentType === fabricTypes.streamEvents) this.#subscribe(frame);
    else if (contentType === fabricTypes.ping) this.#result(frame, true);
    else this.#request(frame);
  }

  #subscribe(frame: Frame): void {
    try {
      const { format, subscriptions } = requestOf(frame.body);
      if (format !== 'json') throw new SubscriptionProblem('the format must be json');
      const found = subscriptionsOf(subscriptions);
      if (this.#subscriptions.size + found.length > this.#bounds.fabricSubscriptionsMax) {
        throw new SubscriptionProblem('this connection has too many subscriptions');
      }
      this.#result(frame, true);
      this.#subscriptions.add(found);
      this.#options.subscribed();
    } catch (error) {
      if (!(error instanceof SubscriptionProblem)) throw error;
      this.#result(frame, false, error.message);
    }
  }

  #request(frame: Frame): void {
    const request = this.#options.requests.get(frame.contentType);
    if (request === undefined) {
      this.#result(frame, false, `requests of type ${frame.contentType} are not served`);
      return;
    }
    if (this.#under >= this.#bounds.fabricRequestsMax) {
      this.#result(frame, false, 'too many requests are under way');
      return;
    }
    this.#under += 1;
    void this.#answered(frame, request)
      .catch((error: unknown) => this.#result(frame, false, reasonOf(error)))
      .finally(() => {
        this.#under -= 1;
      });
  }

  async #answered({ sequence, body }: Frame, request: FabricRequest): Promise<void> {
    const answer = await request(body);
    if (answer === undefined) return;
    const { results, ...message } = answer;
    this.#answerLarge({ ...message, replyFor: sequence });
    for (const result of (await results?.()) ?? []) this.#answerLarge(result);
  }

  /** An answer may have megabytes: whoever reads none gets no further ones. */
  #answerLarge(message: Omit<FrameToWrite, 'sequence'>): void {
    const { socket, limits } = this.#options;
    if (socket.bufferedBytes <= limits.eventBufferBytesMax) this.#send(message);
    else this.#close(closeCodes.policy, 'answers are not read');
  }

  #result(to: Frame, isSuccess: boolean, text = isSuccess ? 'success' : ''): void {
    this.#send({
      contentType: fabricTypes.result,
      replyFor: to.sequence,
      headers: encodeHeaders([[headerKeys.resultSuccess, booleanValue(isSuccess)]]),
      body: textValue(text),
    });
  }

  #send(message: Omit<FrameToWrite, 'sequence'>): void {
    this.#options.socket.send(this.#encoded(message));
  }

  #eventFrame(type: EventType, line: Buffer): Buffer {
    const headers = typeHeaders[type];
    return this.#encoded({ contentType: fabricTypes.event, headers, body: line });
  }

  #encoded(message: Omit<FrameToWrite, 'sequence'>): Buffer {
    this.#sequence += 1;
    const chunks: Buffer[] = [];
    encodeFrame({ ...message, sequence: this.#sequence }, chunks);
    const [only = Buffer.alloc(0)] = chunks;
    return chunks.length === 1 ? only : Buffer.concat(chunks);
  }

  #close(code: number, reason: string): void {
    this.#options.socket.close(code, reason);
  }
}

function requestOf(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const request: unknown = JSON.parse(body.toString('utf8'));
    if (typeof request === 'object' && request !== null) return { ...request };
  } catch {
    // Told below.
  }
  throw new SubscriptionProblem('the body must be a JSON object');
}

/** What else goes wrong is not for other eyes. */
function reasonOf(error: unknown): string {
  return error instanceof FabricRequestRefused ? error.message : 'the request failed';
}

/** The header of each event that names its type, in words as OpenZiti does: `entity.change`. */
const typeHeaders = Object.fromEntries(
  eventTypes.map((type) => {
    const words = type.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`);
    return [type, encodeHeaders([[eventTypeHeader, textValue(words)]])];
  }),
);

/** Bounds of one connection. */
const fabricPeerBounds = {
  /** Messages of one connection within a second; with more it is closed. @bound per connection */
  fabricMessagesMax: 20,
  /** Subscriptions of one connection; each event is tried for all. @bound per connection */
  fabricSubscriptionsMax: 128,
  /** Requests of one connection that are under way. @bound per connection */
  fabricRequestsMax: 4,
};

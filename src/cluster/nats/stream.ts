// The stream of the log, at JetStream.

import type { StreamInfo } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Clock, Random } from '../../platform/ports.ts';
import type {
  FollowEvents,
  OutgoingMessage,
  PublishOutcome,
  Stream,
  StreamMessage,
  StreamSequence,
  StreamState,
} from '../stream.ts';
import { isTimeout, reasonOf } from './failure.ts';
import { Following } from './following.ts';
import { type Connected, type NatsLink, requestTimeoutMs } from './link.ts';
import { type DataSet, logStream, logSubject } from './names.ts';
import { outcomeOfAnswer } from './publish-outcome.ts';

/** What a stream is reached by. */
export interface StreamLinks {
  /** For messages only: it is given up with everything that waits in it. */
  readonly writing: NatsLink;
  readonly reading: NatsLink;
}

/**
 * `Stream` on JetStream. Everything but `follow` is answered by the stream's leader
 * (behaviour/cluster#the-stream-at-nats).
 */
export class NatsStream implements Stream {
  readonly generation: number;
  readonly #links: StreamLinks;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #name: string;
  readonly #subject: string;

  constructor(links: StreamLinks, dataSet: DataSet, clock: Clock, random: Random) {
    this.generation = dataSet.generation;
    this.#links = links;
    this.#clock = clock;
    this.#random = random;
    this.#name = logStream(dataSet);
    this.#subject = logSubject(dataSet);
  }

  publish(message: OutgoingMessage, expectedLast: StreamSequence): Promise<PublishOutcome> {
    // Calls that wait for one connection go on in their order, so messages keep theirs.
    return this.#links.writing.connected().then(
      (connected) => this.#send(connected, message, expectedLast),
      (thrown) => ({ outcome: 'unknown', reason: reasonOf(thrown) }) as const,
    );
  }

  async read(sequence: StreamSequence): Promise<StreamMessage | undefined> {
    const stored = await this.#links.reading.look(({ api }) =>
      api.streams.getMessage(this.#name, { seq: sequence }),
    );
    if (stored === null) return undefined;
    return {
      sequence: stored.seq,
      serverTimeMs: stored.time.getTime(),
      headers: ownHeaders(stored.header),
      body: asBuffer(stored.data),
    };
  }

  async state(): Promise<StreamState> {
    const info = await this.#links.reading.look(({ api }) => api.streams.info(this.#name));
    return stateOf(info);
  }

  follow(from: StreamSequence, events: FollowEvents): { stop(): void } {
    const source = {
      name: this.#name,
      link: this.#links.reading,
      state: () => this.state(),
      messageOf,
    };
    const following = new Following(source, from, events, this.#clock, this.#random);
    following.start();
    return following;
  }

  async purge(sequence: StreamSequence): Promise<void> {
    // The last message stays: it tells the next leader where the stream ends.
    const { last } = await this.state();
    const seq = Math.min(sequence, last);
    if (seq <= 1) return;
    await this.#links.reading.ask(({ api }) => api.streams.purge(this.#name, { seq }));
  }

  async #send(
    connected: Connected,
    message: OutgoingMessage,
    expectedLast: StreamSequence,
  ): Promise<PublishOutcome> {
    const sent = headers();
    for (const [name, value] of message.headers) sent.set(name, value);
    sent.set('Nats-Expected-Stream', this.#name);
    sent.set('Nats-Expected-Last-Sequence', `${expectedLast}`);
    const options = { headers: sent, timeout: requestTimeoutMs };
    try {
      const answer = await connected.connection.request(this.#subject, message.body, options);
      return outcomeOfAnswer(answer.data, this.#name);
    } catch (thrown) {
      // What is late may be stuck anywhere; it must not leave after the next attempt.
      if (isTimeout(thrown)) this.#links.writing.drop(connected);
      return { outcome: 'unknown', reason: reasonOf(thrown) };
    }
  }
}

/** An empty stream may tell 0 as its first message, even after a purge. */
function stateOf({ state, config, ts }: StreamInfo): StreamState {
  const last = state.last_seq;
  const first = state.messages === 0 ? last + 1 : state.first_seq;
  const serverTimeMs = Date.parse(ts ?? '');
  return {
    first,
    last,
    configuration: { ...config },
    serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs,
  };
}

/** A message that a consumer delivered, with the sequence and the time that come with it. */
function messageOf(
  sequence: StreamSequence,
  serverTimeMs: number,
  sent: MsgHdrs | undefined,
  data: Uint8Array,
): StreamMessage {
  return { sequence, serverTimeMs, headers: ownHeaders(sent), body: asBuffer(data) };
}

/** Headers without those for the server, as they were before the message was sent. */
function ownHeaders(sent: MsgHdrs | undefined): ReadonlyMap<string, string> {
  const own = new Map<string, string>();
  for (const name of sent?.keys() ?? []) {
    if (!name.startsWith('Nats-')) own.set(name, sent?.get(name) ?? '');
  }
  return own;
}

function asBuffer(data: Uint8Array): Buffer {
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
}

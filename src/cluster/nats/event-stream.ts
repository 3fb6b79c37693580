// A stream at NATS that keeps events for other programs.

import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Clock } from '../../platform/ports.ts';
import { type Connected, type NatsAccess, NatsLink, requestTimeoutMs } from './link.ts';
import { answeredError } from './publish-outcome.ts';

/** A message for the stream. */
export interface EventMessage {
  /** Below the prefix of the subjects. */
  readonly topic: string;
  /** The stream drops a message with the id of another one that it has had lately. */
  readonly id: string;
  /** Every event of a frame up to this LSN was sent before, or with it. */
  readonly lsn: number;
  readonly body: Buffer;
}

/** A stream that keeps events. */
export interface EventStream {
  /** LSN of the last message; 0 if there is none. Rejects if the stream does not answer. */
  lastLsn(): Promise<number>;
  /** Sends messages in their order. Rejects unless the stream has acknowledged all of them. */
  publish(messages: readonly EventMessage[]): Promise<void>;
  close(): Promise<void>;
}

/** The stream that keeps the subjects below a prefix. */
export class NatsEventStream implements EventStream {
  readonly #link: NatsLink;
  readonly #prefix: string;

  constructor(access: NatsAccess, clock: Clock, prefix: string) {
    this.#link = new NatsLink(access, clock, 'edge-control events');
    this.#prefix = prefix;
  }

  async lastLsn(): Promise<number> {
    return await this.#link.look(async ({ api }) => {
      const stream = await api.streams.find(`${this.#prefix}.entityChange`);
      const last = await api.streams.getMessage(stream, { last_by_subj: `${this.#prefix}.>` });
      return last === null ? 0 : Number(last.header.get(lsnHeader)) || 0;
    });
  }

  async publish(messages: readonly EventMessage[]): Promise<void> {
    const connected = await this.#link.connected();
    try {
      // They leave over one connection, so the stream gets them in this order.
      await Promise.all(messages.map((message) => this.#send(connected, message)));
    } catch (thrown) {
      // A message that is still under way must not arrive after its repetition.
      this.#link.drop(connected);
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.#link.close();
  }

  async #send({ connection }: Connected, message: EventMessage): Promise<void> {
    const options = { headers: headersOf(message), timeout: requestTimeoutMs };
    const subject = `${this.#prefix}.${message.topic}`;
    const answer = await connection.request(subject, message.body, options);
    const error = answeredError(answer.data);
    if (error !== undefined) throw new Error(error);
  }
}

function headersOf({ id, lsn }: EventMessage): MsgHdrs {
  const sent = headers();
  sent.set('Nats-Msg-Id', id);
  sent.set('Content-Type', 'application/cloudevents+json');
  sent.set(lsnHeader, `${lsn}`);
  return sent;
}

const lsnHeader = 'Edge-Lsn';

// Where nodes are in the log, asked of the nodes themselves: a candidate must hear those that live.

import type { Msg, NatsConnection } from '@nats-io/transport-node';
import Type from 'typebox';
import { Check } from 'typebox/value';
import type { Clock } from '../../platform/ports.ts';
import { type AskMember, replyTimeoutMs } from '../node/candidate.ts';
import type { MemberPosition } from '../node/standing.ts';
import { StreamUnreachable } from '../stream.ts';
import { unreachable } from './failure.ts';
import type { NatsLink } from './link.ts';
import { type DataSet, positionSubject } from './names.ts';
import { pause } from './pause.ts';

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const positionSchema = Type.Object({
  generation: count,
  lsn: count,
  crc: Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
});

/** Before a subscription is made again that has ended with its connection. */
const subscribeAgainMs = 250;

/** Questions and answers over messages that no stream keeps. */
export class NatsPositions {
  readonly #link: NatsLink;
  readonly #dataSet: DataSet;
  readonly #clock: Clock;
  #isClosed = false;

  constructor(link: NatsLink, dataSet: DataSet, clock: Clock) {
    this.#link = link;
    this.#dataSet = dataSet;
    this.#clock = clock;
  }

  /** Asks a node; rejects with StreamUnreachable if it does not answer. */
  readonly ask: AskMember = async ({ id }) => {
    const subject = positionSubject(this.#dataSet, id);
    // Not by the link: a node that does not answer is no reason to give the connection up.
    const { connection } = await this.#link.connected();
    try {
      const answer = await connection.request(subject, undefined, { timeout: replyTimeoutMs });
      return readPosition(answer.string());
    } catch (thrown) {
      throw unreachable(thrown);
    }
  };

  /**
   * Answers for the node of this process until `close`. A question with a content is another one,
   * which `others` answers.
   */
  serve(
    id: string,
    {
      position,
      others,
    }: { readonly position: () => MemberPosition; readonly others: (question: Msg) => void },
  ): void {
    void this.#serve(positionSubject(this.#dataSet, id), (question) => {
      if (question.data.length > 0) {
        others(question);
        return;
      }
      const { generation, lsn, crc } = position();
      question.respond(JSON.stringify({ generation, lsn, crc }));
    });
  }

  /** Answers no more. */
  close(): void {
    this.#isClosed = true;
  }

  async #serve(subject: string, answer: (question: Msg) => void): Promise<void> {
    while (!this.#isClosed) {
      try {
        const { connection } = await this.#link.connected();
        await answerOver(connection, subject, answer);
      } catch {
        // The node itself notices that the servers are away, and says so.
      }
      await pause(this.#clock, subscribeAgainMs);
    }
  }
}

/** Returns when the connection has ended. */
async function answerOver(
  connection: NatsConnection,
  subject: string,
  answer: (question: Msg) => void,
): Promise<void> {
  for await (const question of connection.subscribe(subject)) answer(question);
}

function readPosition(text: string): MemberPosition {
  const value: unknown = parsed(text);
  if (Check(positionSchema, value)) return value;
  throw new StreamUnreachable('the node answered with something else than its position');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The questions of nodes that follow to their leader, in messages that no stream keeps: how far the
// log goes, and whether the leader has noted which sessions they served (behaviour/cluster#reads).

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import Type from 'typebox';
import { Check } from 'typebox/value';
import type { Clock, Random } from '../../platform/ports.ts';
import type { LeaderAnswers } from '../node/leader-answers.ts';
import type { ReadPosition } from '../node/read-index.ts';
import type { SessionUse } from '../node/session-uses.ts';
import type { NatsLink } from './link.ts';
import { type DataSet, positionSubject } from './names.ts';

/**
 * From a question to its answer, in ms. The reads that wait for it are the leader's then.
 * @bound per request
 */
const answerTimeoutMs = 500;

const count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const questionSchema = Type.Object({
  uses: Type.Optional(Type.Array(Type.Tuple([Type.String({ maxLength: 64 }), count]))),
});
const positionSchema = Type.Object({ lsn: count, confirmedLsn: count, nowMs: count });
const notedSchema = Type.Object({ unknown: Type.Array(Type.String()) });

/** A message that asks something, as NATS brings it. */
export interface AskedMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  respond(payload: Uint8Array): boolean;
}

/** The options of the questions. */
export interface LeaderQuestionsOptions {
  readonly link: Pick<NatsLink, 'connected'>;
  readonly dataSet: DataSet;
  /** Shared by all nodes, and unknown to NATS. */
  readonly sealingKey: Buffer;
  readonly random: Random;
  readonly clock: Clock;
  /** By how much the clock of the leader may differ, in ms. */
  readonly clockSkewMs: number;
}

/**
 * Both sides of the questions. Each message has a MAC, because whoever has credentials for NATS
 * could otherwise answer for the leader; an answer belongs to one question by its nonce.
 */
export class LeaderQuestions {
  readonly #options: LeaderQuestionsOptions;
  readonly #key: Buffer;
  #leader: string | undefined;
  #answers: LeaderAnswers | undefined;

  constructor(options: LeaderQuestionsOptions) {
    this.#options = options;
    // The keys of groups, snapshots and members are derived from it, too, and differ (RFC 5869).
    const key = hkdfSync('sha256', options.sealingKey, '', 'edge-control questions', 32);
    this.#key = Buffer.from(key);
  }

  /** The node that is asked from now on; undefined for none. */
  lead(leaderId: string | undefined): void {
    this.#leader = leaderId;
  }

  /** Answers as this from now on. */
  answerAs(answers: LeaderAnswers): void {
    this.#answers = answers;
  }

  /** As `ReadIndexOptions.ask`. A leader whose clock is another one is not heard. */
  readonly ask = (answered: (position: ReadPosition | undefined) => void): boolean => {
    const { clock, clockSkewMs } = this.#options;
    const askedMs = clock.now();
    return this.#send({}, (answer) => {
      if (!Check(positionSchema, answer)) {
        answered(undefined);
        return;
      }
      const { nowMs, ...position } = answer;
      const isNear = nowMs >= askedMs - clockSkewMs && nowMs <= clock.now() + clockSkewMs;
      answered(isNear ? position : undefined);
    });
  };

  /** As `SessionUsesOptions.report`. */
  readonly report = (
    uses: readonly SessionUse[],
    answered: (unknown: readonly string[] | undefined) => void,
  ): boolean =>
    this.#send({ uses: uses.map(({ id, atMs }) => [id, atMs]) }, (answer) => {
      answered(Check(notedSchema, answer) ? answer.unknown : undefined);
    });

  /** Answers a question of another node. What no node of this cluster has asked gets no answer. */
  readonly take = (message: AskedMessage): void => {
    const { subject, data } = message;
    const nonce = data.subarray(macBytes, macBytes + nonceBytes);
    const question = this.#opened(data, [subject, 'question']);
    if (!Check(questionSchema, question)) return;
    const respond = (content: object) => {
      try {
        message.respond(this.#sealed(content, nonce, [subject, 'answer']));
      } catch {
        // The connection is closed, and whoever has asked turns to this node in another way.
      }
    };
    const { uses } = question;
    if (uses === undefined) {
      this.#answers?.written((position) => {
        respond(position === undefined ? {} : { ...position, nowMs: this.#options.clock.now() });
      });
      return;
    }
    const unknown = this.#answers?.noteUses(uses.map(([id, atMs]) => ({ id, atMs })));
    respond(unknown === undefined ? {} : { unknown });
  };

  /** False if there is nobody to ask; else `answered` is called once; undefined is no answer. */
  #send(content: object, answered: (answer: unknown) => void): boolean {
    const leader = this.#leader;
    if (leader === undefined) return false;
    const { dataSet, random } = this.#options;
    const subject = positionSubject(dataSet, leader);
    const nonce = random.bytes(nonceBytes);
    const question = this.#sealed(content, nonce, [subject, 'question']);
    this.#request(subject, question).then(
      (data) => {
        const isOfQuestion = nonce.equals(data.subarray(macBytes, macBytes + nonceBytes));
        answered(isOfQuestion ? this.#opened(data, [subject, 'answer']) : undefined);
      },
      () => answered(undefined),
    );
    return true;
  }

  /** Rejects in time, also while there is no connection. */
  async #request(subject: string, question: Uint8Array): Promise<Uint8Array> {
    const { clock, link } = this.#options;
    return await new Promise((resolve, reject) => {
      const late = clock.after(answerTimeoutMs, () => reject(new Error('no answer in time')));
      const answered = link
        .connected()
        .then(({ connection }) => connection.request(subject, question, { timeout }));
      answered.then(({ data }) => resolve(data), reject).finally(() => late.cancel());
    });
  }

  /** MAC, nonce, and the content as JSON. */
  #sealed(content: object, nonce: Uint8Array, place: Place): Buffer {
    const rest = Buffer.concat([nonce, Buffer.from(JSON.stringify(content))]);
    return Buffer.concat([this.#macOf(rest, place), rest]);
  }

  /** The content of a message; undefined if no node with our keys has sealed it for this place. */
  #opened(data: Uint8Array, place: Place): unknown {
    if (data.length < macBytes + nonceBytes) return undefined;
    const rest = data.subarray(macBytes);
    if (!timingSafeEqual(data.subarray(0, macBytes), this.#macOf(rest, place))) return undefined;
    return JSON.parse(Buffer.from(rest.subarray(nonceBytes)).toString()) as unknown;
  }

  #macOf(rest: Uint8Array, place: Place): Buffer {
    return createHmac('sha256', this.#key)
      .update(`${place.join(' ')}\n`)
      .update(rest)
      .digest();
  }
}

/** A MAC also covers the subject of the question, and whether the message asks or answers. */
type Place = readonly [string, 'question' | 'answer'];

/** That of the client of NATS, which is later than ours. */
const timeout = 2 * answerTimeoutMs;
const macBytes = 32;
const nonceBytes = 16;

// Asks routers for what they know, and gathers their answers (behaviour/fabric#inspections).

import type { Frame, Message } from '../../../channel/channel-api.ts';
import { contentTypes } from '../../../channel/content-types.ts';
import {
  decodeMessage,
  encodeMessage,
  fabric,
  Reader,
} from '../../../channel/messages/messages.ts';
import type { ConnectedRouter } from '../../../routers/router-feature.ts';
import { inLines } from '../../../turns/lines.ts';
import { shownValue } from './masked-answers.ts';

/** Bounds of asking routers. */
export const routerInspectionBounds = {
  /** Routers that are asked at the same time; the others wait in line. @bound per request */
  routersAskedMax: 100,
  /**
   * Bytes of the answer of one router, and characters of what is shown of it: text may grow to six
   * times its size as JSON. Reading it takes up to 30 ms. @bound per entity
   */
  routerAnswerBytesMax: 1024 * 1024,
  /** Values and errors of one router, which has one for each name. @bound per entity */
  routerAnswerPartsMax: 1000,
  /** Characters that are shown of the answers of all routers. @bound per request */
  inspectionCharactersMax: 16 * 1024 * 1024,
};

/** One answer of a node. */
export interface InspectedValue {
  readonly appId: string;
  readonly name: string;
  /** The value as JSON: lists and objects of it would take twenty times the memory. */
  readonly json: string;
}

/** The answers of all nodes, in the order in which they arrived. */
export interface Inspected {
  readonly values: InspectedValue[];
  /** Each begins with the id of its node. */
  readonly errors: string[];
}

/** Asks routers, some at a time. An answer that comes too late is left out. */
export class RouterInspections {
  readonly #question: Message;
  readonly #into: Inspected;
  readonly #bounds: typeof routerInspectionBounds;
  #characters = 0;

  constructor(
    names: readonly string[],
    into: Inspected,
    bounds: typeof routerInspectionBounds = routerInspectionBounds,
  ) {
    this.#into = into;
    this.#bounds = bounds;
    this.#question = {
      contentType: contentTypes.inspectRequest,
      body: encodeMessage(fabric.InspectRequest, { requestedValues: [...names] }),
    };
  }

  /** Resolves when all have answered, or when `leftMs` says that no time is left. */
  async ask(routers: readonly ConnectedRouter[], leftMs: () => number): Promise<void> {
    await inLines(routers, this.#bounds.routersAskedMax, async (router) => {
      if (leftMs() > 0) await this.#askOne(router, leftMs());
    });
  }

  #askOne({ id, channel }: ConnectedRouter, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      channel.request(this.#question, timeoutMs, (reply) => {
        if (reply !== undefined) this.#take(id, reply);
        resolve();
      });
    });
  }

  #take(routerId: string, { contentType, body }: Frame): void {
    const { errors, values } = this.#into;
    const answer = this.#answerOf(contentType, body);
    if (typeof answer === 'string') {
      errors.push(`${routerId}: ${answer}`);
      return;
    }
    this.#characters += answer.characters;
    for (const error of answer.errors) errors.push(`${routerId}: ${error}`);
    for (const value of answer.values) values.push({ appId: routerId, ...value });
  }

  /** What is shown of an answer, or why nothing is. */
  #answerOf(contentType: number, body: Buffer): ShownAnswer | string {
    const { routerAnswerBytesMax, routerAnswerPartsMax, inspectionCharactersMax } = this.#bounds;
    const room = Math.min(routerAnswerBytesMax, inspectionCharactersMax - this.#characters);
    if (body.length > room) return tooLarge;
    if (contentType !== contentTypes.inspectResponse) return 'the answer is none to this question';
    try {
      if (hasMoreFields(body, routerAnswerPartsMax)) return tooLarge;
      const answer = shownAnswer(body);
      return answer.characters > room ? tooLarge : answer;
    } catch {
      return 'the answer cannot be read';
    }
  }
}

/** An answer without secrets. */
interface ShownAnswer {
  readonly errors: readonly string[];
  readonly values: readonly Omit<InspectedValue, 'appId'>[];
  readonly characters: number;
}

const tooLarge = 'the answer is too large';

/** @throws MalformedMessage */
function shownAnswer(body: Buffer): ShownAnswer {
  const told = decodeMessage(fabric.InspectResponse, body);
  const errors = told.errors.map((error) => String(shownValue(error)));
  const values = told.values.map(({ name, value }) => ({
    name: name ?? '',
    json: JSON.stringify(shownValue(value ?? '')),
  }));
  let characters = 0;
  for (const error of errors) characters += partCharacters + error.length;
  for (const { name, json } of values) characters += partCharacters + name.length + json.length;
  return { errors, values, characters };
}

/** Whether a message has more fields, without decoding them. @throws Error when it is malformed */
function hasMoreFields(body: Buffer, fieldsMax: number): boolean {
  const reader = Reader.create(body);
  for (let fields = 0; reader.pos < reader.len; fields++) {
    if (fields > fieldsMax) return true;
    reader.skipType(reader.uint32() & 7);
  }
  return false;
}

/** Characters that a value or an error takes beside its text, with the id of its router. */
const partCharacters = 100;

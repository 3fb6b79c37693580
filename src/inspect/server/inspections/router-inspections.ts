// Asks routers for what they know, and gathers their answers (behaviour/fabric#inspections).

import type { Frame, Message } from '../../../channel/channel-api.ts';
import { contentTypes } from '../../../channel/content-types.ts';
import { decodeMessage, encodeMessage, fabric } from '../../../channel/messages/messages.ts';
import type { ConnectedRouter } from '../../../routers/router-feature.ts';
import { shownValue } from './masked-answers.ts';

/** Bounds of asking routers. */
export const routerInspectionBounds = {
  /** Routers that are asked at the same time; the others wait in line. @bound per request */
  routersAskedMax: 100,
  /** Bytes of the answer of one router. Reading them takes up to 30 ms. @bound per entity */
  routerAnswerBytesMax: 1024 * 1024,
  /** Bytes of the answers of all routers. @bound per request */
  inspectionBytesMax: 16 * 1024 * 1024,
};

/** One answer of a node. */
export interface InspectedValue {
  readonly appId: string;
  readonly name: string;
  readonly value: unknown;
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
  #bytes = 0;

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
    const waiting = routers.values();
    const lines = Math.min(routers.length, this.#bounds.routersAskedMax);
    await Promise.all(
      Array.from({ length: lines }, async () => {
        for (const router of waiting) {
          if (leftMs() <= 0) return;
          await this.#askOne(router, leftMs());
        }
      }),
    );
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
    const { routerAnswerBytesMax, inspectionBytesMax } = this.#bounds;
    this.#bytes += body.length;
    if (body.length > routerAnswerBytesMax || this.#bytes > inspectionBytesMax) {
      errors.push(`${routerId}: the answer is too large`);
      return;
    }
    if (contentType !== contentTypes.inspectResponse) {
      errors.push(`${routerId}: the answer is none to this question`);
      return;
    }
    try {
      const told = decodeMessage(fabric.InspectResponse, body);
      for (const error of told.errors) errors.push(`${routerId}: ${String(shownValue(error))}`);
      for (const { name, value } of told.values) {
        values.push({ appId: routerId, name: name ?? '', value: shownValue(value ?? '') });
      }
    } catch {
      errors.push(`${routerId}: the answer cannot be read`);
    }
  }
}

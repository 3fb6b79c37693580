// Sends routers the changes of the model, and the index that they have reached.

import { contentTypes } from '../../channel/content-types.ts';
import { encodeHeaders, textValue } from '../../channel/headers.ts';
import { changeSetBody } from './events.ts';
import type { Subscriber } from './groups.ts';

/** A change set as some routers see it. */
export interface Batch {
  readonly body: Buffer;
  readonly routers: readonly Subscriber[];
}

/** The index of a change set, and that of the one before it. */
export interface ChangePlace {
  readonly index: number;
  readonly previousIndex: number;
}

const indexHeader = 1025;

/** The header that names the subscription, on all that is sent for one. */
export const subscriptionHeader = 1026;

/** One per model. */
export class ChangeSending {
  readonly #unsentBytesMax: number;
  /** The change set without events that was encoded last. */
  #nothing: { readonly from: number; readonly to: number; readonly body: Buffer } | undefined;

  /** @param unsentBytesMax routers with more bytes on the way fall behind */
  constructor(unsentBytesMax: number) {
    this.#unsentBytesMax = unsentBytesMax;
  }

  /** Sends a change set to those of its routers that are still live. */
  send({ body, routers }: Batch, { index, previousIndex }: ChangePlace): void {
    for (const subscriber of routers) {
      const { isLive, liveFrom } = subscriber;
      if (!isLive || liveFrom >= index) continue;
      if (subscriber.index < previousIndex) this.sendNothing(subscriber, previousIndex);
      this.#sendChanges(subscriber, body, index);
    }
  }

  /**
   * Brings a router to an index: the changes since the last that it was sent show it nothing, and
   * several are sent as one.
   */
  sendNothing(subscriber: Subscriber, to: number): void {
    const { index: from, isLive, liveFrom } = subscriber;
    if (!isLive || from < liveFrom || from >= to) return;
    if (this.#nothing?.from !== from || this.#nothing.to !== to) {
      const body = changeSetBody({ index: to, previousIndex: from }, []);
      this.#nothing = { from, to, body };
    }
    this.#sendChanges(subscriber, this.#nothing.body, to);
  }

  /** A router that has missed a change finds that out. */
  tellIndex(subscriber: Subscriber): void {
    const { isLive, index, toldIndex, router, subscriptionId } = subscriber;
    if (!isLive || index === toldIndex) return;
    const value = Buffer.alloc(8);
    value.writeBigUInt64LE(BigInt(index));
    const headers = encodeHeaders([
      [indexHeader, value],
      [subscriptionHeader, textValue(subscriptionId)],
    ]);
    router.channel.send({ contentType: contentTypes.modelIndex, headers });
    subscriber.toldIndex = index;
  }

  #sendChanges(subscriber: Subscriber, body: Buffer, index: number): void {
    const { router, headers, isLive } = subscriber;
    if (!isLive) return;
    if (router.channel.unsentBytes > this.#unsentBytesMax) {
      subscriber.isLive = false;
      subscriber.isBehind = true;
      return;
    }
    router.channel.send({ contentType: contentTypes.modelChanges, headers, body });
    subscriber.index = index;
  }
}

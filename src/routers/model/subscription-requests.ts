// What routers ask for when they subscribe to the model, and how often.

import { type Frame, MalformedMessage } from '../../channel/channel-api.ts';
import { decodeMessage, edge } from '../../channel/messages/messages.ts';

/** Bounds of subscriptions. */
export const subscriptionBounds = {
  /** How long a subscription lasts, in seconds; routers ask for 300. @bound per entity */
  subscriptionSecondsMin: 10,
  subscriptionSecondsMax: 360,
  /**
   * Requests of a router per minute that are answered at once; further ones wait. A router asks
   * when it connects, every five minutes and when it has missed a change. @bound per entity
   */
  modelRequestsPerMinuteMax: 5,
  /** Bytes of the ids of a subscription and of a time line; routers' have 36. @bound per entity */
  subscriptionIdBytesMax: 256,
  /**
   * Unsent bytes of a router beyond which change sets are left out; it gets all that it has missed
   * when it has read them. @bound per connection
   */
  modelRouterBytesMax: 1024 * 1024,
  /**
   * Ids of all changes that a router has missed; beyond that it gets the full state, which is built
   * in slices, while missed changes are encoded in one turn. @bound per request
   */
  modelMissedIdsMax: 20_000,
};

/** A request of a router. */
export interface SubscriptionRequest {
  readonly id: string;
  readonly timelineId: string;
  readonly index: number;
  readonly durationMs: number;
  /** Whether it goes on with a subscription that it has, where that stands. */
  readonly isRenewal: boolean;
}

/** Reads a request. @throws MalformedMessage */
export function readSubscription(
  { body }: Frame,
  bounds: typeof subscriptionBounds,
): SubscriptionRequest {
  const request = decodeMessage(edge.SubscribeToDataModelRequest, body);
  const { subscriptionId, timelineId, subscriptionDurationSeconds, currentIndex, renew } = request;
  const { subscriptionIdBytesMax, subscriptionSecondsMin, subscriptionSecondsMax } = bounds;
  for (const text of [subscriptionId, timelineId]) {
    if (Buffer.byteLength(text) > subscriptionIdBytesMax) {
      throw new MalformedMessage('the id of a subscription or a time line is too long');
    }
  }
  const seconds = Math.min(
    Math.max(subscriptionDurationSeconds, subscriptionSecondsMin),
    subscriptionSecondsMax,
  );
  const index = Number(currentIndex);
  return { id: subscriptionId, timelineId, index, durationMs: seconds * 1000, isRenewal: renew };
}

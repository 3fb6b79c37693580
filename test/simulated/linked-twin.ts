// What routers say of their links, and how a router of the field answers a path over a link that it
// does not know.

import type { Frame, Message } from '../../src/channel/channel-api.ts';
import { contentTypes } from '../../src/channel/content-types.ts';
import { encodeHeaders, textValue, uint32Value } from '../../src/channel/headers.ts';
import { decodeMessage, encodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import { type RouterTwin, twinMessages } from './router-twin.ts';

/** Messages about links. */
export const linkMessages = {
  /** 1004; without an iteration, the router does not know the link. */
  fault: (id: string, iteration?: number): Message => {
    const { LINK_FAULT: subject } = fabric.FaultSubject;
    const fault = { subject, id, ...(iteration === undefined ? {} : { iteration }) };
    return { contentType: contentTypes.fault, body: encodeMessage(fabric.Fault, fault) };
  },
  /** 1007: the latencies of these links, in ns. */
  latencies: (ids: readonly string[], mean: number): Message =>
    linkMessages.eachLatency(new Map(ids.map((id) => [id, mean]))),
  /** 1007: the latency of each link, in ns by its id. */
  eachLatency: (means: ReadonlyMap<string, number>): Message => {
    const histograms = Object.fromEntries(
      Array.from(means, ([id, mean]) => [`link.${id}.latency`, { count: 1, max: 1, mean }]),
    );
    const body = encodeMessage(fabric.MetricsMessage, { histograms });
    return { contentType: contentTypes.metrics, body };
  },
};

/** The listener of a router that accepts links. */
export function linkListener(name: string): fabric.LinkListener.$Properties {
  const address = `tls:${name}.example:6000`;
  return { address, protocol: 'tls', groups: ['default'], localBinding: '' };
}

/**
 * Answers a route as a router does that has the links which `knows` says. The fault and the answer
 * leave in an order that differs from one circuit to another. @returns whether it takes the route
 */
export function answerRoute(
  twin: RouterTwin,
  { body }: Frame,
  knows: (linkId: string) => boolean,
): boolean {
  const { circuitId, attempt, forwards } = decodeMessage(fabric.Route, body);
  const unknown = forwards
    .filter(({ dstType }) => dstType === fabric.DestType.LINK)
    .map(({ dstAddress }) => dstAddress ?? '')
    .find((id) => !knows(id));
  if (unknown === undefined) {
    twin.send(twinMessages.routeResult(circuitId, attempt));
    return true;
  }
  const isFaultFirst = circuitId.charCodeAt(0) % 2 === 0;
  if (isFaultFirst) twin.send(linkMessages.fault(unknown));
  twin.send(refusedRoute(circuitId, attempt));
  if (!isFaultFirst) twin.send(linkMessages.fault(unknown));
  return false;
}

/** 1022: a link of the path is not known. */
function refusedRoute(circuitId: string, attempt: number): Message {
  const headers = encodeHeaders([
    [1101, uint32Value(attempt)],
    [1103, textValue('link not found')],
    [1104, Buffer.of(8)],
  ]);
  return { contentType: contentTypes.routeResult, headers, body: Buffer.from(circuitId) };
}

// The messages that tell the routers of a path about a circuit
// (behaviour/control-channel#circuits).

import type { Message } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { encodeMessage, fabric } from '../../channel/messages/messages.ts';
import { linkIdOf } from '../../records/link.ts';
import { type PeerData, peerDataField } from './peer-data.ts';

/** The attempt that marks a circuit which exists already and gets another path. */
export const rerouteAttempt = 99_969_996;

/** The path of a circuit, with the addresses of its ends. */
export interface RoutedPath {
  readonly routers: readonly string[];
  readonly links: readonly string[];
  readonly ingressId: string;
  readonly egressId: string;
}

/** What the routers of a path are told. */
export interface RouteOptions {
  readonly circuitId: string;
  readonly attempt: number;
  readonly path: RoutedPath;
  /** How the last router reaches the host; absent when it has been told before. */
  readonly egress:
    | { readonly binding: string; readonly destination: string; readonly peerData: PeerData }
    | undefined;
  /** How long the routers may take. */
  readonly timeoutMs: number;
  readonly tags: Readonly<Record<string, string>>;
}

/** One message for each router of the path, in its order. */
export function routeMessages(options: RouteOptions): Message[] {
  const { circuitId, attempt, path, egress, timeoutMs, tags } = options;
  const last = path.routers.length - 1;
  return path.routers.map((_, at) => {
    const route: fabric.Route.$Properties = {
      circuitId,
      attempt,
      forwards: forwardsAt(path, at),
      timeout: Math.max(1, Math.round(timeoutMs)) * nanosecondsPerMs,
      tags,
    };
    if (at === last && egress !== undefined) {
      const { binding, destination } = egress;
      const peerData = peerDataField(egress.peerData);
      route.egress = { binding, address: path.egressId, destination, peerData };
    }
    return { contentType: contentTypes.route, body: encodeMessage(fabric.Route, route) };
  });
}

/** The message that has a router forget a circuit; `now` also drops what is under way. */
export function unrouteMessage(circuitId: string, now: boolean): Message {
  return {
    contentType: contentTypes.unroute,
    body: encodeMessage(fabric.Unroute, { circuitId, now }),
  };
}

const nanosecondsPerMs = 1e6;

/**
 * The two ways through a router of the path: on from the client's side, and back. Neighbours meet
 * at the link between them.
 */
function forwardsAt(path: RoutedPath, at: number): fabric.Route.Forward.$Properties[] {
  const { START, END, LINK } = fabric.DestType;
  const { links, ingressId, egressId } = path;
  const [before, after] = [links[at - 1], links[at]].map((key) => key && linkIdOf(key));
  const [back, backType] = before === undefined ? [ingressId, START] : [before, LINK];
  const [on, onType] = after === undefined ? [egressId, END] : [after, LINK];
  return [
    { srcAddress: back, dstAddress: on, dstType: onType },
    { srcAddress: on, dstAddress: back, dstType: backType },
  ];
}

// Links between routers: what routers report of them, what they are told of each other, and how
// fast their links are (behaviour/control-channel#links-and-paths).

import type { Frame } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import { decodeMessage, fabric } from '../../channel/messages/messages.ts';
import { type RouterRecord, routerKind } from '../../records/router.ts';
import type { RoutersContext } from '../context.ts';
import type { MetricsReader } from '../metrics/router-metrics.ts';
import type { ConnectedRouter, LinkFault, RouterFeature } from '../router-feature.ts';
import { boundedListeners } from './link-listeners.ts';
import { LinkMetrics } from './link-metrics.ts';
import { NamedLinks } from './named-links.ts';
import { Peers } from './peers.ts';
import { followRemovals } from './removals.ts';
import { ReportedLinks } from './reported-links.ts';

/** The feature of links; `env.paths` finds paths over them. */
export interface Links extends RouterFeature {
  /** Takes a fault that names a link; one of an iteration before the present one is left out. */
  readonly linkFault: LinkFault;
  /** Reads the latencies of links out of metrics. */
  readonly latencies: MetricsReader;
}

/** Creates the feature. */
export function createLinks(context: RoutersContext): Links {
  const { env, connected } = context;
  const { paths, bounds } = env;
  const named = new NamedLinks(context);
  const reported = new ReportedLinks(context, named, bounds);
  const peers = new Peers(context);
  followRemovals(context);
  return {
    handlers: new Map([
      [contentTypes.routerLinks, (router, frame) => reported.take(router, frame)],
      [contentTypes.linkState, (router, frame) => reported.takeConnections(router, frame)],
      [contentTypes.verifyRouter, (router, frame) => verify(context, reported, router, frame)],
      [
        contentTypes.linkListeners,
        (router, { body }) => {
          const { listeners } = decodeMessage(fabric.Listeners, body);
          const acceptedLinks = router.linkListeners.length > 0;
          router.linkListeners = boundedListeners(listeners);
          if (router.linkListeners.length > 0 !== acceptedLinks) reported.settle(router.id);
          peers.listenersChanged(router);
        },
      ],
    ]),
    connected(router) {
      paths.routerConnected(router.id, router.isQuiesced);
      reported.settle(router.id);
      peers.connected(router);
    },
    disconnected(router) {
      peers.disconnected(router);
      // A newer connection has taken its place.
      if (connected.get(router.id) !== undefined) return;
      paths.routerDisconnected(router.id);
      reported.settle(router.id);
    },
    linkFault: (router, fault) => reported.fault(router, fault),
    latencies: new LinkMetrics(context, named),
  };
}

/** A router that accepts a link asks whether the certificates are those of the other router. */
function verify(
  { env, durable }: RoutersContext,
  reported: ReportedLinks,
  { id, channel }: ConnectedRouter,
  frame: Frame,
): void {
  const { routerId, fingerprints } = decodeMessage(fabric.VerifyRouter, frame.body);
  const record = env.store.table(routerKind).find(routerId)?.record;
  const refusal = refusalOf(record, fingerprints);
  if (refusal === undefined) reported.accepted(id, routerId);
  if (refusal !== undefined) channel.replyResult(frame, false, refusal);
  // What was found may still be lost by a crash.
  else durable.when(env.store.fence.lsn, () => channel.replyResult(frame, true));
}

function refusalOf(
  record: RouterRecord | undefined,
  fingerprints: readonly string[],
): string | undefined {
  if (record === undefined) return 'there is no router with this id';
  if (record.disabled) return 'the router is disabled';
  const { fingerprint } = record;
  if (fingerprint === undefined) return 'the router has not enrolled';
  const isKnown = fingerprints.some((shown) => shown.toLowerCase() === fingerprint);
  return isKnown ? undefined : 'the router has another certificate';
}

// Metrics of the control channels of routers.

import { byLabel, counter, type Definitions, gauge } from './metric.ts';
import type { WatchedCore } from './sources.ts';

/** Metrics of routers; their number by state is among the instances of machines. */
export const routerMetrics: Definitions<WatchedCore> = {
  edge_control_routers_connected: gauge(
    'Routers with an open control channel.',
    ({ routers }) => routers.connected.size,
  ),
  edge_control_routers_waiting: gauge(
    'Work for routers that waits for its turn after they have connected.',
    ({ routers }) => routers.figures.waiting,
  ),
  edge_control_router_hellos_refused_total: counter(
    'Hellos of routers that were refused, by reason.',
    function* ({ routers }) {
      for (const [reason, count] of Object.entries(routers.figures.refused)) {
        yield [count, { reason }];
      }
    },
  ),
  edge_control_router_frames_total: counter(
    'Frames on control channels, by direction.',
    ({ routers: { counts } }) => [
      [counts.framesReceived, { direction: 'in' }],
      [counts.framesSent, { direction: 'out' }],
    ],
  ),
  edge_control_router_bytes_total: counter(
    'Bytes on control channels, by direction.',
    ({ routers: { counts } }) => [
      [counts.bytesReceived, { direction: 'in' }],
      [counts.bytesSent, { direction: 'out' }],
    ],
  ),
  edge_control_router_frames_held_back_total: counter(
    'How often a router had to wait because it sent more frames per second than it may.',
    ({ routers }) => routers.counts.framesHeldBack,
  ),
  edge_control_router_messages_unhandled_total: counter(
    'Messages of routers that were not handled: of an unknown type, or for an error of the controller.',
    ({ routers: { counts, figures } }) => [
      [counts.framesUnknown, { reason: 'unknown' }],
      [figures.failedMessages, { reason: 'failed' }],
    ],
  ),
  edge_control_router_channels_ended_total: counter(
    'Control channels that the controller has ended for a fault of the router, by fault.',
    ({ routers: { counts } }) => [
      [counts.closedMalformed, { fault: 'malformed' }],
      [counts.closedSilent, { fault: 'silent' }],
      [counts.closedUnread, { fault: 'unread' }],
      [counts.closedHeavy, { fault: 'memory' }],
    ],
  ),
  edge_control_router_unroutes_waiting: gauge(
    'Circuits that routers which are away must be told to forget on their return.',
    ({ routers: { traffic } }) => traffic?.circuits.unroutesWaiting,
  ),
  edge_control_usage_bytes_total: counter(
    'Bytes that circuits carried, as their routers count them, by direction: rx is what the router received, from the client that dialed (ingress), from the host (egress) or from another router (fabric).',
    ({ routers: { traffic } }) =>
      traffic && byLabel('direction', Object.entries(traffic.usage.bytes)),
  ),
  edge_control_usage_buckets_refused_total: counter(
    'Buckets of usage that were not counted, by reason.',
    ({ routers: { traffic } }) =>
      traffic && byLabel('reason', Object.entries(traffic.usage.refused)),
  ),
  edge_control_usage_rows_dropped_total: counter(
    'Sums of usage by the hour that were not kept, as there were too many, by what they were of.',
    ({ routers: { traffic } }) => traffic && byLabel('rows', Object.entries(traffic.usage.dropped)),
  ),
  edge_control_router_series: gauge(
    'Series of routers that are offered at /metrics/routers.',
    ({ routers: { traffic } }) => traffic?.series?.size,
  ),
  edge_control_router_series_dropped_total: counter(
    'Series of routers that were left out, as there were too many.',
    ({ routers: { traffic } }) => traffic?.series?.dropped,
  ),
  edge_control_service_health_checks_total: counter(
    'Checks of their own health that hosts have told of, by result.',
    ({ routers: { traffic } }) => [
      [traffic?.health.passed ?? 0, { result: 'passed' }],
      [traffic?.health.failed ?? 0, { result: 'failed' }],
    ],
  ),
};

// Metrics of requests, authentication, the queue of hashes and the listeners.

import type { FrontCounters } from '../http/front/peers.ts';
import type { ServerCounters } from '../http/server/server.ts';
import {
  byLabel,
  counter,
  type Definitions,
  gauge,
  histogram,
  type LabelledValue,
  type Metric,
  metricsOf,
} from './metric.ts';
import type { Sources, WatchedCore, WatchedListeners } from './sources.ts';

/** These metrics. */
export function requestMetrics(sources: Sources): Metric[] {
  return [
    ...metricsOf(() => sources.core, { ...answers, ...hashes }),
    ...metricsOf(() => sources.listeners, listeners),
    ...metricsOf(() => sources, workers),
    ...metricsOf(() => sources.listeners?.frontCounters(), front),
  ];
}

const answers: Definitions<WatchedCore> = {
  edge_control_http_request_duration_seconds: histogram(
    'From the whole request to its answer, by operation; operation none is for paths of none.',
    function* ({ requests }) {
      for (const { operation, method, statusClass: status, seconds } of requests.series()) {
        yield [seconds, { operation, method, status }];
      }
    },
  ),
  edge_control_http_errors_total: counter(
    'Answers that were errors, by error code.',
    ({ requests }) => byLabel('code', requests.errors),
  ),
  edge_control_authentications_total: counter(
    'Attempts to authenticate, by method and outcome.',
    function* ({ requests }) {
      for (const [method, outcome, count] of requests.authentications()) {
        yield [count, { method, outcome }];
      }
    },
  ),
  edge_control_rate_refusals_total: counter(
    'Requests and filters that were refused as their caller does too much too fast, by rate.',
    ({ rates }) => byLabel('rate', Object.entries(rates.refused)),
  ),
  edge_control_http_answers_held: gauge(
    'Answers that wait for the log to make durable what they rest on.',
    ({ held }) => held.size,
  ),
};

const hashes: Definitions<WatchedCore> = {
  edge_control_hashes_running: gauge(
    'Password hashes being computed.',
    ({ hashing }) => hashing.queue.figures.running,
  ),
  edge_control_hashes_waiting: gauge(
    'Password hashes that wait for a core.',
    ({ hashing }) => hashing.queue.figures.waiting,
  ),
  edge_control_hashes_total: counter(
    'Password hashes begun.',
    ({ hashing }) => hashing.queue.figures.admitted,
  ),
  edge_control_hashes_refused_total: counter(
    'Password hashes refused as too many waited (429).',
    ({ hashing }) => hashing.queue.figures.refused,
  ),
  edge_control_hash_duration_seconds: histogram(
    'What a password hash takes.',
    ({ hashing }) => hashing.ran,
  ),
  edge_control_hash_wait_seconds: histogram(
    'How long a password hash waits for its turn.',
    ({ hashing }) => hashing.waited,
  ),
};

const listeners: Definitions<WatchedListeners> = {
  edge_control_listener_requests_total: counter('Requests begun.', countOf('requests')),
  edge_control_listener_requests_in_flight: gauge(
    'Requests that are not answered yet.',
    countOf('requestsInFlight'),
  ),
  edge_control_listener_requests_aborted_total: counter(
    'Requests whose peer left before the answer was out.',
    countOf('requestsAborted'),
  ),
  edge_control_listener_failures_total: counter(
    'Requests that failed outside of their operation: a bug worth reporting.',
    countOf('handlerFailures'),
  ),
  edge_control_listener_requests_deferred_total: counter(
    'Requests that waited for a later turn of the event loop, as theirs had enough of them.',
    ({ requestsDeferred }) => requestsDeferred,
  ),
  edge_control_listener_refused_total: counter(
    'Requests and connections refused before any operation, by reason.',
    function* ({ watched }) {
      for (const { name: listener, counters } of watched) {
        yield [counters.bodiesTooLarge, { listener, reason: 'body_too_large' }];
        yield [counters.bodiesTimedOut, { listener, reason: 'body_timed_out' }];
        yield [counters.bodiesRefused, { listener, reason: 'bodies_too_many' }];
        yield [counters.requestsMalformed, { listener, reason: 'malformed' }];
        yield [counters.answersCutOff, { listener, reason: 'answer_not_read' }];
        yield [counters.unknownConnections, { listener, reason: 'unknown_connection' }];
      }
    },
  ),
  edge_control_tls_workers: gauge('TLS worker threads.', ({ workers }) => workers),
};

function countOf(name: keyof ServerCounters) {
  return function* ({ watched }: WatchedListeners): Generator<LabelledValue> {
    for (const { name: listener, counters } of watched) yield [counters[name], { listener }];
  };
}

const workers: Definitions<Sources> = {
  edge_control_tls_worker_failures_total: counter(
    'TLS workers that died; another took the place of each.',
    ({ workerFailures }) => workerFailures,
  ),
};

const front: Definitions<FrontCounters> = {
  edge_control_tls_handshakes_unfinished: gauge(
    'TLS handshakes under way.',
    ({ handshakesUnfinished }) => handshakesUnfinished,
  ),
  edge_control_tls_handshakes_waiting: gauge(
    'Connections whose TLS handshake waits for its turn.',
    ({ handshakesWaiting }) => handshakesWaiting,
  ),
  edge_control_tls_handshakes_failed_total: counter(
    'TLS handshakes that came to nothing, by reason.',
    (counters) => [
      [counters.handshakesFailed, { reason: 'error' }],
      [counters.handshakesTimedOut, { reason: 'timeout' }],
      [counters.handshakesDropped, { reason: 'dropped' }],
    ],
  ),
  edge_control_tls_connections_open: gauge(
    'Open connections of the TLS front.',
    ({ connectionsOpen }) => connectionsOpen,
  ),
  edge_control_tls_control_connections_open: gauge(
    'Open control connections of routers, of those of the TLS front.',
    ({ controlConnectionsOpen }) => controlConnectionsOpen,
  ),
  edge_control_tls_connections_total: counter(
    'Connections that the TLS front has taken.',
    ({ connectionsAccepted }) => connectionsAccepted,
  ),
  edge_control_tls_connections_refused_total: counter(
    'Connections closed at once, as there were too many in all or of their address.',
    (counters) => [
      [counters.connectionsRefused, { reason: 'connections' }],
      [counters.connectionsRefusedOfAddress, { reason: 'address' }],
      [counters.controlRefused, { reason: 'control' }],
    ],
  ),
  edge_control_tls_connections_closed_total: counter(
    'Connections of the TLS front that ended, by reason.',
    (counters) => [
      [counters.closedSilent, { reason: 'silent' }],
      [counters.closedIdle, { reason: 'idle' }],
      [counters.connectionsDisplaced, { reason: 'displaced' }],
      [counters.closedProxyHeader, { reason: 'proxy_header' }],
      [counters.closedCertificatesTooLarge, { reason: 'certificates_too_large' }],
      [counters.controlTooLate, { reason: 'control_too_late' }],
      [counters.controlAbandoned, { reason: 'control_abandoned' }],
      [counters.controlUnfit, { reason: 'control_unfit' }],
      [counters.closedByServer, { reason: 'server' }],
      [counters.closedByClient, { reason: 'client' }],
    ],
  ),
  edge_control_tls_certificates_total: counter(
    'Connections that came with a client certificate.',
    ({ certificatesShown }) => certificatesShown,
  ),
};

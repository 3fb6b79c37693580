// Metrics of requests, authentication, the queue of hashes and the listeners.

import type { FrontCounters } from '../http/front/connections.ts';
import { counter, gauge, histogram, type LabelledValue, type Metric } from './metric.ts';
import type { Sources } from './sources.ts';

/** These metrics. */
export function requestMetrics(sources: Sources): Metric[] {
  return [...answers(sources), ...hashes(sources), ...listeners(sources), ...front(sources)];
}

function answers(sources: Sources): Metric[] {
  return [
    histogram(
      'edge_control_http_request_duration_seconds',
      'From the whole request to its answer, by operation; operation none is for paths of none.',
      function* () {
        for (const series of sources.core?.requests.series() ?? []) {
          const { operation, method, statusClass: status, seconds } = series;
          yield [seconds, { operation, method, status }];
        }
      },
    ),
    counter('edge_control_http_errors_total', 'Answers that were errors, by error code.', () =>
      labelledValues(sources.core?.requests.errors ?? [], 'code'),
    ),
    counter(
      'edge_control_authentications_total',
      'Attempts to authenticate, by method and outcome.',
      function* () {
        for (const one of sources.core?.requests.authentications() ?? []) {
          const [method, outcome, count] = one;
          yield [count, { method, outcome }];
        }
      },
    ),
    counter(
      'edge_control_rate_refusals_total',
      'Requests and filters that were refused as their caller does too much too fast, by rate.',
      () => labelledValues(Object.entries(sources.core?.rates.refused ?? {}), 'rate'),
    ),
    gauge(
      'edge_control_http_answers_held',
      'Answers that wait for the log to make durable what they rest on.',
      () => sources.core?.held.size,
    ),
  ];
}

function hashes(sources: Sources): Metric[] {
  const figures = () => sources.core?.hashing.queue.figures;
  return [
    gauge(
      'edge_control_hashes_running',
      'Password hashes being computed.',
      () => figures()?.running,
    ),
    gauge(
      'edge_control_hashes_waiting',
      'Password hashes that wait for a core.',
      () => figures()?.waiting,
    ),
    counter('edge_control_hashes_total', 'Password hashes begun.', () => figures()?.admitted),
    counter(
      'edge_control_hashes_refused_total',
      'Password hashes refused as too many waited (429).',
      () => figures()?.refused,
    ),
    histogram(
      'edge_control_hash_duration_seconds',
      'What a password hash takes.',
      () => sources.core?.hashing.ran,
    ),
    histogram(
      'edge_control_hash_wait_seconds',
      'How long a password hash waits for its turn.',
      () => sources.core?.hashing.waited,
    ),
  ];
}

function listeners(sources: Sources): Metric[] {
  const of = (name: 'requests' | 'requestsInFlight' | 'requestsAborted' | 'handlerFailures') =>
    function* (): Generator<LabelledValue> {
      for (const { name: listener, counters } of sources.listeners?.watched ?? []) {
        yield [counters[name], { listener }];
      }
    };
  return [
    counter('edge_control_listener_requests_total', 'Requests begun.', of('requests')),
    gauge(
      'edge_control_listener_requests_in_flight',
      'Requests that are not answered yet.',
      of('requestsInFlight'),
    ),
    counter(
      'edge_control_listener_requests_aborted_total',
      'Requests whose peer left before the answer was out.',
      of('requestsAborted'),
    ),
    counter(
      'edge_control_listener_failures_total',
      'Requests that failed outside of their operation: a bug worth reporting.',
      of('handlerFailures'),
    ),
    counter(
      'edge_control_listener_requests_deferred_total',
      'Requests that waited for a later turn of the event loop, as theirs had enough of them.',
      () => sources.listeners?.requestsDeferred,
    ),
    counter(
      'edge_control_listener_refused_total',
      'Requests and connections refused before any operation, by reason.',
      function* () {
        for (const { name: listener, counters } of sources.listeners?.watched ?? []) {
          yield [counters.bodiesTooLarge, { listener, reason: 'body_too_large' }];
          yield [counters.bodiesTimedOut, { listener, reason: 'body_timed_out' }];
          yield [counters.bodiesRefused, { listener, reason: 'bodies_too_many' }];
          yield [counters.requestsMalformed, { listener, reason: 'malformed' }];
          yield [counters.answersCutOff, { listener, reason: 'answer_not_read' }];
          yield [counters.unknownConnections, { listener, reason: 'unknown_connection' }];
        }
      },
    ),
  ];
}

function front(sources: Sources): Metric[] {
  const counters = () => sources.listeners?.frontCounters();
  return [
    ...handshakes(counters),
    gauge('edge_control_tls_workers', 'TLS worker threads.', () => sources.listeners?.workers),
    counter(
      'edge_control_tls_worker_failures_total',
      'TLS workers that died; another took the place of each.',
      () => sources.workerFailures,
    ),
    gauge(
      'edge_control_tls_connections_open',
      'Open connections of the TLS front.',
      () => counters()?.connectionsOpen,
    ),
    counter(
      'edge_control_tls_connections_total',
      'Connections that the TLS front has taken.',
      () => counters()?.connectionsAccepted,
    ),
    counter(
      'edge_control_tls_connections_refused_total',
      'Connections closed at once, as there were too many in all or of their address.',
      () => {
        const found = counters();
        return (
          found && [
            [found.connectionsRefused, { reason: 'connections' }],
            [found.connectionsRefusedOfAddress, { reason: 'address' }],
          ]
        );
      },
    ),
    counter(
      'edge_control_tls_connections_closed_total',
      'Connections of the TLS front that ended, by reason.',
      () => {
        const found = counters();
        return (
          found && [
            [found.closedSilent, { reason: 'silent' }],
            [found.closedIdle, { reason: 'idle' }],
            [found.closedProxyHeader, { reason: 'proxy_header' }],
            [found.closedCertificatesTooLarge, { reason: 'certificates_too_large' }],
            [found.closedByServer, { reason: 'server' }],
            [found.closedByClient, { reason: 'client' }],
          ]
        );
      },
    ),
    counter(
      'edge_control_tls_certificates_total',
      'Connections that came with a client certificate.',
      () => counters()?.certificatesShown,
    ),
  ];
}

function handshakes(counters: () => FrontCounters | undefined): Metric[] {
  return [
    gauge(
      'edge_control_tls_handshakes_unfinished',
      'TLS handshakes under way.',
      () => counters()?.handshakesUnfinished,
    ),
    gauge(
      'edge_control_tls_handshakes_waiting',
      'Connections whose TLS handshake waits for its turn.',
      () => counters()?.handshakesWaiting,
    ),
    counter(
      'edge_control_tls_handshakes_failed_total',
      'TLS handshakes that came to nothing, by reason.',
      () => {
        const found = counters();
        return (
          found && [
            [found.handshakesFailed, { reason: 'error' }],
            [found.handshakesTimedOut, { reason: 'timeout' }],
            [found.handshakesDropped, { reason: 'dropped' }],
          ]
        );
      },
    ),
  ];
}

function* labelledValues(
  counts: Iterable<readonly [string, number]>,
  label: string,
): Generator<LabelledValue> {
  for (const [name, count] of counts) yield [count, { [label]: name }];
}

// What routers measure, as events for programs (behaviour/events#metrics).

import type { RoutersContext } from '../context.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import { measurementOf } from './measurement.ts';
import { metricsFields } from './metrics-fields.ts';
import type { MetricsReader, MetricsReading } from './router-metrics.ts';

/** Tells what routers measure while somebody wants it. */
export class MetricEvents implements MetricsReader {
  readonly #env: RoutersContext['env'];
  /** Monotonic ms at which the metrics of a router were last told. */
  readonly #toldMs = new WeakMap<ConnectedRouter, number>();

  constructor({ env }: Pick<RoutersContext, 'env'>) {
    this.#env = env;
  }

  /** A message that comes too soon after another one is left out. */
  begin(router: ConnectedRouter): MetricsReading | undefined {
    const { events, clock } = this.#env;
    if (!events.wants('metrics')) return undefined;
    const nowMs = clock.monotonic();
    if (
      nowMs - (this.#toldMs.get(router) ?? Number.NEGATIVE_INFINITY) <
      metricEventsIntervalMinMs
    ) {
      return undefined;
    }
    this.#toldMs.set(router, nowMs);
    let eventId = `${router.id} ${clock.now()}`;
    let left = metricsAMessageMax;
    return {
      take: (field, bytes) => {
        if (field === metricsFields.eventId && bytes.length <= eventIdBytesMax) {
          eventId = bytes.toString();
        }
        const measurement = left > 0 ? measurementOf(field, bytes) : undefined;
        if (measurement === undefined) return undefined;
        left -= 1;
        const { metric, entityId, kind, values } = measurement;
        events.tell('metrics', {
          metric,
          metric_type: kind,
          metrics: values,
          source_id: router.id,
          source_entity_id: entityId,
          source_event_id: eventId,
          version: 3,
        });
        return undefined;
      },
    };
  }
}

/** A router's metrics are told at most once per this time; it sends them once a minute. @bound */
const metricEventsIntervalMinMs = 1000;

/** Metrics of one message that are told; a router with 500 links has 4,000. @bound per entity */
const metricsAMessageMax = 5000;

/** Bytes of the id that a router gives a message. @bound */
const eventIdBytesMax = 100;

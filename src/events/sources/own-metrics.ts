// Figures of the controller as events, once a minute (behaviour/events#metrics).

import type { Observation } from '../../monitoring/observation.ts';
import type { EventSink } from '../../observe/events.ts';
import type { Clock, Timer } from '../../platform/ports.ts';

/** What the figures are told with. */
export interface OwnMetricsOptions {
  readonly events: EventSink;
  readonly observation: Pick<Observation, 'figures'>;
  readonly clock: Clock;
  /** Id of the controller, or of the node of a cluster. */
  readonly sourceId: () => string;
}

/** Tells figures at intervals while somebody wants them. */
export class OwnMetrics {
  readonly #options: OwnMetricsOptions;
  #timer: Timer | undefined;

  constructor(options: OwnMetricsOptions) {
    this.#options = options;
  }

  /** Others want events than before. */
  changed(): void {
    const { events, clock } = this.#options;
    if (!events.wants('metrics')) this.stop();
    else {
      this.#timer ??= clock.after(metricsEveryMs, () => {
        this.#timer = undefined;
        tell(this.#options);
        this.changed();
      });
    }
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

function tell({ events, observation, clock, sourceId }: OwnMetricsOptions): void {
  const eventId = `${sourceId()} ${clock.now()}`;
  for (const [name, value] of Object.entries(observation.figures())) {
    if (typeof value !== 'number') continue;
    events.tell('metrics', {
      metric: name,
      metric_type: Number.isInteger(value) ? 'intValue' : 'floatValue',
      metrics: { value },
      source_id: sourceId(),
      source_entity_id: '',
      source_event_id: eventId,
      version: 3,
    });
  }
}

/** Routers send theirs as often. */
const metricsEveryMs = 60_000;

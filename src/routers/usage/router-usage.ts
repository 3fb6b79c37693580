// Counts how many bytes circuits carry, by the usage counters in metrics of routers
// (behaviour/usage).

import type { MessageSteps } from '../../channel/channel-api.ts';
import type { EventSink } from '../../observe/events.ts';
import { circuitKind } from '../../records/circuit.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { RoutersContext } from '../context.ts';
import { metricsFields } from '../metrics/metrics-fields.ts';
import type { MetricsReader, MetricsReading } from '../metrics/router-metrics.ts';
import type { ConnectedRouter } from '../router-feature.ts';
import type { UsageHours } from './usage-hours.ts';
import {
  type CountedBucket,
  UsageLedger,
  type UsageRefusal,
  type UsedCircuit,
  usageLedgerBounds,
} from './usage-ledger.ts';
import {
  noBytes,
  readUsage,
  type UsageBucket,
  type UsageBytes,
  usageCounters,
} from './usage-message.ts';
import { addedBytes } from './usage-sums.ts';

/** What was counted since the start. */
export interface UsageFigures {
  readonly bytes: Readonly<UsageBytes>;
  /** Buckets that changed nothing, by reason. */
  readonly refused: Readonly<Record<UsageRefusal | 'unreadable', number>>;
  /** Sums that were not kept, as there were too many. */
  readonly dropped: UsageHours['dropped'];
}

/** Reads usage out of metrics. */
export class RouterUsage implements MetricsReader {
  readonly #ledger: UsageLedger;
  readonly #hours: UsageHours;
  readonly #events: EventSink;
  readonly #bytes = noBytes();
  readonly #refused: Record<UsageRefusal | 'unreadable', number> = {
    repeated: 0,
    unknown_circuit: 0,
    off_path: 0,
    other_time: 0,
    excess: 0,
    unreadable: 0,
  };
  readonly figures: UsageFigures;

  constructor({ env }: Pick<RoutersContext, 'env'>) {
    const { store, clock, bounds, usage, events } = env;
    this.#hours = usage;
    this.#events = events;
    this.#ledger = new UsageLedger({
      circuits: store.table(circuitKind),
      clock,
      bounds: boundsOf(usageLedgerBounds, bounds),
    });
    this.figures = { bytes: this.#bytes, refused: this.#refused, dropped: usage.dropped };
  }

  begin({ id }: ConnectedRouter): MetricsReading {
    const taker = {
      bucket: (bucket: UsageBucket) => this.#take(id, bucket),
      unreadable: () => {
        this.#refused.unreadable += 1;
      },
    };
    return {
      take: (field, bytes): MessageSteps | undefined =>
        field === metricsFields.usageCounters ? readUsage(bytes, taker) : undefined,
    };
  }

  #take(routerId: string, bucket: UsageBucket): void {
    const counted = this.#ledger.count(routerId, bucket);
    if (typeof counted === 'string') {
      this.#refused[counted] += 1;
      return;
    }
    const bytes = countedBytes(bucket.bytes, counted);
    if (this.#events.wants('usage')) this.#tell(routerId, bucket, bytes, counted.circuit);
    for (const name of usageCounters) {
      this.#bytes[name] = addedBytes(this.#bytes[name], bytes[name]);
    }
    this.#hours.add(bucket.startSeconds, counted.circuit, {
      clientSentBytes: bytes['ingress.rx'],
      clientReceivedBytes: bytes['ingress.tx'],
      hostSentBytes: bytes['egress.rx'],
      hostReceivedBytes: bytes['egress.tx'],
    });
  }

  /** A bucket as an event (behaviour/events#usage). */
  #tell(
    routerId: string,
    { circuitId, startSeconds, lengthSeconds }: UsageBucket,
    bytes: UsageBytes,
    { serviceId, identityId: clientId, hostId }: UsedCircuit,
  ): void {
    this.#events.tell('usage', {
      version: 3,
      source_id: routerId,
      circuit_id: circuitId,
      usage: Object.fromEntries(Object.entries(bytes).filter(([, count]) => count > 0)),
      interval_start_utc: startSeconds,
      interval_length: lengthSeconds,
      tags: { clientId, hostId, serviceId },
    });
  }
}

/** Only the first router of a circuit has its client, and only the last one its host. */
function countedBytes(
  bytes: UsageBytes,
  { isFirstRouter, isLastRouter }: CountedBucket,
): UsageBytes {
  const counted = { ...bytes };
  if (!isFirstRouter) counted['ingress.rx'] = counted['ingress.tx'] = 0;
  if (!isLastRouter) counted['egress.rx'] = counted['egress.tx'] = 0;
  return counted;
}

// What routers measure (1007): one pass over each message, for all parts that read some of it
// (behaviour/usage, behaviour/control-channel#links-and-paths).

import type { MessageSteps } from '../../channel/channel-api.ts';
import { contentTypes } from '../../channel/content-types.ts';
import type { ConnectedRouter, RouterFeature } from '../router-feature.ts';
import { MetricsFields } from './metrics-fields.ts';

/** A part that reads some of the metrics of routers. */
export interface MetricsReader {
  /** A router has sent metrics. @returns undefined when this part reads none of them */
  begin(router: ConnectedRouter): MetricsReading | undefined;
}

/** What one part reads of one message. */
export interface MetricsReading {
  /**
   * Takes a field of the message by its number; the bytes are a view. @throws MalformedMessage
   */
  take(field: number, bytes: Buffer): MessageSteps | undefined;
  /** The message was read to its end. */
  end?(): MessageSteps | undefined;
}

/** Hands the metrics of routers to all parts that read them. */
export function createRouterMetrics(readers: readonly MetricsReader[]): RouterFeature {
  return {
    handlers: new Map([
      [contentTypes.metrics, (router, { body }) => readMetrics(readers, router, body)],
    ]),
  };
}

function* readMetrics(
  readers: readonly MetricsReader[],
  router: ConnectedRouter,
  body: Buffer,
): MessageSteps {
  const readings = readers.flatMap((reader) => reader.begin(router) ?? []);
  if (readings.length === 0) return;
  const fields = new MetricsFields(body);
  while (fields.next()) {
    if (fields.endsStep()) yield;
    const { number } = fields;
    const bytes = fields.bytes();
    if (bytes === undefined) continue;
    for (const reading of readings) {
      const steps = reading.take(number, bytes);
      if (steps !== undefined) yield* steps;
    }
  }
  for (const reading of readings) {
    const steps = reading.end?.();
    if (steps !== undefined) yield* steps;
  }
}

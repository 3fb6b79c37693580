// Servers that should keep the log and do not: the next failure may stop the cluster.

import { millis } from '@nats-io/transport-node';
import { apiErrors, isApiError, oneLine } from './failure.ts';
import type { NatsLink } from './link.ts';
import { type DataSet, logStream } from './names.ts';

/** The leader of the stream hears each of them several times per second, in ms. */
const silenceToldMs = 10_000;

/**
 * One sentence per server that has not taken part in keeping the log for a while; none if there is
 * no log.
 * @throws StreamUnreachable
 */
export async function replicaFaults(link: NatsLink, dataSet: DataSet): Promise<readonly string[]> {
  const cluster = await link.ask(async ({ api }) => {
    try {
      return (await api.streams.info(logStream(dataSet))).cluster;
    } catch (thrown) {
      if (isApiError(thrown, apiErrors.streamNotFound)) return undefined;
      throw thrown;
    }
  });
  return (cluster?.replicas ?? []).flatMap(({ name, active, offline }) => {
    const silentMs = millis(active);
    if (offline !== true && silentMs <= silenceToldMs) return [];
    const seconds = Math.round(silentMs / 1000);
    return [
      `NATS server ${oneLine(name)} has kept nothing of the log for ${seconds} s: see to it, its disk and its network.`,
    ];
  });
}

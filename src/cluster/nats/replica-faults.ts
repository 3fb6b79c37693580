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
  return (cluster?.replicas ?? []).flatMap(({ name, current, active, offline, lag = 0 }) => {
    // A server that the present leader of the stream has never heard of is 0 ns old.
    const isSilent = !current && (active === 0 || millis(active) > silenceToldMs);
    if (offline !== true && !isSilent) return [];
    return [
      `NATS server ${oneLine(name)} keeps nothing of the log any more and is ${lag} entries behind: see to it, its disk and its network.`,
    ];
  });
}

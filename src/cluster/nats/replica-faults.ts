// Asks NATS about the servers that should keep the streams.

import { StreamUnreachable } from '../stream.ts';
import { faultsOfCopies, type KeptStream } from './copies.ts';
import { apiErrors, isApiError } from './failure.ts';
import type { NatsLink } from './link.ts';
import {
  type DataSet,
  keyValueStream,
  logStream,
  membersBucket,
  objectStream,
  snapshotsBucket,
} from './names.ts';

/**
 * One sentence per server that has not taken part in keeping a stream for a while, or is behind,
 * and per streams that fewer servers keep than have to; none for a stream that is not there, or
 * whose leader does not answer.
 */
export async function replicaFaults(link: NatsLink, dataSet: DataSet): Promise<readonly string[]> {
  const names = {
    'the log': logStream(dataSet),
    'the directory of the nodes': keyValueStream(membersBucket(dataSet)),
    'the snapshots': objectStream(snapshotsBucket(dataSet)),
  };
  const streams = new Map<string, KeptStream>();
  for (const [title, name] of Object.entries(names)) {
    // Each of them is led by another server, and one that does not answer hides no other.
    const info = await infoOf(link, name).catch(noneIfUnreachable);
    if (info !== undefined) streams.set(title, info);
  }
  return faultsOfCopies(streams);
}

async function infoOf(link: NatsLink, name: string): Promise<KeptStream | undefined> {
  return await link.ask(async ({ api }) => {
    try {
      return await api.streams.info(name);
    } catch (thrown) {
      if (isApiError(thrown, apiErrors.streamNotFound)) return undefined;
      throw thrown;
    }
  });
}

function noneIfUnreachable(thrown: unknown): undefined {
  if (!(thrown instanceof StreamUnreachable)) throw thrown;
  return undefined;
}

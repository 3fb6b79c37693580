// The connections of a node to NATS, as the cluster thread loads them by the URL of this module.

import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { readWhole } from '../../../snapshots/home/file-access.ts';
import { sharedClock, systemRandom } from '../../platform/clock-and-random.ts';
import { createFetch } from '../../platform/fetch.ts';
import type { HostPort } from '../../settings/setting-type.ts';
import { type ConfiguredAccess, natsAccessOf } from '../nats/configured-access.ts';
import { openNats } from '../nats/connections.ts';
import type { DataSet } from '../nats/names.ts';
import type { Connect } from './connections.ts';

/** Where NATS is and how to get in, as data that can be sent to a thread. */
export interface NatsNodeSettings {
  readonly access: ConfiguredAccess;
  /** `limits.frameBytesMax`. */
  readonly frameBytesMax: number;
  readonly dataSet: DataSet;
  /** Copies that the stream has to have. */
  readonly replicas: number;
  /** The servers' monitoring ports, as far as they are known. */
  readonly monitoring: readonly HostPort[];
  /** Content of `pki/sealing.key`. */
  readonly sealingKey: Uint8Array;
}

/** Opens the data set; files are read for each connection, as they may be renewed. */
export const connect: Connect = (settings) => {
  const { access, frameBytesMax, dataSet, replicas, sealingKey, monitoring } =
    settings as NatsNodeSettings;
  return openNats(
    natsAccessOf(access, { frameBytesMax }, (path) => readWhole(nodeDisk, path).toString('utf8')),
    dataSet,
    { replicas },
    {
      clock: sharedClock,
      random: systemRandom,
      disk: nodeDisk,
      sealingKey: Buffer.from(sealingKey),
      fetch: createFetch({ clock: sharedClock }),
      monitoring,
    },
  );
};

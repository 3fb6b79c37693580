// The connections of a node to NATS: the module that the cluster thread loads.

import { readFileSync } from 'node:fs';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import type { ClusterConfig } from '../../cluster-config.ts';
import { sharedClock, systemRandom } from '../../system.ts';
import type { Connect } from '../thread/connections.ts';
import { differences, logConfiguration } from './configuration.ts';
import { natsAccessOf } from './configured-access.ts';
import { openNats } from './connections.ts';
import type { DataSet } from './names.ts';

/** What the thread is given for its connections. */
export interface NodeConnectionSettings {
  readonly cluster: ClusterConfig;
  readonly frameBytesMax: number;
  readonly dataSet: DataSet;
  /** Content of `pki/sealing.key`. */
  readonly sealingKey: Uint8Array;
}

/** Opens them. */
export const connect: Connect = (settings) => {
  const { cluster, frameBytesMax, dataSet, sealingKey } = settings as NodeConnectionSettings;
  const readFile = (path: string) => readFileSync(path, 'utf8');
  const access = natsAccessOf(cluster, { frameBytesMax }, readFile);
  const { replicas } = cluster;
  const parts = {
    clock: sharedClock,
    random: systemRandom,
    disk: nodeDisk,
    sealingKey: Buffer.from(sealingKey),
  };
  const wanted = logConfiguration(dataSet, { replicas });
  return {
    ...openNats(access, dataSet, { replicas }, parts),
    configurationFault: (configuration) => differences(wanted, configuration)[0],
  };
};

// The connections of a node to NATS: the module that the cluster thread loads.

import { nodeDisk } from '../../../snapshots/home/disk.ts';
import type { ClusterConfig } from '../../cluster-config.ts';
import { sharedClock, systemRandom } from '../../system.ts';
import type { Connect } from '../thread/connections.ts';
import { differences, logConfiguration } from './configuration.ts';
import { natsAccessOf } from './configured-access.ts';
import { openNats } from './connections.ts';
import { NatsLink } from './link.ts';
import type { DataSet } from './names.ts';
import { NatsPositions } from './positions.ts';

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
  const access = natsAccessOf(cluster, { frameBytesMax });
  const { replicas } = cluster;
  const parts = {
    clock: sharedClock,
    random: systemRandom,
    disk: nodeDisk,
    sealingKey: Buffer.from(sealingKey),
  };
  const { close, ...opened } = openNats(access, dataSet, { replicas }, parts);
  const link = new NatsLink(access, sharedClock, 'edge-control positions');
  const positions = new NatsPositions(link, dataSet, sharedClock);
  const wanted = logConfiguration(dataSet, { replicas });
  return {
    ...opened,
    ask: positions.ask,
    serve: (id, position) => positions.serve(id, position),
    configurationFault: (configuration) => differences(wanted, configuration)[0],
    async close() {
      positions.close();
      await Promise.all([link.close(), close()]);
    },
  };
};

// Everything of a data set that is at NATS, over the connections of one node.

import type { Clock, Disk, Random } from '../../ports.ts';
import type { Members, SharedSnapshots, Stream } from '../contract.ts';
import { logFault, type StreamSettings } from './configuration.ts';
import { type NatsAccess, NatsLink } from './link.ts';
import { NatsMembers } from './members.ts';
import type { DataSet } from './names.ts';
import { NatsResources } from './resources.ts';
import { NatsSnapshots } from './snapshots.ts';
import { NatsStream } from './stream.ts';

/** What the connections need of their surroundings. */
export interface NatsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  /** Content of `pki/sealing.key`, from which the key of the MACs of snapshots is derived. */
  readonly sealingKey: Buffer;
}

/** A data set at NATS. Connections are made when they are first needed. */
export interface NatsDataSet {
  readonly stream: Stream;
  readonly members: Members;
  readonly snapshots: SharedSnapshots;
  readonly resources: NatsResources;
  /** What differs between the configuration of the log's stream and ours; undefined if nothing. */
  configurationFault(configuration: Readonly<Record<string, unknown>>): string | undefined;
  /** Closes all connections; calls that wait for an answer fail. */
  close(): Promise<void>;
}

/**
 * Opens a data set. Three connections keep apart what must not wait for each other: what is
 * written, what is read, and snapshots.
 */
export function openNats(
  access: NatsAccess,
  dataSet: DataSet,
  settings: StreamSettings,
  parts: NatsParts,
): NatsDataSet {
  const { clock, random, disk, sealingKey } = parts;
  const link = (purpose: string) => new NatsLink(access, clock, `edge-control ${purpose}`);
  const [writing, reading, copying] = [link('writing'), link('reading'), link('snapshots')];
  return {
    stream: new NatsStream({ writing, reading }, dataSet, clock, random),
    members: new NatsMembers(reading, dataSet),
    snapshots: new NatsSnapshots({ link: copying, dataSet, sealingKey, disk, clock }),
    resources: new NatsResources(reading, dataSet, settings),
    configurationFault: (configuration) => logFault(dataSet, settings, configuration),
    close: async () => {
      await Promise.all([writing, reading, copying].map((each) => each.close()));
    },
  };
}

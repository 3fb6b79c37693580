// Everything of a data set that is at NATS, over the connections of one node.

import type { Clock, Disk, Fetch, Random } from '../../platform/ports.ts';
import type { HostPort } from '../../settings/setting-type.ts';
import type { ListedMembers } from '../access.ts';
import type { Members } from '../membership.ts';
import type { SharedSnapshots, StoreState } from '../shared-snapshots.ts';
import type { Stream } from '../stream.ts';
import { logFault, type StreamSettings } from './configuration.ts';
import { type NatsAccess, NatsLink } from './link.ts';
import { NatsMembers } from './members.ts';
import type { DataSet } from './names.ts';
import { NatsResources } from './resources.ts';
import { NatsSnapshots } from './snapshots.ts';
import { readStore } from './store.ts';
import { NatsStream } from './stream.ts';

/** What the connections need of their surroundings. */
export interface NatsParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  /** Content of `pki/sealing.key`, from which the keys of MACs are derived. */
  readonly sealingKey: Buffer;
  readonly fetch: Fetch;
  /** The servers' monitoring ports, as far as they are known. */
  readonly monitoring: readonly HostPort[];
}

/** A data set at NATS. Connections are made when they are first needed. */
export interface NatsDataSet {
  readonly stream: Stream;
  readonly members: ListedMembers;
  readonly snapshots: SharedSnapshots;
  /** The directory for what may wait: a question without an answer does not interrupt reading. */
  readonly directory: Pick<Members, 'list'>;
  readonly resources: NatsResources;
  /** Reads how much NATS keeps and how much room is left; rejects with StreamUnreachable. */
  store(): Promise<StoreState>;
  /** Why no node may lead a stream that is configured so; undefined if it is safe. */
  configurationFault(configuration: Readonly<Record<string, unknown>>): string | undefined;
  /** Closes all connections; calls that wait for an answer fail. */
  close(): Promise<void>;
}

/**
 * Opens a data set. Four connections keep apart what must not wait for each other: what is
 * written, what is read, snapshots, and questions about the store.
 */
export function openNats(
  access: NatsAccess,
  dataSet: DataSet,
  settings: StreamSettings,
  parts: NatsParts,
): NatsDataSet {
  const { clock, random, disk, sealingKey, fetch, monitoring } = parts;
  const link = (purpose: string) => new NatsLink(access, clock, `edge-control ${purpose}`);
  const [writing, reading, copying] = [link('writing'), link('reading'), link('snapshots')];
  const looking = link('store');
  const listed = new NatsSnapshots({ link: looking, dataSet, sealingKey, disk, clock });
  const looked = { link: looking, dataSet, settings, snapshots: listed, fetch, monitoring };
  return {
    stream: new NatsStream({ writing, reading }, dataSet, clock, random),
    members: new NatsMembers(reading, dataSet, sealingKey),
    directory: new NatsMembers(looking, dataSet, sealingKey),
    snapshots: new NatsSnapshots({ link: copying, dataSet, sealingKey, disk, clock }),
    resources: new NatsResources(reading, dataSet, settings),
    store: () => readStore(looked),
    configurationFault: (configuration) => logFault(dataSet, settings, configuration),
    close: async () => {
      await Promise.all([writing, reading, copying, looking].map((each) => each.close()));
    },
  };
}

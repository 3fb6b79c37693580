// Reads how much NATS keeps of a data set, and how much room is left: a full store stops all
// writes.

import type { StreamConfig } from '@nats-io/jetstream';
import type { Fetch } from '../../platform/ports.ts';
import { formatHostPort, type HostPort } from '../../settings/setting-type.ts';
import type { SharedSnapshots, StoreState } from '../shared-snapshots.ts';
import { accountBound } from './account-bound.ts';
import { logFault, type StreamSettings } from './configuration.ts';
import type { NatsLink } from './link.ts';
import { type DataSet, logStream } from './names.ts';
import { serverBound } from './server-bound.ts';
import { askMonitoring } from './sync-always.ts';

/** By what the store is looked at. */
export interface StoreParts {
  /** Of its own: a question without an answer ends the connection. */
  readonly link: NatsLink;
  readonly dataSet: DataSet;
  readonly settings: StreamSettings;
  readonly snapshots: Pick<SharedSnapshots, 'list'>;
  readonly fetch: Fetch;
  /** The servers' monitoring ports, as far as they are known. */
  readonly monitoring: readonly HostPort[];
}

/** @throws StreamUnreachable */
export async function readStore(parts: StoreParts): Promise<StoreState> {
  const { link, dataSet, settings, snapshots } = parts;
  const { state, config } = await link.ask(({ api }) => api.streams.info(logStream(dataSet)));
  const account = await link.ask(({ api }) => api.getAccountInfo());
  const bounds = [accountBound(account, config.num_replicas), ...(await serverBounds(parts))];
  const [newest] = await snapshots.list();
  return {
    streamBytes: state.bytes,
    shared: newest && { lsn: newest.lsn, bytes: newest.bytes, atMs: newest.atMs },
    bounds: bounds.filter((bound) => bound !== undefined),
    unsafe: logFault(dataSet, settings, asFields(config)),
  };
}

/** `syncFaults` reports a server that does not answer. */
function serverBounds({ fetch, monitoring }: StoreParts) {
  const asked = monitoring.map(formatHostPort).map(async (address) => {
    return serverBound(address, await askMonitoring(fetch, address).catch(() => undefined));
  });
  return Promise.all(asked);
}

function asFields(config: StreamConfig): Readonly<Record<string, unknown>> {
  return { ...config };
}

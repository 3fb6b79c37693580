// Reads how much NATS keeps of a data set, and how much room is left: a full store stops all
// writes.

import type { StreamConfig } from '@nats-io/jetstream';
import type { Fetch } from '../../ports.ts';
import { formatHostPort, type HostPort } from '../../setting.ts';
import type { SharedSnapshots, StoreBound, StoreState } from '../contract.ts';
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
  const bounds = [...(await accountBounds(link, settings)), ...(await serverBounds(parts))];
  const [newest] = await snapshots.list();
  return {
    streamBytes: state.bytes,
    shared: newest && { lsn: newest.lsn, bytes: newest.bytes, atMs: newest.atMs },
    bounds,
    unsafe: logFault(dataSet, settings, asFields(config)),
  };
}

/**
 * An account without one limit has others for streams with one number of copies. Both count each
 * copy.
 */
async function accountBounds(
  link: NatsLink,
  { replicas }: StreamSettings,
): Promise<readonly StoreBound[]> {
  const account = await link.ask(({ api }) => api.getAccountInfo());
  const { storage = 0, limits } = account.tiers?.[`R${replicas}`] ?? account;
  const bytesMax = limits?.max_storage ?? 0;
  if (bytesMax <= 0) return [];
  return [{ of: 'The account at NATS', usedBytes: storage, bytesMax, copies: replicas }];
}

/** A server that does not answer there is told of elsewhere. */
async function serverBounds({ fetch, monitoring }: StoreParts): Promise<readonly StoreBound[]> {
  const asked = monitoring.map(formatHostPort).map(async (address) => {
    return serverBound(address, await askMonitoring(fetch, address).catch(() => undefined));
  });
  return (await Promise.all(asked)).filter((bound) => bound !== undefined);
}

function asFields(config: StreamConfig): Readonly<Record<string, unknown>> {
  return { ...config };
}

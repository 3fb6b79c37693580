// The node of this process: what a home that belongs to a cluster is opened and served with.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotDirectory } from '../snapshots/home/layout.ts';
import { type KeptSnapshot, readManifest } from '../snapshots/home/manifest.ts';
import { readMembership } from '../snapshots/home/membership.ts';
import type { OpenHome } from '../snapshots/home/open.ts';
import { frameBytes, frameSeed } from '../snapshots/log/frame.ts';
import { behaviourSettings } from './behaviour-settings.ts';
import { groupKeyOf } from './cluster/group-message.ts';
import { openClusterHome, sharedLogOf } from './cluster/home-recovery.ts';
import { natsAccessOf } from './cluster/nats/configured-access.ts';
import { openNats } from './cluster/nats/connections.ts';
import { NatsLink } from './cluster/nats/link.ts';
import type { NodeConnectionSettings } from './cluster/nats/node-connections.ts';
import { NatsPositions } from './cluster/nats/positions.ts';
import { ClusterThread } from './cluster/thread/cluster-thread.ts';
import { ClusterWatch } from './cluster/watch.ts';
import { formatsRead } from './cluster-commands/formats.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { Config } from './config.ts';
import { StartProblem } from './errors.ts';
import type { Log } from './observe/logs.ts';
import { readText } from './pki/authority/files.ts';
import { sharedKeysOf } from './pki/shared-keys.ts';
import type { Random, TreeDisk } from './ports.ts';
import { formatHostPort } from './setting.ts';
import { sharedClock } from './system.ts';
import { version } from './version.ts';

/** The surroundings of a node. */
export interface NodeSystem {
  readonly disk: TreeDisk;
  readonly random: Random;
  readonly log: Log;
}

/** A node of a cluster, before its home is open. */
export interface HomeNode {
  readonly thread: ClusterThread;
  /** Opens the home, after a snapshot of the others has been loaded where that is necessary. */
  readonly openHome: OpenHome;
  readonly watch: ClusterWatch;
  /** A snapshot of the home was kept: the node shares it, if that is its task. */
  share(kept: KeptSnapshot): void;
  /** Ends what the main thread itself holds open. The thread is stopped by its owner. */
  close(): Promise<void>;
}

/**
 * The node of a home.
 * @throws StartProblem for a home that belongs to no cluster; PkiProblem for missing keys
 */
export function createNode(config: Config, cluster: ClusterConfig, system: NodeSystem): HomeNode {
  const { disk, random, log } = system;
  const { home, limits, pki } = config;
  const membership = readMembership(disk, home);
  const manifest = readManifest(disk, home);
  if (membership === undefined || manifest === undefined) {
    throw new StartProblem(
      `cluster.servers is set, but ${home} belongs to no cluster: run edge-control cluster init or join first.`,
    );
  }
  const { nodeId: id, generation } = membership;
  const dataSet = { dataSetId: manifest.dataSetId, generation };
  const folder = join(home, 'pki');
  const sealingKey = Buffer.from(
    readText(disk, join(folder, 'sealing.key'), 'sealing.key').trim(),
    'hex',
  );
  const trust = { key: groupKeyOf(sealingKey), generation, seed: frameSeed(dataSet.dataSetId) };
  const { frameBytesMax } = limits;
  const access = natsAccessOf(cluster, limits, (path) => readFileSync(path, 'utf8'));
  const link = new NatsLink(access, sharedClock, 'edge-control positions');
  const positions = new NatsPositions(link, dataSet, sharedClock);
  const settings: NodeConnectionSettings = { cluster, frameBytesMax, dataSet, sealingKey };
  const thread = new ClusterThread({
    module: new URL('./cluster/nats/node-connections.ts', import.meta.url).href,
    settings,
    node: {
      description: {
        id,
        version,
        formats: formatsRead(),
        advertised: formatHostPort(config.advertise),
        internal: formatHostPort(cluster.advertise),
        keys: sharedKeysOf({ disk, folder, serverKey: pki.serverKey, issuerKey: pki.issuerKey }),
        settingsHash: behaviourSettings(config),
      },
      generation,
      groupKey: trust.key,
      clockSkewMs: cluster.clockSkewMs,
      isForced: false,
    },
    bounds: {
      pendingBytesMax: limits.writeBytesWaitingMax,
      frameBytesMax,
      groupBytesMax: frameBytes(frameBytesMax),
      localBytesMax,
      unappliedBytesMax,
    },
    ask: positions.ask,
    clock: sharedClock,
  });
  positions.serve(id, () => thread.position);

  const { replicas } = cluster;
  const shared = openNats(
    access,
    dataSet,
    { replicas },
    { clock: sharedClock, random, disk, sealingKey },
  );
  const { stream, snapshots, members } = shared;
  const sharedLog = sharedLogOf(stream, snapshots, trust);
  return {
    thread,
    openHome: (options) =>
      openClusterHome({
        ...options,
        disk,
        shared: sharedLog,
        replacing: ({ lsn }, reason) =>
          log.warn({ lsn, reason }, 'the home is replaced by a snapshot of the other nodes'),
      }),
    watch: new ClusterWatch({
      id,
      state: () => thread.state,
      members,
      clock: sharedClock,
      log,
      clockSkewMs: cluster.clockSkewMs,
    }),
    share({ file, lsn }) {
      thread.share(join(snapshotDirectory(home), file), lsn).catch((err) => {
        log.warn({ err, lsn }, 'a snapshot could not be shared with the other nodes');
      });
    },
    async close() {
      positions.close();
      await Promise.all([link.close(), shared.close()]);
    },
  };
}

/** Bytes that may wait for the local disk; beyond them the log is read from the stream again. @bound */
const localBytesMax = 64 * 1024 * 1024;
/** Bytes that a follower reads ahead of what it has applied. @bound */
const unappliedBytesMax = 64 * 1024 * 1024;

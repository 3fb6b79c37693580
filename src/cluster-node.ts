// The node of this process: what a home that belongs to a cluster is opened and served with.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotDirectory } from '../snapshots/home/layout.ts';
import { type KeptSnapshot, readManifest } from '../snapshots/home/manifest.ts';
import { readMembership } from '../snapshots/home/membership.ts';
import type { OpenHome } from '../snapshots/home/open.ts';
import { frameBytes, frameSeed } from '../snapshots/log/frame.ts';
import { behaviourSettings } from './behaviour-settings.ts';
import type { Member } from './cluster/contract.ts';
import { groupKeyOf } from './cluster/group-message.ts';
import { openClusterHome, sharedLogOf } from './cluster/home-recovery.ts';
import { natsAccessOf } from './cluster/nats/configured-access.ts';
import { openNats } from './cluster/nats/connections.ts';
import type { NatsAccess } from './cluster/nats/link.ts';
import { NatsLink } from './cluster/nats/link.ts';
import type { DataSet } from './cluster/nats/names.ts';
import { NatsPositions } from './cluster/nats/positions.ts';
import { ClusterThread } from './cluster/thread/cluster-thread.ts';
import type { NatsNodeSettings } from './cluster/thread/nats-connections.ts';
import { ClusterWatch } from './cluster/watch.ts';
import { formatsRead } from './cluster-commands/formats.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { Config } from './config.ts';
import { StartProblem } from './errors.ts';
import type { NodeKey } from './http/front/node-members.ts';
import type { ClusterFront, Leading, NodeCertificates } from './http/front/tls-messages.ts';
import type { ClusterListener } from './http/server/listeners.ts';
import type { Log } from './observe/logs.ts';
import { readText } from './pki/authority/files.ts';
import {
  type NodeAuthority,
  NodeRenewal,
  nodeKeyFingerprint,
  openNodeCertificate,
  openNodeKey,
} from './pki/authority/node-certificate.ts';
import type { ChainedKey } from './pki/authority/server-certificate.ts';
import { sharedKeysOf } from './pki/shared-keys.ts';
import { keyToPem, toPem } from './pki/x509/pem.ts';
import type { Random, TreeDisk } from './ports.ts';
import { formatHostPort, hostPort } from './setting.ts';
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
  /** How the front of this node knows the others; called once the PKI of the home is open. */
  front(authority: NodeAuthority): Promise<ClusterFront>;
  /** Tells the front, from now on, who the members are and what the node's certificate is. */
  follow(front: ClusterListener): void;
  /** Where an entry says that its node is reached, for the front. */
  leadingOf(leader: Member | undefined): Leading;
  /** A snapshot of the home was kept: the node shares it, if that is its task. */
  share(kept: KeptSnapshot): void;
  /** Ends what the main thread itself holds open. The thread is stopped by its owner. */
  close(): Promise<void>;
}

/**
 * The node of a home.
 * @throws StartProblem for a home that belongs to no cluster; PkiProblem for missing keys
 */
export async function createNode(
  config: Config,
  cluster: ClusterConfig,
  system: NodeSystem,
): Promise<HomeNode> {
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
  const context = { disk, random, clock: sharedClock, directory: folder, host: '', settings: pki };
  const nodeKey = nodeKeyFingerprint(await openNodeKey(context));
  const sealingKey = Buffer.from(
    readText(disk, join(folder, 'sealing.key'), 'sealing.key').trim(),
    'hex',
  );
  const trust = { key: groupKeyOf(sealingKey), generation, seed: frameSeed(dataSet.dataSetId) };
  const { serverKey, issuerKey } = pki;
  const sharedKeys = sharedKeysOf({ disk, folder, serverKey, issuerKey });
  const { frameBytesMax } = limits;
  const access = natsAccessOf(cluster, limits, (path) => readFileSync(path, 'utf8'));
  const link = new NatsLink(access, sharedClock, 'edge-control positions');
  const positions = new NatsPositions(link, dataSet, sharedClock);
  const settings = connectionSettings({ cluster, access, dataSet, sealingKey });
  const thread = new ClusterThread({
    module: new URL('./cluster/thread/nats-connections.ts', import.meta.url).href,
    settings,
    node: {
      description: {
        id,
        version,
        formats: formatsRead(),
        advertised: formatHostPort(config.advertise),
        internal: formatHostPort(cluster.advertise),
        keys: { ...sharedKeys, [nodeKeyName]: nodeKey },
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
  let listener: ClusterListener | undefined;
  let renewal: NodeRenewal | undefined;
  const watch = new ClusterWatch({
    id,
    state: () => thread.state,
    members,
    clock: sharedClock,
    log,
    clockSkewMs: cluster.clockSkewMs,
    membersRead: (list) => listener?.replaceMembers(nodeKeysOf(list)),
  });
  return {
    watch,
    async front(authority) {
      const reopen = () => openNodeCertificate(context, authority, id);
      const pair = await reopen();
      const certificates = certificatesOf(pair, authority);
      const renewed = (next: ChainedKey) => listener?.renewNode(certificatesOf(next, authority));
      renewal = new NodeRenewal({ pair, reopen, clock: sharedClock, log, renewed });
      renewal.start();
      const { listen, leaderWaitMs } = cluster;
      const { trustDomain } = authority;
      const leading = { who: 'nobody' } as const;
      return { listen, certificates, trustDomain, members: [], leading, leaderWaitMs };
    },
    follow(front) {
      listener = front;
      front.replaceMembers(nodeKeysOf(watch.members));
    },
    leadingOf(leader) {
      const address = leader && hostPort(leader.internal);
      if (leader === undefined || address === undefined || leader.id === id) {
        return { who: 'nobody' };
      }
      const fingerprint = leader.keys[nodeKeyName] ?? '';
      return { who: 'other', place: { id: leader.id, fingerprint, address } };
    },
    thread,
    openHome: (options) =>
      openClusterHome({
        ...options,
        disk,
        shared: sharedLog,
        replacing: ({ lsn }, reason) =>
          log.warn({ lsn, reason }, 'the home is replaced by a snapshot of the other nodes'),
      }),
    share({ file, lsn }) {
      thread.share(join(snapshotDirectory(home), file), lsn).catch((err) => {
        log.warn({ err, lsn }, 'a snapshot could not be shared with the other nodes');
      });
    },
    async close() {
      positions.close();
      await Promise.all([renewal?.stop(), link.close(), shared.close()]);
    },
  };
}

/** The name of the node's own key among those in its entry. */
const nodeKeyName = 'node key';

/** The same way in as plain data, for the cluster thread. */
function connectionSettings(parts: {
  readonly cluster: ClusterConfig;
  readonly access: NatsAccess;
  readonly dataSet: DataSet;
  readonly sealingKey: Uint8Array;
}): NatsNodeSettings {
  const { cluster, access, dataSet, sealingKey } = parts;
  const { servers, payloadBytesMin, credentials: shown } = access;
  const { replicas, tls, credentials: path = '' } = cluster;
  const credentials = shown?.kind === 'file' ? ({ kind: 'file', path } as const) : shown;
  return { servers, payloadBytesMin, credentials, tls, dataSet, replicas, sealingKey };
}

function nodeKeysOf(members: readonly Member[]): NodeKey[] {
  return members.map(({ id, keys }) => ({ id, fingerprint: keys[nodeKeyName] ?? '' }));
}

function certificatesOf({ chain, key }: ChainedKey, { anchors }: NodeAuthority): NodeCertificates {
  return { pair: { certificate: toPem(chain), key: keyToPem(key) }, anchors: toPem(anchors) };
}

/** Bytes that may wait for the local disk; beyond them the log is read from the stream again. @bound */
const localBytesMax = 64 * 1024 * 1024;
/** Bytes that a follower reads ahead of what it has applied. @bound */
const unappliedBytesMax = 64 * 1024 * 1024;

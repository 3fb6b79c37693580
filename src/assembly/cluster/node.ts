// The node of this process: what a home that belongs to a cluster is opened and served with.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pkiName, snapshotDirectory } from '../../../snapshots/home/layout.ts';
import type { OpenHome } from '../../../snapshots/home/open.ts';
import type { KeptSnapshot } from '../../../snapshots/journal.ts';
import { frameBytes, frameSeed } from '../../../snapshots/log/frame.ts';
import type { ClusterNode } from '../../cluster/cluster-node.ts';
import { ClusterFormats } from '../../cluster/log/formats.ts';
import { groupKeyOf } from '../../cluster/log/group-message.ts';
import { natsAccessOf } from '../../cluster/nats/configured-access.ts';
import { type NatsDataSet, openNats } from '../../cluster/nats/connections.ts';
import { LeaderQuestions } from '../../cluster/nats/leader-questions.ts';
import { NatsLink } from '../../cluster/nats/link.ts';
import type { DataSet } from '../../cluster/nats/names.ts';
import { NatsPositions } from '../../cluster/nats/positions.ts';
import { dataSetsAt } from '../../cluster/nats/resources.ts';
import { syncFaults } from '../../cluster/nats/sync-always.ts';
import { checkForcedStart } from '../../cluster/node/forced-start.ts';
import { openClusterHome, placeOf, sharedLogOf } from '../../cluster/node/home-recovery.ts';
import { serverNowMs } from '../../cluster/node/server-time.ts';
import { ClusterWatch, type WatchedCluster } from '../../cluster/node/watch.ts';
import type { SharedSnapshot } from '../../cluster/shared-snapshots.ts';
import { ClusterThread } from '../../cluster/thread/cluster-thread.ts';
import type { ClusterThreadBounds } from '../../cluster/thread/messages.ts';
import type { NatsNodeSettings } from '../../cluster/thread/nats-connections.ts';
import type { Addresses } from '../../declare/operations/environment.ts';
import type { Log } from '../../observe/logs.ts';
import { readText } from '../../pki/authority/files.ts';
import { nodeKeyFingerprint, openNodeKey } from '../../pki/authority/node-certificate.ts';
import { sharedFilesOf, sharedKeysOf } from '../../pki/shared-keys.ts';
import { sharedClock } from '../../platform/clock-and-random.ts';
import { createFetch } from '../../platform/fetch.ts';
import type { Random, TreeDisk } from '../../platform/ports.ts';
import { version } from '../../platform/version.ts';
import type { ClusterConfig } from '../../settings/cluster-config.ts';
import { behaviourSettings } from '../../settings/cluster-wide-settings.ts';
import type { Config } from '../../settings/config.ts';
import { formatHostPort } from '../../settings/setting-type.ts';
import { buildFormats } from './build-formats.ts';
import { NodeFront, nodeKeyName } from './front-peers.ts';

/** The surroundings of a node. */
export interface NodeSystem {
  readonly disk: TreeDisk;
  readonly random: Random;
  readonly log: Log;
}

/** A node of a cluster, before its home is open. */
export interface HomeNode {
  /** The generation of its cluster. */
  readonly generation: number;
  readonly thread: ClusterNode;
  readonly watch: Pick<
    ClusterWatch,
    keyof WatchedCluster | 'start' | 'stepsDown' | 'leave' | 'hasOthers'
  >;
  readonly front: Pick<NodeFront, 'open' | 'follow' | 'lead'>;
  /** Asks its leader, and answers the other nodes while it leads. */
  readonly questions: Pick<LeaderQuestions, 'ask' | 'report' | 'lead' | 'answerAs'>;
  readonly formats: Pick<ClusterFormats, 'follow' | 'finalize'>;
  /** Takes the addresses that the others are told, before the home is opened. */
  advertise(addresses: Pick<Addresses, 'authority' | 'control'>): void;
  /** Opens the home, after a snapshot of the others has been loaded where that is necessary. */
  readonly openHome: OpenHome;
  /** A snapshot of the home was kept: the node shares it, if that is its task. */
  share(kept: KeptSnapshot): void;
  /** A snapshot of the home could not be written: other nodes share theirs. */
  shareFailed(): void;
  /** Sets what takes a snapshot of the home when the node needs one at once. */
  onSnapshotWanted(take: () => void): void;
  /** Ends what the main thread itself holds open. The thread is stopped by its owner. */
  close(): Promise<void>;
}

/** Bytes that wait for the local disk; the log is read from the stream again beyond them. @bound */
const localBytesMax = 64 * 1024 * 1024;
/** Bytes that a follower reads ahead of what it has applied. @bound */
const unappliedBytesMax = 64 * 1024 * 1024;

/**
 * The node of a home.
 * @throws StartProblem for a home that belongs to no cluster; PkiProblem for missing keys;
 *   StreamUnreachable
 */
export async function createNode(
  config: Config,
  cluster: ClusterConfig,
  { disk, random, log }: NodeSystem,
): Promise<HomeNode> {
  const { home } = config;
  const { id, dataSet: own } = placeOf(disk, home);
  const keys = await keysOf(config, disk, random);
  const access = natsAccessOf(cluster, config.limits, (path) => readFileSync(path, 'utf8'));
  const link = new NatsLink(access, sharedClock, 'edge-control positions');
  const dataSet = await newestOf(link, own);
  const { generation } = dataSet;
  const positions = new NatsPositions(link, dataSet, sharedClock);
  const { replicas, clockSkewMs, monitoring } = cluster;
  const [{ sealingKey }, clock] = [keys, sharedClock];
  const parts = { clock, random, disk, sealingKey, fetch: createFetch({ clock }), monitoring };
  const shared = openNats(access, dataSet, { replicas }, parts);
  const groupKey = groupKeyOf(sealingKey);
  const description = { id, ...descriptionOf(config, cluster), keys: keys.shown };
  const thread = new ClusterThread({
    settings: natsSettingsOf(config, cluster, { dataSet, sealingKey }),
    node: { description, generation, groupKey, clockSkewMs, isForced: config.force },
    bounds: threadBoundsOf(config),
    confirmsReads: cluster.reads === 'confirmed',
    ask: positions.ask,
    clock: sharedClock,
  });
  const questions = new LeaderQuestions({ ...parts, link, dataSet, clockSkewMs });
  positions.serve(id, { position: () => thread.position, others: questions.take });
  const front = new NodeFront({ id, cluster, pki: keys.context, clock: sharedClock, log });
  const formats = new ClusterFormats({ id, build: buildFormats(), members: shared.members, clock });
  const watch = new ClusterWatch({
    id,
    state: () => thread.state,
    members: shared.members,
    clock: sharedClock,
    log,
    clockSkewMs,
    snapshotAgeMs: config.snapshot.ageMinutes * 60_000,
    keyFiles: () => sharedFilesOf(disk, join(home, pkiName)),
    membersRead: (read) => {
      front.replaceMembers(read);
      void formats.refresh();
    },
  });
  const trust = { key: groupKey, generation, seed: frameSeed(dataSet.dataSetId) };
  const sharedLog = sharedLogOf(shared.stream, shared.snapshots, trust);
  return {
    generation,
    thread,
    watch,
    front,
    questions,
    formats,
    advertise: ({ authority: advertised, control }) => thread.advertise({ advertised, control }),
    openHome: async (options) => {
      await formats.open();
      void logSyncs(cluster, log);
      if (config.force) await logForce(shared, id, log);
      const replacing = replacementLog(log);
      return await openClusterHome({ ...options, disk, shared: sharedLog, replacing });
    },
    ...sharingOf(thread, home, log),
    async close() {
      watch.stop();
      positions.close();
      await Promise.all([front.stop(), link.close(), shared.close()]);
    },
  };
}

function sharingOf(
  thread: ClusterThread,
  home: string,
  log: Log,
): Pick<HomeNode, 'share' | 'shareFailed' | 'onSnapshotWanted'> {
  return {
    share({ file, lsn }) {
      thread.share(join(snapshotDirectory(home), file), lsn).catch((err) => {
        log.warn({ err, lsn }, 'a snapshot could not be shared with the other nodes');
      });
    },
    shareFailed: () => thread.snapshotFailed(),
    onSnapshotWanted: (take) => thread.onSnapshotWanted(take),
  };
}

function replacementLog(log: Log) {
  return ({ lsn }: SharedSnapshot, reason: string): void =>
    log.warn({ lsn, reason }, 'the home is replaced by a snapshot of the other nodes');
}

/** Nobody waits for it: a server that cannot be asked must not hold up a start. */
async function logSyncs({ monitoring }: ClusterConfig, log: Log): Promise<void> {
  const problems = await syncFaults(createFetch({ clock: sharedClock }), monitoring);
  for (const problem of problems) log.warn({ problem }, syncNote);
}

const syncNote = 'a NATS server may not sync each message before it confirms it';

async function logForce(
  { members, stream }: Pick<NatsDataSet, 'members' | 'stream'>,
  id: string,
  log: Log,
): Promise<void> {
  const nowMs = await serverNowMs(stream, sharedClock);
  const { nodes, heard } = await checkForcedStart(members, id, nowMs);
  log.warn({ nodes, heard }, forceNote);
}

const forceNote =
  'this node may lead without hearing a majority, at the order of its operator, until another has led';

/**
 * The data set in the generation that the cluster has now: after a `reseed` of another node, the
 * home is of an older one. Without any stream it is that of the home.
 * @throws StreamUnreachable
 */
async function newestOf(link: NatsLink, own: DataSet): Promise<DataSet> {
  const streams = await dataSetsAt(link);
  return streams.find(({ dataSetId }) => dataSetId === own.dataSetId) ?? own;
}

/** The keys of a home. @throws PkiProblem */
async function keysOf({ home, pki }: Config, disk: TreeDisk, random: Random) {
  const folder = join(home, pkiName);
  const context = { disk, random, clock: sharedClock, directory: folder, host: '', settings: pki };
  const { serverKey, issuerKey } = pki;
  const shared = sharedKeysOf({ disk, folder, serverKey, issuerKey });
  const own = nodeKeyFingerprint(await openNodeKey(context));
  const sealing = readText(disk, join(folder, 'sealing.key'), 'sealing.key').trim();
  const shown = { ...shared, [nodeKeyName]: own };
  return { context, shown, sealingKey: Buffer.from(sealing, 'hex') };
}

function threadBoundsOf({ limits }: Config): ClusterThreadBounds {
  const { frameBytesMax, writeBytesWaitingMax: pendingBytesMax } = limits;
  const groupBytesMax = frameBytes(frameBytesMax);
  return { pendingBytesMax, frameBytesMax, groupBytesMax, localBytesMax, unappliedBytesMax };
}

function descriptionOf(config: Config, cluster: ClusterConfig) {
  return {
    name: cluster.name,
    ...(cluster.leads === 'never' ? { leads: cluster.leads } : {}),
    version,
    formats: buildFormats().reads,
    // Told when the ports are known.
    advertised: '',
    internal: formatHostPort(cluster.advertise),
    settingsHash: behaviourSettings(config),
  };
}

function natsSettingsOf(
  { limits: { frameBytesMax } }: Config,
  { servers, credentials, tls, replicas, monitoring }: ClusterConfig,
  own: Pick<NatsNodeSettings, 'dataSet' | 'sealingKey'>,
): NatsNodeSettings {
  const access = { servers, credentials, tls };
  return { ...own, access, frameBytesMax, replicas, monitoring };
}

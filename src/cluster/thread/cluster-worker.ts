// Entry of the cluster thread.

import { parentPort, workerData } from 'node:worker_threads';
import { nodeDisk } from '../../../snapshots/home/disk.ts';
import { withFile } from '../../../snapshots/home/file-access.ts';
import { frameSeed } from '../../../snapshots/log/frame.ts';
import { FrameRing } from '../../../snapshots/log/frame-ring.ts';
import { WriterThread } from '../../../snapshots/log/writer-thread.ts';
import { sharedClock, systemRandom } from '../../platform/clock-and-random.ts';
import { Lease } from '../node/lease.ts';
import { Node } from '../node/node.ts';
import { ReadsToConfirm } from '../node/read-confirmations.ts';
import type { Connect } from './connections.ts';
import { crcInLog } from './local-frames.ts';
import { AppliedBytes, type ClusterWorkerData, type ToClusterThread } from './messages.ts';
import { NodeDriver } from './node-driver.ts';
import { PacedStream } from './paced-stream.ts';
import { SnapshotSharing } from './snapshot-sharing.ts';
import { StoreWatch } from './store-watch.ts';

const { module, settings, node, log, ring, lease, applied, reads, bounds, diskModule } =
  workerData as ClusterWorkerData;
const loaded = module === undefined ? import('./nats-connections.ts') : import(module);
const { connect } = (await loaded) as { connect: Connect };
const connections = await connect(settings);
const { localBytesMax, groupBytesMax, unappliedBytesMax } = bounds;
const { lsn, crc } = log.position;

const driver = new NodeDriver({
  ring: new FrameRing(ring),
  applied: new AppliedBytes(applied),
  reads: reads && new ReadsToConfirm(reads),
  clock: sharedClock,
  tell: (message, transfer = []) => parentPort?.postMessage(message, transfer),
  openLog: (events) => {
    const memory = { pendingBytesMax: localBytesMax, frameBytesMax: groupBytesMax };
    const disk = diskModule === undefined ? {} : { diskModule };
    return new WriterThread({ ...memory, ...disk }, log, events);
  },
  logEnd: { lsn, crc },
  localBytesMax,
  unappliedBytesMax,
  exit: () => parentPort?.close(),
});
const { stream, members, snapshots, configurationFault, close } = connections;
const { directory = members, store } = connections;
const trust = { key: node.groupKey, generation: node.generation, seed: frameSeed(log.dataSetId) };
const own = new Node({
  description: node.description,
  stream: new PacedStream(stream, sharedClock, () => driver.hasCapacity()),
  members,
  newestSnapshot: async () => (await snapshots.list())[0],
  clock: sharedClock,
  random: systemRandom,
  lease: new Lease(lease, sharedClock),
  trust,
  payloadBytesMax: bounds.groupBytesMax,
  ask: (member) => driver.ask(member),
  ...(configurationFault === undefined ? {} : { configurationFault }),
  clockSkewMs: node.clockSkewMs,
  isForced: node.isForced,
  close: () => void close(),
  events: driver.events,
  localLog: () => driver.localLog,
  sharing: () => ({ store: kept.state, sharesFailed: sharing.failures || undefined }),
  confirmed: (group) => driver.confirm(group),
  reads: driver.reads,
});
const sharing = new SnapshotSharing({
  id: node.description.id,
  stream,
  members: directory,
  snapshots,
  trust,
  clock: sharedClock,
  state: () => own.state,
  crcOf: (lsn) => crcInLog(nodeDisk, log.home, lsn),
  bytesOf: (file) => withFile(nodeDisk, file, 'read', (open) => open.size()),
  wantSnapshot: () => parentPort?.postMessage({ tells: 'snapshotWanted' }),
});
const kept = new StoreWatch({
  read: store,
  role: () => own.state.role,
  lastLsn: () => own.state.last.lsn,
  serverNowMs: () => sharedClock.now() - own.state.clockSkewMs,
  clock: sharedClock,
});
kept.start();
driver.run({ node: own, stream, trust, sharing, close });
parentPort?.on('message', (message: ToClusterThread) => driver.hear(message));

// Entry of the cluster thread.

import { parentPort, workerData } from 'node:worker_threads';
import { FrameRing } from '../../../snapshots/log/frame-ring.ts';
import { WriterThread } from '../../../snapshots/log/writer-thread.ts';
import { sharedClock, systemRandom } from '../../system.ts';
import { Lease } from '../lease.ts';
import { AppliedBytes, type ClusterWorkerData, type ToClusterThread } from './messages.ts';
import { NodeDriver } from './node-driver.ts';
import type { OpenNode } from './open-node.ts';
import { PacedStream } from './paced-stream.ts';

const { module, settings, log, ring, lease, applied, bounds, diskModule } =
  workerData as ClusterWorkerData;
const { openNode } = (await import(module)) as { openNode: OpenNode };
const { localBytesMax, groupBytesMax, unappliedBytesMax } = bounds;
const { lsn, crc } = log.position;

const driver = new NodeDriver({
  ring: new FrameRing(ring),
  applied: new AppliedBytes(applied),
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
driver.run(
  await openNode(settings, {
    clock: sharedClock,
    random: systemRandom,
    lease: new Lease(lease, sharedClock),
    events: driver.events,
    paced: (stream) => new PacedStream(stream, sharedClock, () => driver.hasRoom()),
  }),
);
parentPort?.on('message', (message: ToClusterThread) => driver.hear(message));

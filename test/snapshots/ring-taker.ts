// The writer's side of a ring in a thread of its own: takes frames until it is told to stop, and
// answers how many came and which was the first that was not the next one.

import { parentPort, workerData } from 'node:worker_threads';

import { frameBytesAt, frameHeaderBytes } from '../../snapshots/log/frame.ts';
import { FrameRing, type RingMemory } from '../../snapshots/log/frame-ring.ts';

/** What the thread answers when it ends. */
export interface Taken {
  readonly frames: number;
  /** Numbered from 0; undefined when each frame held its own number and nothing else. */
  readonly firstWrong: number | undefined;
}

const ring = new FrameRing(workerData as RingMemory);
let frames = 0;
let firstWrong: number | undefined;
for (;;) {
  const isOver = ring.stopRequested;
  const taken = ring.take();
  for (const region of taken) {
    for (let at = 0; at < region.length; at += frameBytesAt(region, at)) {
      if (region.readUInt32LE(at + frameHeaderBytes) !== frames) firstWrong ??= frames;
      frames++;
    }
  }
  ring.release(taken, { lsn: frames, bytes: 0, groups: 0 });
  if (taken.length === 0 && isOver) break;
}
const answer: Taken = { frames, firstWrong };
parentPort?.postMessage(answer);

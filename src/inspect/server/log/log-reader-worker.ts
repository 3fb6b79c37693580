// Entry of the thread that reads the kept log, and the messages between it and the main thread.

import { parentPort, workerData } from 'node:worker_threads';
import type { Lsn } from '../../../../snapshots/journal.ts';
import { systemClock } from '../../../platform/clock-and-random.ts';
import type { Disk } from '../../../platform/ports.ts';
import type { FrameOrder, TransitionPage } from '../../messages.ts';
import { shownKinds } from '../instances/shown-kinds.ts';
import {
  type FrameRequest,
  type HistoryOrder,
  type KeptFrame,
  KeptLog,
  type KeptLogOptions,
  type KeptPage,
  type RecentPage,
} from './kept-log.ts';

/** Options of the thread. */
export interface ReaderWorkerData extends Pick<KeptLogOptions, 'home' | 'bounds'> {
  /** URL of the module whose `nodeDisk` it reads from. */
  readonly diskModule: string;
}

/** A request of the main thread, one at a time. After `end` the thread ends. */
export type ReaderRequest =
  | { readonly asks: 'frames'; readonly order: FrameOrder }
  | { readonly asks: 'transitions'; readonly order: HistoryOrder }
  | { readonly asks: 'frame'; readonly wanted: FrameRequest }
  | { readonly asks: 'recent'; readonly beforeLsn: Lsn }
  | { readonly asks: 'end' };

/** An answer of the thread. */
export type ReaderAnswer =
  | { readonly tells: 'frames'; readonly page: KeptPage }
  | { readonly tells: 'transitions'; readonly page: TransitionPage }
  | { readonly tells: 'frame'; readonly frame: KeptFrame | undefined }
  | { readonly tells: 'recent'; readonly page: RecentPage }
  | { readonly tells: 'failed'; readonly error: Error };

const { diskModule, home, bounds } = workerData as ReaderWorkerData;
const { nodeDisk } = (await import(diskModule)) as { nodeDisk: Disk };
const log = new KeptLog({ disk: nodeDisk, home, bounds, kinds: shownKinds(systemClock) });

parentPort?.on('message', (request: ReaderRequest) => {
  if (request.asks === 'end') {
    log.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answerTo(request));
});

function answerTo(request: Exclude<ReaderRequest, { asks: 'end' }>): ReaderAnswer {
  try {
    switch (request.asks) {
      case 'frames':
        return { tells: 'frames', page: log.frames(request.order) };
      case 'transitions':
        return { tells: 'transitions', page: log.transitionsOf(request.order) };
      case 'frame':
        return { tells: 'frame', frame: log.frameAt(request.wanted) };
      case 'recent':
        return { tells: 'recent', page: log.recentTransitions(request.beforeLsn) };
    }
  } catch (error) {
    return { tells: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
  }
}

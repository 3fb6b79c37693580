// The heap of the main thread, as V8 reports it.

import { constants, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { Heap } from './ports.ts';

const mebibyte = 1024 * 1024;

/** `--max-semi-space-size`, or V8's default on 64-bit machines; new space has three semi-spaces. */
const semiSpaceBytes = (configuredSemiSpace() ?? 16) * mebibyte;

/**
 * V8 starts to collect when more than 32 MiB of buffers were allocated since the last full
 * collection (kExternalAllocationSoftLimit): it does so step by step and on its own threads,
 * whereas `gc()` stops the main thread for a second per gigabyte. The buffer is never touched, so
 * it takes no memory.
 */
const ballastBytes = 34 * mebibyte;
/**
 * Buffers that make V8 start a collection. With more of them it collects in one step, which does no
 * harm if it did not start before. @bound
 */
const ballastMax = 8;

/** The heap of this process. Full collections are noticed from the first `onCollected` on. */
export const systemHeap: Heap = {
  limitBytes: getHeapStatistics().heap_size_limit - 3 * semiSpaceBytes,
  youngBytes: semiSpaceBytes,
  usedBytes() {
    let used = 0;
    for (const { space_name, space_used_size } of getHeapSpaceStatistics()) {
      // Objects that have not survived a collection yet are mostly garbage, and have their own
      // space.
      if (!space_name.startsWith('new_')) used += space_used_size;
    }
    return used;
  },
  onCollected(follower) {
    const observer = new PerformanceObserver((list) => {
      if (!list.getEntries().some(isFull)) return;
      ballast.length = 0;
      follower();
    });
    observer.observe({ entryTypes: ['gc'] });
    return () => observer.disconnect();
  },
  collectSoon() {
    if (ballast.length < ballastMax) ballast.push(new ArrayBuffer(ballastBytes));
  },
};

/** Held until the next full collection. */
const ballast: ArrayBuffer[] = [];

function isFull(entry: { readonly entryType: string }): boolean {
  const { detail } = entry as { readonly detail?: { readonly kind?: number } };
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** The value in MiB that Node was started with. */
function configuredSemiSpace(): number | undefined {
  const words = [...(process.env['NODE_OPTIONS'] ?? '').split(/\s+/), ...process.execArgv];
  const told = words.flatMap((word) => {
    const found = /^--max[-_]semi[-_]space[-_]size=(\d+)$/.exec(word);
    return found === null ? [] : [Number(found[1])];
  });
  return told.at(-1);
}

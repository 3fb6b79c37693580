// Measures how long the main thread of the running controller was away from its event loop, and how
// much of that time it only waited for a core.

import type { ControllerProcess } from './controller-process.ts';
import { Inspector } from './inspector.ts';

/**
 * The lateness of a timer of 1 ms: the thread was busy, or waited for a core. A wait for a core is
 * not caused by the controller. On 2 cores that also run the load generator, it is most of the
 * lateness.
 */
export interface Pauses {
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
  /** The longest pause after the wait for a core is subtracted from each. */
  readonly longestOwnMs: number;
}

/** Watches the main thread while `work` runs; it must have been started with `inspectorFlags`. */
export async function pausesWhile<T>(
  controller: Pick<ControllerProcess, 'logFile'>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly pauses: Pauses }> {
  const inspector = await Inspector.open(controller);
  try {
    await inspector.evaluate(`globalThis.benchPauses = (${watchPauses})()`);
    const result = await work();
    const found = (await inspector.evaluate('benchPauses.end()')) as readonly (readonly [
      number,
      number,
    ])[];
    return { result, pauses: pausesOf(found) };
  } finally {
    inspector.close();
  }
}

/** Each lateness in ms, with the ms of it that the thread waited for a core. */
export function pausesOf(found: readonly (readonly [lateMs: number, waitedMs: number])[]): Pauses {
  const late = found.map(([lateMs]) => lateMs).sort((a, b) => a - b);
  const at = (share: number) => late[Math.ceil(share * late.length) - 1] ?? 0;
  const longestOwnMs = found.reduce((most, [ms, waited]) => Math.max(most, ms - waited), 0);
  return { p99Ms: at(0.99), p999Ms: at(0.999), longestMs: at(1), longestOwnMs };
}

/** The object in the controller that watches its main thread. */
interface Watch {
  /** Ends it. @returns each lateness in ms, with the ms of it that the thread waited for a core */
  end(): Promise<(readonly [lateMs: number, waitedMs: number])[]>;
}

/**
 * Runs in the controller, so it can use nothing of this file. Code that an inspector evaluates may
 * run between any two calls of the thread, even inside Node's timers. The timer and the file are
 * therefore opened and closed only in callbacks of the event loop. The second figure of `schedstat`
 * is ns on the run queue (kernel, Documentation/scheduler); the main thread's id is the process's.
 */
function watchPauses(): Watch {
  const { closeSync, openSync, readSync } = process.getBuiltinModule('node:fs');
  const text = Buffer.alloc(128);
  const found: [number, number][] = [];
  let ended: ((all: typeof found) => void) | undefined;
  setImmediate(() => {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r');
    const waitedMs = (): number => {
      const bytes = readSync(file, text, 0, text.length, 0);
      return Number(text.toString('latin1', 0, bytes).split(' ')[1]) / 1e6;
    };
    let lastAt = performance.now();
    let lastWaited = waitedMs();
    const timer = setInterval(() => {
      const at = performance.now();
      const waited = waitedMs();
      found.push([Math.max(0, at - lastAt - 1), waited - lastWaited]);
      lastAt = at;
      lastWaited = waited;
      if (ended === undefined) return;
      clearInterval(timer);
      closeSync(file);
      ended(found);
    }, 1);
  });
  return {
    end: () =>
      new Promise((resolve) => {
        ended = resolve;
      }),
  };
}

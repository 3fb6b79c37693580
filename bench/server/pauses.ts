// How long the main thread of the running controller was away from its event loop, and how much of
// that it only waited for a core.

import type { ControllerProcess } from './controller-process.ts';
import { Inspector } from './inspector.ts';

/**
 * Lateness of a timer of 1 ms: the thread was busy, or waited for a core. A time that the kernel
 * gave to others is none of the controller's; where 2 cores carry the load as well, it is most.
 */
export interface Pauses {
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly longestMs: number;
  /** The longest when what the thread was ready to run and had no core is taken off each. */
  readonly longestOwnMs: number;
}

/** Watches the main thread while `work` runs; it must have been started with `inspectorFlags`. */
export async function pausesWhile<T>(
  controller: Pick<ControllerProcess, 'logFile'>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly pauses: Pauses }> {
  const inspector = await Inspector.open(controller);
  const evaluate = async (expression: string): Promise<unknown> => {
    const parameters = { expression, returnByValue: true, awaitPromise: true };
    const { result } = await inspector.call('', 'Runtime.evaluate', parameters);
    return (result as { readonly value?: unknown } | undefined)?.value;
  };
  try {
    await evaluate(`globalThis.benchPauses = (${watchPauses})()`);
    const result = await work();
    const found = (await evaluate('benchPauses.end()')) as readonly (readonly [number, number])[];
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

/** The object that stays in the controller while it is watched. */
interface Watch {
  /** Ends it. @returns each lateness in ms, with the ms of it that the thread waited for a core */
  end(): Promise<(readonly [lateMs: number, waitedMs: number])[]>;
}

/**
 * Runs in the controller, so it can use nothing of this file. What an inspector asks for runs
 * between any two calls of the controller's thread, within those of Node's timers as well, so
 * timers and the file are begun and ended by callbacks of the loop only. The second figure of
 * `schedstat` is ns on the run queue (kernel, Documentation/scheduler); the main thread's id is the
 * process's.
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

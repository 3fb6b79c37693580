// The loops that run in this process.

/** A loop that can be ended before its time. */
export interface RunningLoop {
  /** Sends no further request; the run ends with the last answer. */
  end(): void;
}

/** The loops that run. */
export const runningLoops: Set<RunningLoop> = new Set();

/** Ends all loops that run. */
export function endLoops(): void {
  for (const loop of runningLoops) loop.end();
}

// Processes that run to their end: how long each takes, and how much memory.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { sampleMemory } from '../server/process-figures.ts';

/** The command of this checkout. */
export const program = fileURLToPath(new URL('../../bin/edge-control', import.meta.url));

/** How a process fared: its time in ms, and the most memory that it took. */
export interface Timing {
  readonly value: number;
  readonly peakBytes: number;
  readonly wrong: number;
}

/** How often the memory of a process is looked at, in ms. */
const lookMs = 20;

/** Runs a process to its end. Its output is read and dropped; `said` is what it said of errors. */
export async function timed(
  file: string,
  words: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<Timing & { readonly said: string }> {
  const beganAt = performance.now();
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let peakBytes = 0;
  const look = () => {
    try {
      peakBytes = Math.max(peakBytes, sampleMemory(child.pid ?? 0).peakBytes);
    } catch {
      // It has ended since.
    }
  };
  const looking = setInterval(look, lookMs);
  child.stdout.resume();
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  const value = performance.now() - beganAt;
  clearInterval(looking);
  return { value, peakBytes, wrong: code === 0 ? 0 : 1, said };
}

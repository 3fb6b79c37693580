// A physical limit: password hashes per second and their CPU, without a controller.

import { createHasher } from '../../src/auth/passwords/hasher.ts';
import { systemRandom } from '../../src/platform/clock-and-random.ts';
import type { Argon2Parameters } from '../../src/platform/ports.ts';
import { Histogram, type SparseHistogram } from '../load/histogram.ts';

/** The parameters of the hashes, and how many run at once. */
export interface Argon2Job {
  readonly parameters: Argon2Parameters;
  readonly concurrency: number;
  readonly measureMs: number;
}

/** The result. */
export interface Argon2Result {
  readonly hashes: number;
  readonly windowMs: number;
  readonly cpuMs: number;
  readonly latency: SparseHistogram;
}

process.on('message', (job: Argon2Job) => {
  void measure(job).then((result) => process.send?.(result));
});
process.on('disconnect', () => process.exit(0));

/** Verifies one password repeatedly, as a login does. */
async function measure({ parameters, concurrency, measureMs }: Argon2Job): Promise<Argon2Result> {
  const hasher = createHasher(systemRandom);
  const phc = await hasher.hash('bench-password', parameters);
  const latency = new Histogram();
  const before = process.cpuUsage();
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    for (let at = startedAt; at < startedAt + measureMs; ) {
      await hasher.verify(phc, 'bench-password');
      const now = performance.now();
      latency.record(now - at);
      at = now;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  const { user, system } = process.cpuUsage(before);
  return {
    hashes: latency.total,
    windowMs: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    latency: latency.sparse(),
  };
}

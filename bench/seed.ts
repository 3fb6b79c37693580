// Homes of a given size for the restart figures, created through the API with the cheapest hashes.

import { type BenchHome, cheapestArgon2, rivalArgon2 } from './home.ts';
import { LoadGenerator } from './load/generator-process.ts';
import { makeNetwork } from './network.ts';
import { startController } from './server/controller-process.ts';

/** The content of a home, besides its policies. */
export interface SeedSize {
  readonly identities: number;
  readonly services: number;
  readonly routers: number;
  /**
   * The number of identities with a password; the API sessions are distributed evenly over them.
   */
  readonly logins: number;
  readonly apiSessions: number;
}

/** Fills an empty home and kills the controller, which leaves a log without a snapshot. */
export async function seedHome(bench: BenchHome, size: SeedSize, root?: string): Promise<void> {
  bench.configure(cheapestArgon2);
  const { home, logFile } = bench;
  const controller = await startController({ home, logFile, direct: false, root });
  const generator = new LoadGenerator();
  try {
    await makeNetwork(controller, generator, {
      ...size,
      visibleServices: Math.min(100, size.services),
      callers: size.logins,
      viewers: 0,
      apiSessionsEach: size.logins === 0 ? 0 : Math.round(size.apiSessions / size.logins),
    });
  } finally {
    generator.stop();
    await controller.kill();
  }
  bench.configure(rivalArgon2);
}

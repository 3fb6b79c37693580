// The stage of a scene: a controller on a home of its own, its network, and the load generator.

import { type BenchSettings, makeHome, rivalArgon2 } from './home.ts';
import { LoadGenerator } from './load/generator-process.ts';
import { makeNetwork, type Network, type NetworkSize } from './network.ts';
import { type ControllerProcess, startController } from './server/controller-process.ts';
import { inspectorFlags } from './server/inspector.ts';

/** A running stage. */
export interface Stage {
  readonly controller: ControllerProcess;
  readonly generator: LoadGenerator;
  readonly network: Network;
}

/** Options of a stage. */
export interface StageOptions {
  /** Names the home. */
  readonly name: string;
  readonly size: NetworkSize;
  /** Settings besides the cost of hashes. */
  readonly settings?: BenchSettings | undefined;
  /** Whether its main thread is watched, as `pausesWhile` needs it. */
  readonly isWatched?: boolean;
  /**
   * Whether the load generator runs at a lower priority than the controller (see `LoadGenerator`).
   */
  readonly givesWay?: boolean;
  /** Checkout of the controller; this one if absent. */
  readonly root?: string | undefined;
}

/** Runs `play` on a new stage, which is removed afterwards. */
export async function onStage<T>(
  { name, size, settings, isWatched = false, givesWay = false, root }: StageOptions,
  play: (stage: Stage) => Promise<T>,
): Promise<T> {
  const bench = makeHome(name, root);
  bench.configure(rivalArgon2, settings);
  const { home, logFile } = bench;
  const nodeFlags = isWatched ? inspectorFlags : [];
  const controller = await startController({ home, logFile, direct: false, nodeFlags, root });
  const generator = new LoadGenerator({ givesWay });
  try {
    return await play({
      controller,
      generator,
      network: await makeNetwork(controller, generator, size),
    });
  } finally {
    generator.stop();
    await controller.stop();
    bench.remove();
  }
}

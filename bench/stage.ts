// What a scene plays on: a controller on a home of its own, its network, and what makes the load.

import { type BenchSettings, makeHome, rivalArgon2 } from './home.ts';
import { LoadGenerator } from './load/generator-process.ts';
import { makeNetwork, type Network, type NetworkSize } from './network.ts';
import { type ControllerProcess, startController } from './server/controller-process.ts';
import { inspectorFlags } from './server/inspector.ts';

/** All of it at work. */
export interface Stage {
  readonly controller: ControllerProcess;
  readonly generator: LoadGenerator;
  readonly network: Network;
}

/** What a stage is made with. */
export interface StageOptions {
  /** Names the home. */
  readonly name: string;
  readonly size: NetworkSize;
  /** Settings beside the hashes' cost. */
  readonly settings?: BenchSettings;
  /** Whether its main thread is to be watched, as for `pausesWhile`. */
  readonly isWatched?: boolean;
  /** Whether the load gives way to the controller, as `LoadGenerator` has it. */
  readonly givesWay?: boolean;
  /** Checkout of the controller; this one when absent. */
  readonly root?: string | undefined;
}

/** Runs `play` on a stage of its own, of which nothing is left behind. */
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

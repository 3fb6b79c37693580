// Starts nodes again that have ended by themselves, as systemd does.

import type { Cluster } from '../../test/system/nats/cluster.ts';

/** By which a node asks to be started again (behaviour/cluster#controller). */
const startAgainCode = 3;

/** Watches the nodes that run. */
export class Supervisor {
  readonly #cluster: Cluster;
  readonly #returns = new Map<number, Promise<void>>();
  #isOver = false;
  #restarts = 0;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    for (const index of cluster.nodes.keys()) this.#watch(index);
  }

  /** How often a node has ended by itself and was started again. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Starts a node that was killed. */
  async start(index: number): Promise<void> {
    await this.#cluster.start(index);
    this.#watch(index);
  }

  /** Resolves when the process that runs now has ended, and another one serves if it asked so. */
  async returned(index: number): Promise<void> {
    await this.#returns.get(index);
  }

  /** From here on, nothing is started. */
  end(): void {
    this.#isOver = true;
  }

  #watch(index: number): void {
    const { process } = this.#cluster.serving(index);
    const returned = process.ended.then(async ({ code }) => {
      if (this.#isOver || code !== startAgainCode) return;
      this.#restarts += 1;
      await this.start(index);
    });
    // Whoever waits is told; without it, the cluster is never well again.
    returned.catch(() => undefined);
    this.#returns.set(index, returned);
  }
}

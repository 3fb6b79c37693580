// Randomness that is the same in every run: bytes that follow from a seed.

import { createHash } from 'node:crypto';
import type { Random } from '../../src/platform/ports.ts';

/** SHA-256 of seed and counter, block by block: any seed gives a stream of its own. */
export class SimulatedRandom implements Random {
  readonly #seed: string;
  #block = 0;
  #left: Buffer = Buffer.alloc(0);

  constructor(seed: number | string = 1) {
    this.#seed = String(seed);
  }

  bytes(length: number): Buffer {
    const blocks = [this.#left];
    let have = this.#left.length;
    while (have < length) {
      const block = createHash('sha256')
        .update(`${this.#seed} ${this.#block++}`)
        .digest();
      blocks.push(block);
      have += block.length;
    }
    const all = Buffer.concat(blocks);
    this.#left = all.subarray(length);
    return Buffer.from(all.subarray(0, length));
  }
}

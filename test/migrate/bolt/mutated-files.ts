// Files of bbolt with bytes changed where it hurts: headers and elements of pages, and metas whose
// checksum is right nonetheless.

import { randomOf } from '../../model/random-access.ts';
import { sealMeta } from './bolt-writer.ts';

/** Numbers that positions, lengths and counts are sensitive to. */
const edges = [0, 1, 2, 3, 7, 8, 15, 16, 17, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff];

/** Mutates one file after the other, from a seed. */
export class MutatedFiles {
  readonly #seed: number;
  readonly #pageSize: number;
  readonly #random: (below: number) => number;
  #count = 0;

  constructor(seed: number, pageSize: number) {
    this.#seed = seed;
    this.#pageSize = pageSize;
    this.#random = randomOf(seed);
  }

  /** Which file the last one was. */
  get replay(): string {
    return `file ${this.#count} of PROPERTY_SEED=${this.#seed}`;
  }

  /** The file with one to four changes. */
  of(sound: Buffer): Buffer {
    this.#count++;
    let file: Buffer = Buffer.from(sound);
    for (let changes = 1 + this.#random(4); changes > 0; changes--) {
      if (this.#random(20) === 0) file = this.#cut(file);
      else this.#change(file);
    }
    return file;
  }

  #cut(file: Buffer): Buffer {
    return file.subarray(0, this.#random(file.length + 1));
  }

  #change(file: Buffer): void {
    const pages = Math.floor(file.length / this.#pageSize);
    if (pages < 3) return;
    const page = this.#random(pages);
    const start = page * this.#pageSize;
    switch (this.#random(6)) {
      case 0:
        file.writeUInt8(this.#random(256), this.#random(file.length));
        break;
      case 1:
        file.writeUInt8(this.#random(256), start + this.#random(this.#pageSize));
        break;
      case 2: {
        const from = this.#random(pages) * this.#pageSize;
        file.copy(file, start, from, from + this.#pageSize);
        break;
      }
      default:
        // A field of the header or of an element: 16 bits, or 32.
        file.writeUInt32LE(this.#number(pages), start + 4 * this.#random(40));
    }
    if (page < 2 && this.#random(2) === 0) sealMeta(file, start);
  }

  #number(pages: number): number {
    if (this.#random(2) === 0) return this.#random(pages);
    return edges[this.#random(edges.length)] ?? 0;
  }
}

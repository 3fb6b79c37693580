// Changes a written bbolt file where a test wants it damaged.

/** A file whose pages can be found and changed. */
export class DamagedFile {
  readonly bytes: Buffer;
  readonly pageSize: number;

  /** @param bytes they are changed in place */
  constructor(bytes: Buffer, pageSize = 4096) {
    this.bytes = bytes;
    this.pageSize = pageSize;
  }

  /** The page of the root bucket, as the newer meta says. */
  get rootPage(): number {
    const [first, second] = [0, this.pageSize].map((start) => this.bytes.readUInt32LE(start + 64));
    const start = (first ?? 0) > (second ?? 0) ? 0 : this.pageSize;
    return this.bytes.readUInt32LE(start + 32);
  }

  /** The page of a bucket that is the element `index` of a leaf. */
  bucketPage(leaf: number, index: number): number {
    const at = this.element(leaf, index);
    const value = at + this.bytes.readUInt32LE(at + 4) + this.bytes.readUInt32LE(at + 8);
    return this.bytes.readUInt32LE(value);
  }

  /** The page to which the element `index` of a branch leads. */
  childPage(branch: number, index: number): number {
    return this.bytes.readUInt32LE(this.element(branch, index) + 8);
  }

  /** Where a page begins. */
  start(page: number): number {
    return page * this.pageSize;
  }

  /** Where an element of a page begins. */
  element(page: number, index: number): number {
    return this.start(page) + 16 + 16 * index;
  }

  /** Writes 32 bits at a place. */
  set(at: number, value: number): this {
    this.bytes.writeUInt32LE(value, at);
    return this;
  }

  /** Writes 16 bits at a place. */
  setShort(at: number, value: number): this {
    this.bytes.writeUInt16LE(value, at);
    return this;
  }
}

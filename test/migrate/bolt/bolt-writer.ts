// Writes bbolt files for tests, as the library lays them out: branch pages, runs of pages, inline
// and nested buckets, pages that are free, and two metas.

/** What lies under a key. */
export type BoltValue = Uint8Array | BoltBucket;

/** A bucket to be written. Its keys are sorted by their bytes. */
export interface BoltBucket {
  readonly entries: readonly (readonly [key: string | Uint8Array, value: BoltValue])[];
  /** The counter that a bucket carries. */
  readonly sequence?: number;
}

/** How a file is laid out. */
export interface BoltLayout {
  /** Bytes of a page: a power of two. */
  readonly pageSize?: number;
  /** How full a leaf or branch may become before another one is begun, from 0 to 1. */
  readonly fill?: number;
  /** Whether small buckets stand in the page of their parent. */
  readonly isInlining?: boolean;
  /** Every so many pages a free page with old bytes is left between; 0 for none. */
  readonly freePageEvery?: number;
  /** The transaction that wrote the file last; its meta is the one of the same parity. */
  readonly transactionId?: number;
  /** Keeps the order in which the entries are given, so that a test can have it wrong. */
  readonly isUnsorted?: boolean;
}

/** A bucket from names and values. */
export function boltBucket(
  entries: Readonly<Record<string, BoltValue>> | BoltBucket['entries'],
): BoltBucket {
  return { entries: isList(entries) ? entries : Object.entries(entries) };
}

function isList(
  entries: Readonly<Record<string, BoltValue>> | BoltBucket['entries'],
): entries is BoltBucket['entries'] {
  return Array.isArray(entries);
}

/** The bytes of a file with these buckets. At its root there are only buckets. */
export function boltFile(root: BoltBucket, layout: BoltLayout = {}): Buffer {
  return new Writer(layout).file(root);
}

const pageHeaderBytes = 16;
const elementBytes = 16;
const branchFlag = 1;
const leafFlag = 2;
const metaFlag = 4;
const freeListFlag = 16;
const bucketFlag = 1;

/** The pages that a new file has: two metas and the list of free pages. */
const firstPages = 3;

/** One line of a page: a leaf's value, or the child of a branch. */
interface Element {
  readonly key: Buffer;
  readonly value: Buffer;
  /** Of a leaf's element: whether a bucket lies there. */
  readonly flags: number;
  /** Of a branch's element: the page that it leads to. */
  readonly child: number;
}

class Writer {
  readonly #pageSize: number;
  readonly #fill: number;
  readonly #isInlining: boolean;
  readonly #freePageEvery: number;
  readonly #transactionId: number;
  readonly #isUnsorted: boolean;
  readonly #runs: { readonly page: number; readonly bytes: Buffer }[] = [];
  readonly #free: number[] = [];
  #next = firstPages;
  #written = 0;

  constructor(layout: BoltLayout) {
    this.#pageSize = layout.pageSize ?? 4096;
    this.#fill = layout.fill ?? 0.5;
    this.#isInlining = layout.isInlining ?? true;
    this.#freePageEvery = layout.freePageEvery ?? 0;
    this.#transactionId = layout.transactionId ?? 7;
    this.#isUnsorted = layout.isUnsorted ?? false;
  }

  file(root: BoltBucket): Buffer {
    const rootPage = this.#tree(this.#leafElements(root));
    const file = Buffer.alloc(this.#next * this.#pageSize);
    for (const { page, bytes } of this.#runs) bytes.copy(file, page * this.#pageSize);
    // What a free page held before it became free: a leaf that must not be read.
    for (const page of this.#free) {
      const old = { key: Buffer.from('old'), value: Buffer.from('gone'), flags: 0, child: 0 };
      this.#pageBytes(page, leafFlag, [old]).copy(file, page * this.#pageSize);
    }
    this.#freeList().copy(file, 2 * this.#pageSize);
    for (const transactionId of [this.#transactionId - 1, this.#transactionId]) {
      this.#meta(rootPage, root.sequence ?? 0, transactionId).copy(
        file,
        (transactionId % 2) * this.#pageSize,
      );
    }
    return file;
  }

  /** The page at which the tree of these elements begins. */
  #tree(elements: readonly Element[]): number {
    let level = this.#pages(leafFlag, elements);
    while (level.length > 1) level = this.#pages(branchFlag, level);
    return level[0]?.child ?? 0;
  }

  /** Writes elements into as many pages as they need; the elements that lead to these. */
  #pages(flag: number, elements: readonly Element[]): Element[] {
    const room = this.#pageSize * this.#fill;
    const pages: Element[][] = [[]];
    let bytes = pageHeaderBytes;
    for (const element of elements) {
      const size = elementBytes + element.key.length + element.value.length;
      // bbolt puts at least two elements into a page, which is why a page may need a run.
      if ((pages.at(-1)?.length ?? 0) >= 2 && bytes + size > room) {
        pages.push([]);
        bytes = pageHeaderBytes;
      }
      pages.at(-1)?.push(element);
      bytes += size;
    }
    return pages.map((content) => {
      const child = this.#write(flag, content);
      return { key: content[0]?.key ?? Buffer.alloc(0), value: Buffer.alloc(0), flags: 0, child };
    });
  }

  #write(flag: number, elements: readonly Element[]): number {
    this.#written++;
    if (this.#freePageEvery > 0 && this.#written % this.#freePageEvery === 0) {
      this.#free.push(this.#next++);
    }
    const page = this.#next;
    const bytes = this.#pageBytes(page, flag, elements);
    this.#next += bytes.length / this.#pageSize;
    this.#runs.push({ page, bytes });
    return page;
  }

  #leafElements(bucket: BoltBucket): Element[] {
    const elements = bucket.entries.map(([key, value]) => {
      const isValue = value instanceof Uint8Array;
      return {
        key: Buffer.from(key),
        value: isValue ? Buffer.from(value) : this.#bucketValue(value),
        flags: isValue ? 0 : bucketFlag,
        child: 0,
      };
    });
    if (this.#isUnsorted) return elements;
    return elements.sort((a, b) => Buffer.compare(a.key, b.key));
  }

  #bucketValue(bucket: BoltBucket): Buffer {
    const elements = this.#leafElements(bucket);
    const inline = this.#inlinePage(elements);
    const header = Buffer.alloc(16);
    header.writeBigUInt64LE(BigInt(inline === undefined ? this.#tree(elements) : 0), 0);
    header.writeBigUInt64LE(BigInt(bucket.sequence ?? 0), 8);
    return Buffer.concat(inline === undefined ? [header] : [header, inline]);
  }

  /** A bucket without buckets that takes at most a quarter of a page. */
  #inlinePage(elements: readonly Element[]): Buffer | undefined {
    if (!this.#isInlining || elements.some(({ flags }) => flags === bucketFlag)) return undefined;
    const bytes = this.#contentBytes(0, leafFlag, elements);
    return bytes.length <= this.#pageSize / 4 ? bytes : undefined;
  }

  #pageBytes(page: number, flag: number, elements: readonly Element[]): Buffer {
    const content = this.#contentBytes(page, flag, elements);
    const pages = Math.ceil(content.length / this.#pageSize);
    const bytes = Buffer.alloc(pages * this.#pageSize);
    content.copy(bytes);
    bytes.writeUInt32LE(pages - 1, 12);
    return bytes;
  }

  #contentBytes(page: number, flag: number, elements: readonly Element[]): Buffer {
    const table = Buffer.alloc(pageHeaderBytes + elements.length * elementBytes);
    table.writeBigUInt64LE(BigInt(page), 0);
    table.writeUInt16LE(flag, 8);
    table.writeUInt16LE(elements.length, 10);
    const data: Buffer[] = [table];
    let end = table.length;
    elements.forEach(({ key, value, flags, child }, index) => {
      const at = pageHeaderBytes + index * elementBytes;
      if (flag === branchFlag) {
        table.writeUInt32LE(end - at, at);
        table.writeUInt32LE(key.length, at + 4);
        table.writeBigUInt64LE(BigInt(child), at + 8);
      } else {
        table.writeUInt32LE(flags, at);
        table.writeUInt32LE(end - at, at + 4);
        table.writeUInt32LE(key.length, at + 8);
        table.writeUInt32LE(value.length, at + 12);
      }
      data.push(key, value);
      end += key.length + value.length;
    });
    return Buffer.concat(data);
  }

  #freeList(): Buffer {
    // A list that does not fit its page is of no use to a reader, so it is cut.
    const listed = this.#free.slice(0, this.#pageSize / 8 - 2);
    const bytes = Buffer.alloc(pageHeaderBytes + listed.length * 8);
    bytes.writeBigUInt64LE(2n, 0);
    bytes.writeUInt16LE(freeListFlag, 8);
    bytes.writeUInt16LE(listed.length, 10);
    listed.forEach((page, index) => {
      bytes.writeBigUInt64LE(BigInt(page), pageHeaderBytes + index * 8);
    });
    return bytes;
  }

  #meta(rootPage: number, sequence: number, transactionId: number): Buffer {
    const bytes = Buffer.alloc(pageHeaderBytes + 64);
    bytes.writeBigUInt64LE(BigInt(transactionId % 2), 0);
    bytes.writeUInt16LE(metaFlag, 8);
    bytes.writeUInt32LE(0xed0cdaed, 16);
    bytes.writeUInt32LE(2, 20);
    bytes.writeUInt32LE(this.#pageSize, 24);
    bytes.writeBigUInt64LE(BigInt(rootPage), 32);
    bytes.writeBigUInt64LE(BigInt(sequence), 40);
    bytes.writeBigUInt64LE(2n, 48);
    bytes.writeBigUInt64LE(BigInt(this.#next), 56);
    bytes.writeBigUInt64LE(BigInt(transactionId), 64);
    sealMeta(bytes, 0);
    return bytes;
  }
}

/** Writes the checksum of the meta page that begins at `start`: FNV-1a of its 56 bytes. */
export function sealMeta(file: Buffer, start: number): void {
  let sum = 0xcbf29ce484222325n;
  for (const byte of file.subarray(start + 16, start + 72)) {
    sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  }
  file.writeBigUInt64LE(sum, start + 72);
}

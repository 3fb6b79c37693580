// Writes a bbolt file of any size with little memory: each page goes to the disk when it is full.

import { closeSync, openSync, writeSync } from 'node:fs';
import { sealMeta } from '../../test/migrate/bolt/bolt-writer.ts';

/** A bucket whose entries are written one by one. */
export interface WrittenBucket {
  /** Those of an array are sorted by their keys; all others have to come in that order. */
  readonly entries: Iterable<WrittenEntry>;
}

/** A key of a bucket with its value, or with the bucket below it. */
export type WrittenEntry = readonly [key: string | Uint8Array, value: Uint8Array | WrittenBucket];

/** Writes a database. @throws any error of the disk */
export function writeDatabase(path: string, root: WrittenBucket): void {
  const fd = openSync(path, 'wx', 0o600);
  try {
    new DatabaseWriter(fd).write(root);
  } finally {
    closeSync(fd);
  }
}

const pageBytes = 4096;
/** Of a page, of an element of it, and of what says where a bucket is. */
const headerBytes = 16;
const branchFlag = 1;
const leafFlag = 2;
const metaFlag = 4;
const freeListFlag = 16;
const bucketFlag = 1;
const magic = 0xed0cdaed;

/** A line of a leaf, or of a branch, where `child` is the page that it leads to. */
interface Element {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly flags: number;
  readonly child: number;
}

class DatabaseWriter {
  readonly #fd: number;
  /** Two metas and the list of free pages come first. */
  #next = 3;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(root: WrittenBucket): void {
    const rootPage = this.#bucket(root, false).readBigUInt64LE();
    this.#put(2, contentBytes(2, freeListFlag, []));
    for (const transaction of [6, 7]) this.#put(transaction % 2, this.#meta(rootPage, transaction));
  }

  /** Writes a bucket. @returns the value that leads to it, or holds it if it is small */
  #bucket({ entries }: WrittenBucket, mayBeInline = true): Buffer {
    const leaves: Element[] = [];
    let held: Element[] = [];
    let size = headerBytes;
    let isPlain = true;
    for (const [name, content] of Array.isArray(entries) ? entries.toSorted(byKey) : entries) {
      const isValue = content instanceof Uint8Array;
      isPlain &&= isValue;
      const value = isValue ? Buffer.from(content) : this.#bucket(content);
      const key = Buffer.from(name);
      const more = headerBytes + key.length + value.length;
      if (size + more > pageBytes && held.length > 1) {
        leaves.push(this.#page(leafFlag, held));
        held = [];
        size = headerBytes;
      }
      held.push({ key, value, flags: isValue ? 0 : bucketFlag, child: 0 });
      size += more;
    }
    const place = Buffer.alloc(headerBytes);
    if (mayBeInline && isPlain && leaves.length === 0 && size <= pageBytes / 4) {
      return Buffer.concat([place, contentBytes(0, leafFlag, held)]);
    }
    leaves.push(this.#page(leafFlag, held));
    place.writeBigUInt64LE(BigInt(this.#top(leaves)));
    return place;
  }

  /** The root page above these pages. */
  #top(leaves: readonly Element[]): number {
    let level = leaves;
    while (level.length > 1) {
      const above: Element[] = [];
      // As many as fit with the keys of a bench, which have at most 22 bytes.
      for (let at = 0; at < level.length; at += 100) {
        above.push(this.#page(branchFlag, level.slice(at, at + 100)));
      }
      level = above;
    }
    return level[0]?.child ?? 0;
  }

  #page(flag: number, elements: readonly Element[]): Element {
    const child = this.#next;
    this.#next += this.#put(child, contentBytes(child, flag, elements));
    return { key: elements[0]?.key ?? Buffer.alloc(0), value: Buffer.alloc(0), flags: 0, child };
  }

  /** Writes a page and those that continue it. @returns how many these are */
  #put(page: number, content: Buffer): number {
    const pages = Math.ceil(content.length / pageBytes);
    const bytes = Buffer.concat([content], pages * pageBytes);
    bytes.writeUInt32LE(pages - 1, 12);
    writeSync(this.#fd, bytes, 0, bytes.length, page * pageBytes);
    return pages;
  }

  #meta(rootPage: bigint, transaction: number): Buffer {
    const bytes = Buffer.alloc(headerBytes + 64);
    bytes.writeBigUInt64LE(BigInt(transaction % 2), 0);
    bytes.writeUInt16LE(metaFlag, 8);
    [magic, 2, pageBytes].forEach((number, at) => {
      bytes.writeUInt32LE(number, 16 + 4 * at);
    });
    [rootPage, 0n, 2n, BigInt(this.#next), BigInt(transaction)].forEach((number, at) => {
      bytes.writeBigUInt64LE(number, 32 + 8 * at);
    });
    sealMeta(bytes, 0);
    return bytes;
  }
}

function byKey([one]: WrittenEntry, [other]: WrittenEntry): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** The bytes of a page, as far as they are used. */
function contentBytes(page: number, flag: number, elements: readonly Element[]): Buffer {
  const table = Buffer.alloc(headerBytes * (1 + elements.length));
  table.writeBigUInt64LE(BigInt(page), 0);
  table.writeUInt16LE(flag, 8);
  table.writeUInt16LE(elements.length, 10);
  let end = table.length;
  elements.forEach(({ key, value, flags, child }, index) => {
    const at = headerBytes * (1 + index);
    if (flag === branchFlag) {
      table.writeUInt32LE(end - at, at);
      table.writeUInt32LE(key.length, at + 4);
      table.writeBigUInt64LE(BigInt(child), at + 8);
    } else {
      [flags, end - at, key.length, value.length].forEach((number, place) => {
        table.writeUInt32LE(number, at + 4 * place);
      });
    }
    end += key.length + value.length;
  });
  return Buffer.concat([table, ...elements.flatMap(({ key, value }) => [key, value])]);
}

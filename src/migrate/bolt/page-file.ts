// The pages of a bbolt file, read one by one from the disk.

import { readUInt64 } from '../../../snapshots/binary.ts';
import type { DiskFile } from '../../platform/ports.ts';
import { SourceDamaged } from '../source-problem.ts';
import type { Meta } from './meta.ts';
import { Page, pageHeaderBytes } from './page.ts';
import { PageOwners } from './page-owners.ts';

/** Bytes of pages that are kept, for look-ups that begin at the same root. @bound */
const pageCacheBytes = 4_194_304;

/** Memory is taken for so many bytes of pages at once, as each page by itself costs far more. */
const roomBytes = 65_536;

/** The owner of the root page: no element leads to it. */
const metaOwner = 1;

/** Reads pages, and checks each against the file before it is used. */
export class PageFile {
  readonly #file: DiskFile;
  readonly #pageSize: number;
  readonly #pages: number;
  readonly #owners = new PageOwners();
  /** The last page with a number of the same remainder. */
  readonly #cache: { readonly page: number; readonly bytes: Buffer }[] = [];
  readonly #cachedPages: number;
  /** What is left of the memory that is next used for pages. */
  #room = Buffer.alloc(0);

  constructor(file: DiskFile, { pageSize, pages }: Meta) {
    this.#file = file;
    this.#pageSize = pageSize;
    this.#pages = pages;
    this.#cachedPages = pageCacheBytes / pageSize;
  }

  /**
   * A page and those that continue it.
   * @param from the element that leads to it, by its page and index; undefined for the root
   * @throws SourceDamaged for what is no page of a tree, or one to which another element leads
   */
  open(number: number, from?: { readonly page: number; readonly index: number }): Page {
    if (number < 2 || number >= this.#pages) {
      const source = from === undefined ? 'A meta page' : `Page ${from.page}`;
      throw new SourceDamaged(
        `${source} of the database leads to page ${number}, but the pages for that are 2 to ` +
          `${this.#pages - 1}.`,
      );
    }
    const first = this.#page(number);
    const id = readUInt64(first, 0);
    if (id !== number) throw damaged(number, `says that it is page ${id}`);
    const overflow = first.readUInt32LE(12);
    if (overflow >= this.#pages - number) {
      throw damaged(number, `is continued by ${overflow} pages, which reach behind the end`);
    }
    // An index has 16 bits, so each element has a number of its own.
    const owner = from === undefined ? metaOwner : from.page * 65_536 + from.index;
    const twice = this.#owners.claim(number, overflow + 1, owner);
    if (twice !== undefined) throw damaged(twice, 'is used twice, or leads back to itself');
    if (overflow === 0) return new Page(number, first);
    const start = number * this.#pageSize;
    return new Page(number, first.subarray(0, pageHeaderBytes), {
      size: (overflow + 1) * this.#pageSize,
      read: (offset, length) => this.#read(start + offset, length),
    });
  }

  #read(position: number, length: number): Buffer {
    const number = Math.floor(position / this.#pageSize);
    const offset = position - number * this.#pageSize;
    if (offset + length <= this.#pageSize) {
      return this.#page(number).subarray(offset, offset + length);
    }
    const bytes = this.#file.read(position, length);
    if (bytes.length < length) throw damaged(number, 'went away while it was read');
    return bytes;
  }

  #page(number: number): Buffer {
    const at = number % this.#cachedPages;
    const cached = this.#cache[at];
    if (cached?.page === number) return cached.bytes;
    const bytes = this.#file.read(number * this.#pageSize, this.#pageSize, this.#freshRoom());
    if (bytes.length < this.#pageSize) throw damaged(number, 'went away while it was read');
    this.#cache[at] = { page: number, bytes };
    return bytes;
  }

  /** Memory for a page, which is never used again, as keys and values lie in it. */
  #freshRoom(): Buffer {
    if (this.#room.length < this.#pageSize) this.#room = Buffer.allocUnsafeSlow(roomBytes);
    const room = this.#room.subarray(0, this.#pageSize);
    this.#room = this.#room.subarray(this.#pageSize);
    return room;
  }
}

function damaged(page: number, what: string): SourceDamaged {
  return new SourceDamaged(`Page ${page} of the database ${what}.`);
}

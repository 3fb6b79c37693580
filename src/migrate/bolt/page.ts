// One page of a bbolt file, or the page within a value that an inline bucket is.

import { readUInt64 } from '../../../snapshots/binary.ts';
import { SourceDamaged } from '../source-problem.ts';
import { LeafElement } from './leaf-element.ts';

/** Bytes before the elements of a page. */
export const pageHeaderBytes = 16;

const elementBytes = 16;
const branchFlag = 1;
const leafFlag = 2;

/** Bytes of a key. The library takes no longer ones. @bound */
const keyBytesMax = 32_768;

/**
 * Bytes of a value. A record of a home fits a frame, and frames have at most as many
 * (`limits.frameBytesMax`), so a longer value could not be taken over. @bound
 */
const valueBytesMax = 8_388_608;

/** The library puts fewer elements into a page. */
const noCount = 65_535;

/** An element of a branch. */
export interface BranchElement {
  /** No key below the child comes before it. */
  readonly key: Buffer;
  readonly child: number;
}

/** The bytes of a page that other pages continue. */
export interface PageRun {
  readonly size: number;
  /** Bytes that are not changed later; the caller has checked that they are there. */
  read(offset: number, length: number): Buffer;
}

/**
 * The elements of a page. Each is checked when it is asked for; these methods throw SourceDamaged
 * with the number of the page.
 */
export class Page {
  /** The number of the page; of that with the value, for an inline bucket. */
  readonly number: number;
  readonly isBranch: boolean;
  /** How many elements there are. */
  readonly count: number;
  readonly isInline: boolean;
  readonly #bytes: Buffer;
  readonly #run: PageRun | undefined;
  readonly #size: number;

  /**
   * @param bytes the page, or its header if a run has the rest
   * @throws SourceDamaged for a page that is neither a branch nor a leaf, or lacks its elements
   */
  constructor(number: number, bytes: Buffer, run?: PageRun, isInline = false) {
    this.number = number;
    this.isInline = isInline;
    this.#bytes = bytes;
    this.#run = run;
    this.#size = run?.size ?? bytes.length;
    if (this.#size < pageHeaderBytes) throw this.damaged('ends within its header');
    const flags = bytes.readUInt16LE(8);
    this.isBranch = flags === branchFlag;
    if (flags !== leafFlag && (isInline || !this.isBranch)) {
      throw this.damaged(`has the flags ${flags}, which no page of a bucket has`);
    }
    this.count = bytes.readUInt16LE(10);
    if (this.count === noCount || this.#dataStart > this.#size || (this.isBranch && !this.count)) {
      throw this.damaged(`has a count of ${this.count} elements in ${this.#size} bytes`);
    }
  }

  /** Where the keys and values of elements begin at the earliest. */
  get #dataStart(): number {
    return pageHeaderBytes + this.count * elementBytes;
  }

  /** An element of a leaf. */
  leaf(index: number): LeafElement {
    const at = pageHeaderBytes + index * elementBytes;
    const { bytes, offset } = this.#table(at);
    const flags = bytes.readUInt32LE(offset);
    const start = at + bytes.readUInt32LE(offset + 4);
    const keySize = bytes.readUInt32LE(offset + 8);
    const valueSize = bytes.readUInt32LE(offset + 12);
    const end = start + keySize + valueSize;
    if (flags > 1) throw this.damaged(`has an element with the unknown flags ${flags}`);
    this.#checkKey(index, start, keySize, end);
    if (valueSize > valueBytesMax) {
      throw this.damaged(`has a value of ${valueSize} bytes, at most ${valueBytesMax} are read`);
    }
    const isBucket = flags === 1;
    if (this.#run === undefined) {
      return new LeafElement(isBucket, this.#bytes, { start, keySize, end }, start);
    }
    const content = this.#run.read(start, end - start);
    return new LeafElement(isBucket, content, { start: 0, keySize, end: end - start }, start);
  }

  /** An element of a branch. */
  branch(index: number): BranchElement {
    const at = pageHeaderBytes + index * elementBytes;
    const { bytes, offset } = this.#table(at);
    const start = at + bytes.readUInt32LE(offset);
    const keySize = bytes.readUInt32LE(offset + 4);
    this.#checkKey(index, start, keySize, start + keySize);
    return { key: this.#read(start, keySize), child: readUInt64(bytes, offset + 8) };
  }

  /** The key of an element, for a search that needs no values. */
  key(index: number): Buffer {
    if (this.isBranch) return this.branch(index).key;
    const at = pageHeaderBytes + index * elementBytes;
    const { bytes, offset } = this.#table(at);
    const start = at + bytes.readUInt32LE(offset + 4);
    const keySize = bytes.readUInt32LE(offset + 8);
    this.#checkKey(index, start, keySize, start + keySize);
    return this.#read(start, keySize);
  }

  /** An error about this page; `what` is the rest of its sentence. */
  damaged(what: string): SourceDamaged {
    const place = this.isInline ? 'An inline bucket in page' : 'Page';
    return new SourceDamaged(`${place} ${this.number} of the database ${what}.`);
  }

  #checkKey(index: number, start: number, keySize: number, end: number): void {
    if (start < this.#dataStart || end > this.#size) {
      throw this.damaged(
        `has an element ${index} from byte ${start} to ${end}, but its data is from byte ` +
          `${this.#dataStart} to ${this.#size}`,
      );
    }
    if (keySize === 0 || keySize > keyBytesMax) {
      throw this.damaged(`has a key of ${keySize} bytes, which no database has`);
    }
  }

  /** The bytes that hold a line of the table, and where in them it begins. */
  #table(at: number): { readonly bytes: Buffer; readonly offset: number } {
    if (this.#run === undefined) return { bytes: this.#bytes, offset: at };
    return { bytes: this.#run.read(at, elementBytes), offset: 0 };
  }

  #read(offset: number, length: number): Buffer {
    if (this.#run !== undefined) return this.#run.read(offset, length);
    return this.#bytes.subarray(offset, offset + length);
  }
}

// A bucket as a tree of pages: a walk through all of it in order, and a search for one key.

import { readUInt64 } from '../../../snapshots/binary.ts';
import type { SourceDamaged } from '../source-problem.ts';
import type { Bucket, BucketEntry } from './bucket.ts';
import type { LeafElement } from './leaf-element.ts';
import { Page } from './page.ts';
import type { PageFile } from './page-file.ts';

/** Branches above a leaf. Each has two elements at least, so more are never needed. @bound */
const treeDepthMax = 32;

/**
 * Buckets within buckets. The deepest are the data of a config: it begins in the fourth bucket, and
 * JSON is taken up to a depth of 32. @bound
 */
const bucketDepthMax = 40;

/** Bytes that say where a bucket is: its root page and its counter. */
const bucketHeaderBytes = 16;

/** What leads to a page: an element, by its page and index. */
interface Reference {
  readonly page: number;
  readonly index: number;
}

/** A bucket whose pages are read as they are needed. */
export class BucketTree implements Bucket {
  readonly #file: PageFile;
  readonly #root: () => Page;
  readonly #depth: number;

  /** @param root opens the first page of the bucket */
  constructor(file: PageFile, root: () => Page, depth = 0) {
    this.#file = file;
    this.#root = root;
    this.#depth = depth;
  }

  *entries(): Iterable<BucketEntry> {
    const order = new KeyOrder();
    const path: { readonly page: Page; index: number }[] = [{ page: this.#root(), index: 0 }];
    let below = path[0];
    while (below !== undefined) {
      const { page, index } = below;
      if (index === page.count) {
        path.pop();
        below = path.at(-1);
      } else if (page.isBranch) {
        below.index++;
        order.checkBranch(page, index);
        below = { page: this.#child(page, index, path.length), index: 0 };
        path.push(below);
      } else {
        let end = 0;
        for (let at = 0; at < page.count; at++) {
          const element = page.leaf(at);
          order.checkLeaf(page, element);
          // Values that share bytes would be read far more often than the file is long.
          if (element.position < end) throw page.damaged('has elements that overlap');
          end = element.position + element.size;
          if (element.isBucket) element.bucket = this.#below(page, at, element.content);
          yield element;
        }
        below.index = page.count;
      }
    }
  }

  value(key: string | Uint8Array): Buffer | undefined {
    return this.#find(key)?.value;
  }

  bucket(key: string | Uint8Array): Bucket | undefined {
    return this.#find(key)?.bucket;
  }

  #find(key: string | Uint8Array): LeafElement | undefined {
    const wanted = Buffer.from(key);
    let page = this.#root();
    for (let depth = 1; page.isBranch; depth++) {
      page = this.#child(page, Math.max(0, placeOf(wanted, page) - 1), depth);
    }
    const index = placeOf(wanted, page) - 1;
    if (index < 0) return undefined;
    const element = page.leaf(index);
    if (element.compareKey(wanted) !== 0) return undefined;
    if (element.isBucket) element.bucket = this.#below(page, index, element.content);
    return element;
  }

  #child(page: Page, index: number, depth: number): Page {
    if (depth > treeDepthMax) {
      throw page.damaged(`lies below ${treeDepthMax} others, which no bucket needs`);
    }
    return this.#file.open(page.branch(index).child, { page: page.number, index });
  }

  #below(page: Page, index: number, value: Buffer): BucketTree {
    const depth = this.#depth + 1;
    if (depth > bucketDepthMax) {
      throw page.damaged(`has a bucket within ${bucketDepthMax} others, which is too deep`);
    }
    if (page.isInline) throw page.damaged('holds a bucket, which no inline bucket does');
    if (value.length < bucketHeaderBytes) {
      throw page.damaged(`has a bucket of ${value.length} bytes, too few to say where it is`);
    }
    const root = readUInt64(value, 0);
    if (root === 0) {
      const inline = value.subarray(bucketHeaderBytes);
      return new BucketTree(
        this.#file,
        () => new Page(page.number, inline, undefined, true),
        depth,
      );
    }
    if (value.length > bucketHeaderBytes) {
      throw page.damaged(`has a bucket of ${value.length} bytes that is also at page ${root}`);
    }
    const reference: Reference = { page: page.number, index };
    return new BucketTree(this.#file, () => this.#file.open(root, reference), depth);
  }
}

/** How many keys of a page are not above the wanted one. */
function placeOf(wanted: Buffer, page: Page): number {
  let low = 0;
  let high = page.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (page.key(middle).compare(wanted) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Checks that keys ascend through all pages of a bucket, and that branches agree with leaves. */
class KeyOrder {
  #last: LeafElement | undefined;
  /** The key of the last branch element: no key after it is less. */
  #least: Buffer | undefined;

  checkBranch(page: Page, index: number): void {
    const { key } = page.branch(index);
    // The first element of a branch may repeat the key that led to it.
    const mostCompared = index === 0 ? 0 : -1;
    const isAscending =
      (this.#last === undefined || this.#last.compareKey(key) < 0) &&
      (this.#least === undefined || this.#least.compare(key) <= mostCompared);
    if (!isAscending) throw outOfOrder(page);
    this.#least = key;
  }

  checkLeaf(page: Page, element: LeafElement): void {
    const isAscending =
      (this.#last === undefined || this.#last.compare(element) < 0) &&
      (this.#least === undefined || element.compareKey(this.#least) >= 0);
    if (!isAscending) throw outOfOrder(page);
    this.#last = element;
  }
}

function outOfOrder(page: Page): SourceDamaged {
  return page.damaged('has keys out of order');
}

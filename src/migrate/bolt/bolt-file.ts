// Opens a bbolt file for reading.

import type { DiskFile } from '../../platform/ports.ts';
import type { Bucket } from './bucket.ts';
import { metaPrint, readMeta } from './meta.ts';
import { PageFile } from './page-file.ts';
import { BucketTree } from './tree.ts';

/** A bbolt file. */
export interface BoltFile {
  /** The bucket that holds all others. */
  readonly root: Bucket;
  /** Bytes of a page. */
  readonly pageSize: number;
  /** The transaction that wrote the file last. */
  readonly transactionId: number;
  /**
   * Reads everything once, so that damage is found before anything is made of the content.
   * @throws SourceDamaged, with the number of the page
   */
  check(): void;
  /** Whether nobody has written to the file since it was opened. */
  isUnchanged(): boolean;
}

/**
 * Reads what a bbolt file says about itself. Its pages are read later, when they are needed: memory
 * holds 4 MiB of them, 8 bytes for each that was read, and what the caller keeps.
 * @param file it must be closed by the caller, and nobody may write to it meanwhile
 * @throws SourceDamaged for a file that is no bbolt file, or whose metas are both damaged
 */
export function openBolt(file: DiskFile): BoltFile {
  const bytes = file.size();
  const meta = readMeta(file);
  const print = metaPrint(file, meta.pageSize);
  const pages = new PageFile(file, meta);
  const root = new BucketTree(pages, () => pages.open(meta.rootPage));
  return {
    root,
    pageSize: meta.pageSize,
    transactionId: meta.transactionId,
    check: () => readAll(root),
    isUnchanged: () => file.size() === bytes && metaPrint(file, meta.pageSize).equals(print),
  };
}

/** Buckets lie at most 40 deep, so this may call itself. */
function readAll(bucket: Bucket): void {
  for (const { bucket: below } of bucket.entries()) if (below !== undefined) readAll(below);
}

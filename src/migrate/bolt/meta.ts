// The two meta pages of a bbolt file: which of them counts, and what it says about the file.

import { readUInt64 } from '../../../snapshots/binary.ts';
import type { DiskFile } from '../../platform/ports.ts';
import { SourceDamaged } from '../source-problem.ts';

/** What the meta page that counts says. */
export interface Meta {
  /** Bytes of a page. */
  readonly pageSize: number;
  /** The page at which the root bucket begins. */
  readonly rootPage: number;
  /** How many pages the file uses, the free ones and the metas included. */
  readonly pages: number;
  /** The transaction that wrote the file last. */
  readonly transactionId: number;
}

/** Bytes of a meta page that say something: the header of a page, and the meta. */
const metaBytes = 80;
const magic = 0xed0cdaed;
const formatVersion = 2;

/** Bytes of the smallest page. The library looks for the second meta from there on. @bound */
const pageSizeMin = 1024;

/** Bytes of the largest page. A library takes that of its machine, 64 KiB at the most. @bound */
const pageSizeMax = 65_536;

/** Bytes of a database. They keep the number of a page within 32 bits. @bound */
const databaseBytesMax = 1_099_511_627_776;

/**
 * Reads both meta pages and chooses the valid one with the higher transaction id. One that is not
 * valid is normal after a crash.
 * @throws SourceDamaged if neither is valid, or the file is shorter than the chosen one says
 */
export function readMeta(file: DiskFile): Meta {
  const size = file.size();
  if (size < metaBytes) {
    throw new SourceDamaged(
      `The database has ${size} bytes, which is less than one meta page of bbolt.`,
    );
  }
  if (size > databaseBytesMax) {
    throw new SourceDamaged(
      `The database has ${size} bytes, at most ${databaseBytesMax} can be read.`,
    );
  }
  const meta = chosenMeta(file, size);
  if (meta.pages * meta.pageSize > size) {
    throw new SourceDamaged(
      `The database is not complete: it has ${meta.pages} pages of ${meta.pageSize} bytes, ` +
        `and its file ends after ${size} bytes.`,
    );
  }
  if (meta.rootPage < 2 || meta.rootPage >= meta.pages) {
    throw new SourceDamaged(
      `A meta page says that the root of the database is page ${meta.rootPage}, but the pages ` +
        `for that are 2 to ${meta.pages - 1}.`,
    );
  }
  return meta;
}

/** The bytes of both metas as they are in the file now: other bytes mean that somebody wrote. */
export function metaPrint(file: DiskFile, pageSize: number): Buffer {
  return Buffer.concat([file.read(0, metaBytes), file.read(pageSize, metaBytes)]);
}

/** The valid meta with the higher transaction id. */
function chosenMeta(file: DiskFile, size: number): Meta {
  const first = metaAt(file, 0);
  const second =
    typeof first === 'string' ? secondMeta(file, size) : metaAt(file, first.pageSize, first);
  if (typeof first !== 'string') {
    if (typeof second === 'string') return first;
    return second.transactionId > first.transactionId ? second : first;
  }
  if (typeof second !== 'string') return second;
  throw new SourceDamaged(
    'The file is no database of bbolt, or both of its meta pages are damaged: ' +
      `page 0 ${first}, page 1 ${second}.`,
  );
}

/** The second meta where the first one cannot say how long a page is. */
function secondMeta(file: DiskFile, size: number): Meta | string {
  for (let pageSize = pageSizeMin; pageSize <= pageSizeMax; pageSize *= 2) {
    if (pageSize + metaBytes > size) break;
    const meta = metaAt(file, pageSize);
    if (typeof meta !== 'string' && meta.pageSize === pageSize) return meta;
  }
  return 'is at no place where it may begin';
}

/**
 * The meta that begins at `position`, or what is wrong with it, as the rest of a sentence.
 * @param other the other meta, which has to have the same size of pages
 */
function metaAt(file: DiskFile, position: number, other?: Meta): Meta | string {
  const bytes = file.read(position, metaBytes);
  if (bytes.length < metaBytes) return 'lies behind the end of the file';
  if (bytes.readUInt32LE(16) !== magic) return 'does not begin with the mark of bbolt';
  if (bytes.readBigUInt64LE(72) !== fnv1a(bytes.subarray(16, 72))) return 'has a wrong checksum';
  const version = bytes.readUInt32LE(20);
  if (version !== formatVersion) return `has version ${version} instead of ${formatVersion}`;
  const pageSize = bytes.readUInt32LE(24);
  if (pageSize < pageSizeMin || pageSize > pageSizeMax || (pageSize & (pageSize - 1)) !== 0) {
    return `says that pages have ${pageSize} bytes`;
  }
  if (other !== undefined && other.pageSize !== pageSize) return 'has another size of pages';
  return {
    pageSize,
    rootPage: readUInt64(bytes, 32),
    pages: readUInt64(bytes, 56),
    transactionId: readUInt64(bytes, 64),
  };
}

/** FNV-1a with 64 bits, the checksum of a meta page. */
function fnv1a(bytes: Buffer): bigint {
  let sum = 0xcbf29ce484222325n;
  for (const byte of bytes) sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n);
  return sum;
}

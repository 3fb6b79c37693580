// Ways to damage a home as no crash would (snapshots/format.md); each returns the repair.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * Flips a bit in the payload of the first frame; later frames, synced long after it, stay sound.
 */
export function damageFrame(home: string): () => void {
  return changed(firstSegment(home), (bytes) => {
    const at = segmentHeaderBytes + frameHeaderBytes + 4;
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
    return bytes;
  });
}

/** Says format 2 in the first segment's header, with a checksum that fits. */
export function makeSegmentNewer(home: string): () => void {
  return changed(firstSegment(home), (bytes) => {
    bytes.writeUInt32LE(3, 8);
    const sum = crc32(bytes.subarray(64, segmentHeaderBytes), crc32(bytes.subarray(0, 60)));
    bytes.writeUInt32LE(sum, 60);
    return bytes;
  });
}

/** Says format 2 in the first line of the manifest. */
export function makeManifestNewer(home: string): () => void {
  return changed(join(home, 'manifest'), (bytes) => {
    const text = bytes.toString('utf8');
    return Buffer.from(text.replace(/^edge-control manifest 1 /, 'edge-control manifest 2 '));
  });
}

/**
 * A digest over the names and contents of all files in a home, without the lock: a start that is
 * refused takes away what a killed process left of it.
 */
export function digestOf(home: string): string {
  const hash = createHash('sha256');
  for (const path of pathsIn(home).filter((name) => name !== 'lock')) {
    hash.update(`${path}\0`);
    if (statSync(join(home, path)).isFile()) hash.update(readFileSync(join(home, path)));
  }
  return hash.digest('hex');
}

/** Everything below a directory, relative to it. */
export function pathsIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
}

const segmentHeaderBytes = 512;
const frameHeaderBytes = 32;

function firstSegment(home: string): string {
  return join(home, 'log', '0000000000000001.log');
}

function changed(path: string, change: (bytes: Buffer) => Buffer): () => void {
  const before = readFileSync(path);
  writeFileSync(path, change(Buffer.from(before)));
  return () => writeFileSync(path, before);
}

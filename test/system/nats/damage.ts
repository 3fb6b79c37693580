// Ways to damage what a NATS server or a node keeps on its disk while it does not run.

import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsIn } from '../damage.ts';
import type { NatsServer } from './server.ts';

/** Where in a file a bit is flipped. The zeros at the end of a file do not count. */
export type DamagedPlace = 'middle' | 'end';

/** Flips a bit of a file, unless that has none but zeros. */
export function flipBit(path: string, place: DamagedPlace): void {
  const bytes = readFileSync(path);
  const last = bytes.findLastIndex((byte) => byte !== 0);
  if (last < 0) return;
  const at = place === 'end' ? last : Math.floor(last / 2);
  bytes.writeUInt8((bytes[at] ?? 0) ^ 1, at);
  writeFileSync(path, bytes);
}

/** Segments of the log in a home, the oldest first. */
export function segmentsOf(home: string): string[] {
  const directory = join(home, 'log');
  const names = readdirSync(directory).filter((name) => name.endsWith('.log'));
  return names
    .sort()
    .map((name) => join(directory, name))
    .filter((path) =>
      readFileSync(path)
        .subarray(segmentHeaderBytes)
        .some((byte) => byte !== 0),
    );
}

/** Flips a bit of each file of messages that a server keeps of a data set's streams. */
export function flipStoredMessages({ home }: NatsServer, place: DamagedPlace): void {
  for (const path of pathsIn(home)) {
    if (path.endsWith('.blk') && path.includes('EDGE_')) flipBit(join(home, path), place);
  }
}

/** Removes everything that a server keeps. */
export function wipeStore({ home }: NatsServer): void {
  rmSync(storeOf(home), { recursive: true, force: true });
}

/** Copies everything that a server keeps. @returns a function that puts the copy in its place */
export function copyStore({ home }: NatsServer): () => void {
  return copyTree(storeOf(home));
}

/** Copies a directory. @returns a function that puts the copy in its place, any number of times */
export function copyTree(directory: string): () => void {
  const copy = `${directory}-copy-${(copies += 1)}`;
  cpSync(directory, copy, { recursive: true });
  return () => {
    rmSync(directory, { recursive: true, force: true });
    cpSync(copy, directory, { recursive: true });
  };
}

let copies = 0;

const segmentHeaderBytes = 512;

function storeOf(home: string): string {
  return join(home, 'jetstream');
}

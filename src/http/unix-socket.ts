// Where the server's Unix socket lies, also when its path is longer than the system allows.

import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A place for a Unix socket. */
export interface UnixSocketPlace {
  /** The path by which any thread of this process binds or connects; at most 107 bytes. */
  readonly path: string;
  /** Removes the socket and gives back what the path needed. */
  release(): void;
}

/**
 * Makes `directory` with mode 0700, so that only who can read it can name a connection and so forge
 * a certificate, and clears the name in it. Throws Node's file system errors.
 */
export function unixSocketPlace(directory: string, name: string): UnixSocketPlace {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The directory may have been there with another mode.
  chmodSync(directory, 0o700);
  const file = join(directory, name);
  rmSync(file, { force: true });
  if (Buffer.byteLength(file) <= socketPathBytesMax) {
    return { path: file, release: () => rmSync(file, { force: true }) };
  }
  // Worker threads share the process's descriptors, so the way through an open directory serves
  // them too.
  const descriptor = openSync(directory, 'r');
  return {
    path: `/proc/self/fd/${descriptor}/${name}`,
    release: () => {
      rmSync(file, { force: true });
      closeSync(descriptor);
    },
  };
}

/** `sun_path` has 108 bytes, the last of them a NUL (unix(7)). */
const socketPathBytesMax = 107;

// The path of a Unix socket, even when it is longer than the system allows.

import { chmodSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A place for a Unix socket. */
export interface UnixSocketPlace {
  /** The path by which any thread of this process binds or connects; at most 107 bytes. */
  readonly path: string;
  /**
   * Releases the resources of the path; for one's own socket it also removes the socket. Further
   * calls do nothing.
   */
  release(): void;
}

/**
 * Makes `directory` with mode 0700, so that only users with access to it can name a connection and
 * so forge a certificate, and removes an old socket in it. Throws Node's file system errors.
 */
export function unixSocketPlace(directory: string, name: string): UnixSocketPlace {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // The directory may have existed with another mode.
  chmodSync(directory, 0o700);
  const file = join(directory, name);
  rmSync(file, { force: true });
  const { path, release } = wayToUnixSocket(directory, name);
  return {
    path,
    release: () => {
      rmSync(file, { force: true });
      release();
    },
  };
}

/** The path to a present or future socket. Throws Node's file system errors. */
export function wayToUnixSocket(directory: string, name: string): UnixSocketPlace {
  const file = join(directory, name);
  if (Buffer.byteLength(file) <= socketPathBytesMax) return { path: file, release: () => {} };
  // Worker threads share the process's descriptors, so the way through an open directory serves
  // them too.
  const descriptor = openSync(directory, 'r');
  let isOpen = true;
  return {
    path: `/proc/self/fd/${descriptor}/${name}`,
    // A second close could hit a descriptor that belongs to something else by then.
    release: () => {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** `sun_path` has 108 bytes, the last of them a NUL (unix(7)). @bound */
const socketPathBytesMax = 107;

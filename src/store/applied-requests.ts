// The requests whose frames a node has applied lately, by their ids.

import { Buffer } from 'node:buffer';

/** Request ids that are remembered: those of half a minute of frames. @bound per controller */
const requestsRememberedMax = 131_072;

/** Characters of a request id. */
const idBytes = 10;

/** Remembers the last request ids in one block of memory. */
export class AppliedRequests {
  readonly #ids: Buffer;
  #next = 0;

  /** `most` ids are remembered. */
  constructor(most = requestsRememberedMax) {
    this.#ids = Buffer.alloc(most * idBytes);
  }

  /** Notes an id; those of other lengths are of no request. */
  add(id: string): void {
    if (id.length !== idBytes) return;
    this.#ids.write(id, this.#next, 'latin1');
    this.#next = (this.#next + idBytes) % this.#ids.length;
  }

  /** Whether an id was noted, and not too many others since. */
  has(id: string): boolean {
    let at = this.#ids.indexOf(id, 0, 'latin1');
    while (at >= 0 && at % idBytes !== 0) at = this.#ids.indexOf(id, at + 1, 'latin1');
    return at >= 0;
  }
}

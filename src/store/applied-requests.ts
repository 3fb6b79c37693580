// The requests whose frames a node has applied lately, by their ids.

/** Request ids that are remembered. @bound per controller */
const requestsRememberedMax = 65_536;

/** Remembers the last request ids. */
export class AppliedRequests {
  readonly #most: number;
  /** The oldest first. */
  readonly #ids = new Set<string>();
  #added = 0;

  /** `most` ids are remembered. */
  constructor(most = requestsRememberedMax) {
    this.#most = most;
  }

  /** How many ids were added. */
  get added(): number {
    return this.#added;
  }

  /** Until `added` is this, no id is forgotten that was added a moment ago. */
  get forgetsAt(): number {
    return this.#added + this.#most / 2;
  }

  /** Notes the id of a request; what no request has caused has an empty one. */
  add(id: string): void {
    if (id === '' || this.#ids.has(id)) return;
    this.#added += 1;
    this.#ids.add(id);
    if (this.#ids.size <= this.#most) return;
    const [oldest = ''] = this.#ids;
    this.#ids.delete(oldest);
  }

  /** Whether an id was noted, and not too many others since. */
  has(id: string): boolean {
    return this.#ids.has(id);
  }
}

// The last change of each router in the order of the changes, for those who are told what is new.

/** A router as others are told of it. */
export interface Peer {
  readonly id: string;
  /** The number of its last change. */
  changedAt: number;
  /** Whether it accepts links. */
  isListening: boolean;
  /** Whether it has accepted links since it is known: those who were told so must hear the end. */
  hasListened: boolean;
  /** The router was deleted; no further change comes. */
  isRemoved: boolean;
  /** Its last change as a part of a message: repeated fields can be joined. */
  encoded: Buffer;
}

interface Entry {
  readonly at: number;
  readonly peer: Peer;
  readonly encoded: Buffer;
}

/** Keeps the last change of each router; older ones are of no interest. */
export class PeerLog {
  #entries: Entry[] = [];
  readonly #known = new Set<Peer>();

  /** The number of the newest change; 0 for none. */
  get last(): number {
    return this.#entries.at(-1)?.at ?? 0;
  }

  /** Whether the changes of a router that exists are among these. */
  has(peer: Peer): boolean {
    return this.#known.has(peer);
  }

  /** Takes the present state of a router. */
  note(peer: Peer): void {
    const { changedAt: at, encoded } = peer;
    if (peer.isRemoved) this.#known.delete(peer);
    else this.#known.add(peer);
    this.#entries.push({ at, peer, encoded });
    if (this.#entries.length > 2 * this.#known.size + spareEntries) this.#compact();
  }

  /** The changes after one, joined to bodies of messages; without those of one router. */
  since(upTo: number, without?: Peer): readonly Buffer[] {
    const bodies: Buffer[] = [];
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const { at, peer, encoded } of this.#entries.slice(this.#firstAfter(upTo))) {
      if (peer === without || at !== peer.changedAt) continue;
      if (bytes + encoded.length > peersBodyBytesMax) {
        bodies.push(Buffer.concat(parts));
        parts = [];
        bytes = 0;
      }
      parts.push(encoded);
      bytes += encoded.length;
    }
    if (parts.length > 0) bodies.push(Buffer.concat(parts));
    return bodies;
  }

  #firstAfter(upTo: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.at ?? 0) <= upTo) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #compact(): void {
    const current = this.#entries.filter(({ at, peer }) => at === peer.changedAt);
    let forgotten = current.length - this.#known.size - removedPeersKeptMax;
    this.#entries = current.filter(({ peer }) => !peer.isRemoved || forgotten-- <= 0);
  }
}

/** Bytes of one message about peers; longer ones are split. @bound per request */
const peersBodyBytesMax = 256 * 1024;
/**
 * Deleted routers of which others are still told when they connect again. @bound per controller
 */
const removedPeersKeptMax = 500;
const spareEntries = 1000;

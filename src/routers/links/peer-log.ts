// The last change of each router in the order of the changes, for those who are told what is new.

import { LastChanges } from '../../containers/last-changes.ts';

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

/** Keeps the last change of each router; older ones are of no interest. */
export class PeerLog {
  readonly #changes = new LastChanges<Peer>(removedPeersKeptMax);

  /** The number of the newest change; 0 for none. */
  get last(): number {
    return this.#changes.last;
  }

  /** Whether the changes of a router that exists are among these. */
  has(peer: Peer): boolean {
    return this.#changes.has(peer);
  }

  /** Takes the present state of a router. */
  note(peer: Peer): void {
    this.#changes.note(peer);
  }

  /** The changes after one, joined to bodies of messages; without those of one router. */
  since(upTo: number, without?: Peer): readonly Buffer[] {
    const bodies: Buffer[] = [];
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const peer of this.#changes.after(upTo)) {
      if (peer === without) continue;
      const { encoded } = peer;
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
}

/** Bytes of one message about peers; longer ones are split. @bound per request */
const peersBodyBytesMax = 256 * 1024;
/**
 * Deleted routers of which others are still told when they connect again. @bound per controller
 */
const removedPeersKeptMax = 500;

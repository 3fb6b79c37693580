// Which entries of the directory of nodes count: those that a node with the keys of the cluster has
// written, and until an upgrade is final also those of the release before, which have no MAC
// (behaviour/cluster#members-and-marks).

import { createHmac, hkdfSync } from 'node:crypto';
import type { Formats, Member } from '../membership.ts';
import { readMember } from './member-entry.ts';
import { isEqual } from './snapshot-entry.ts';

/** The format of entries with a MAC: its name and version (behaviour/cluster#formats). */
export const sealedMembers = { name: 'members', version: 1 } as const;

/** Whether all nodes write entries with a MAC. */
export function areSealed(formats: Formats | undefined): boolean {
  return (formats?.[sealedMembers.name] ?? 0) >= sealedMembers.version;
}

/** The key of the entry of a node. */
export function memberKey(id: string): string {
  return `member.${id}`;
}

/** An entry as it stands in the bucket; anybody with credentials for NATS may have written it. */
export interface StoredEntry {
  readonly key: string;
  /** The number that its message has in the stream of the bucket. */
  readonly sequence: number;
  readonly text: string;
  /** As it was sent; empty if there is none. */
  readonly mac: string;
}

/** The entries of the directory, evaluated. */
export interface EvaluatedMembers {
  readonly counted: readonly Member[];
  /** Entries that only somebody without the keys of this cluster can have written. */
  readonly uncounted: readonly Member[];
}

/** Seals the entries of one bucket, and evaluates them. */
export class MemberSeal {
  readonly #bucket: string;
  readonly #key: Buffer;
  /** By key of the bucket: what the node itself has written last, as far as it was read here. */
  readonly #known = new Map<string, Member>();
  /** The formats have no MAC of their own, so nobody may take back what they have once said. */
  #areAllSealed = false;

  /**
   * @param sealingKey shared by all nodes, and unknown to NATS. The keys of groups and snapshots
   *   are derived from it, too, and differ (RFC 5869).
   */
  constructor(bucket: string, sealingKey: Buffer) {
    this.#bucket = bucket;
    this.#key = Buffer.from(hkdfSync('sha256', sealingKey, '', 'edge-control members', 32));
  }

  /**
   * The MAC of an entry. It covers the number of the message, so that nobody can send an entry once
   * more: neither as that of another node nor after the node has replaced it.
   */
  macOf(key: string, sequence: number, text: string): string {
    const place = ['member', this.#bucket, key, sequence].join();
    return createHmac('sha256', this.#key).update(`${place}\n${text}`).digest('hex');
  }

  /** Whether an entry of this key was read that its node has sealed. */
  knows(key: string): boolean {
    return this.#known.has(key);
  }

  /**
   * Evaluates all entries that the bucket has at a moment. What others write in the place of a
   * sealed entry does not hide it.
   * @param areAllSealed whether the former release, which writes no MAC, may not run any more: once
   *   that was so, it stays
   */
  evaluate(stored: readonly StoredEntry[], areAllSealed: boolean): EvaluatedMembers {
    this.#areAllSealed ||= areAllSealed;
    const keys = new Set(stored.map(({ key }) => key));
    for (const key of this.#known.keys()) if (!keys.has(key)) this.#known.delete(key);
    const [counted, uncounted]: [Member[], Member[]] = [[], []];
    for (const entry of stored) {
      const member = memberIn(entry);
      if (member !== undefined && this.#isRight(entry)) this.#known.set(entry.key, member);
      const known = this.#known.get(entry.key);
      if (member === undefined || member === known) {
        if (known !== undefined) counted.push(known);
      } else if (entry.mac === '' && !this.#areAllSealed) {
        counted.push(ofPreviousRelease(member, known));
      } else {
        uncounted.push(member);
        if (known !== undefined) counted.push(known);
      }
    }
    return { counted, uncounted };
  }

  #isRight({ key, sequence, text, mac }: StoredEntry): boolean {
    return isEqual(mac, this.macOf(key, sequence, text));
  }
}

function memberIn({ key, text }: StoredEntry): Member | undefined {
  const member = readMember(text);
  return member !== undefined && memberKey(member.id) === key ? member : undefined;
}

/**
 * An entry without a MAC tells how its node is doing, but not who it is: addresses and keys are
 * those of a sealed entry, or are marked.
 */
function ofPreviousRelease(member: Member, known: Member | undefined): Member {
  if (known === undefined) return { ...member, isUnsealed: true };
  const { advertised, control, internal, keys } = known;
  return { ...member, advertised, control, internal, keys };
}

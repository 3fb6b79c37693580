// Which nodes may speak to this one: those in the list of members, each by its id and its key.

import type { X509Certificate } from 'node:crypto';
import { nodeKeyFingerprint, nodeName } from '../../pki/authority/node-certificate.ts';

/** A node of the cluster, as others check it. */
export interface NodeKey {
  readonly id: string;
  /** By `nodeKeyFingerprint`: SHA-256 of its public key, in hex. */
  readonly fingerprint: string;
}

/** The nodes of the cluster. The list can change at any moment. */
export class NodeMembers {
  readonly #trustDomain: string;
  #byFingerprint: ReadonlyMap<string, string>;

  constructor(trustDomain: string, members: readonly NodeKey[]) {
    this.#trustDomain = trustDomain;
    this.#byFingerprint = byFingerprint(members);
  }

  /** Replaces the list. */
  replace(members: readonly NodeKey[]): void {
    this.#byFingerprint = byFingerprint(members);
  }

  /**
   * The id of the node that a certificate belongs to; undefined if it is not of a member. Its
   * issuer was checked before (behaviour/cluster#node-certificates).
   */
  idOf(certificate: X509Certificate): string | undefined {
    const id = this.#byFingerprint.get(nodeKeyFingerprint(certificate.publicKey));
    if (id === undefined) return undefined;
    return certificate.subjectAltName === nodeName(this.#trustDomain, id) ? id : undefined;
  }
}

function byFingerprint(members: readonly NodeKey[]): ReadonlyMap<string, string> {
  return new Map(members.map(({ id, fingerprint }) => [fingerprint, id]));
}

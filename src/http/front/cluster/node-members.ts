// Which nodes may speak to this one: those in the list of members, each by its id and its key.

import type { X509Certificate } from 'node:crypto';
import { nodeKeyFingerprint, nodeName } from '../../../pki/authority/node-certificate.ts';

/** A node of the cluster, as others check it. */
export interface NodeKey {
  readonly id: string;
  /** By `nodeKeyFingerprint`: SHA-256 of its public key, in hex. */
  readonly fingerprint: string;
}

/** The nodes of the cluster. The list can change at any moment. */
export class NodeMembers {
  readonly #trustDomain: string;
  #byName: ReadonlyMap<string, NodeKey>;

  constructor(trustDomain: string, members: readonly NodeKey[]) {
    this.#trustDomain = trustDomain;
    this.#byName = this.#named(members);
  }

  /** Replaces the list. */
  replace(members: readonly NodeKey[]): void {
    this.#byName = this.#named(members);
  }

  /**
   * The id of the node that a certificate belongs to; undefined if it is not of a member. Its
   * issuer was checked before (behaviour/cluster#node-certificates). It is found by its name, so
   * that another member that claims the same key displaces nobody.
   */
  idOf({ subjectAltName, publicKey }: X509Certificate): string | undefined {
    const member = this.#byName.get(subjectAltName ?? '');
    return member?.fingerprint === nodeKeyFingerprint(publicKey) ? member.id : undefined;
  }

  #named(members: readonly NodeKey[]): ReadonlyMap<string, NodeKey> {
    return new Map(members.map((member) => [nodeName(this.#trustDomain, member.id), member]));
  }
}

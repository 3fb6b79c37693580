// What the front of a node knows of the other nodes: who they are, who leads, and the certificate
// by which they know this one.

import type { Member } from '../../cluster/membership.ts';
import type { NodeKey } from '../../http/front/cluster/node-members.ts';
import type { ClusterFront, Leading, NodeCertificates } from '../../http/front/tls-messages.ts';
import type { ClusterListener } from '../../http/server/listeners.ts';
import type { Log } from '../../observe/logs.ts';
import {
  type NodeAuthority,
  NodeRenewal,
  openNodeCertificate,
} from '../../pki/authority/node-certificate.ts';
import type { ChainedKey } from '../../pki/authority/server-certificate.ts';
import type { PkiContext } from '../../pki/authority/settings.ts';
import { keyToPem, toPem } from '../../pki/x509/pem.ts';
import type { Clock } from '../../platform/ports.ts';
import type { ClusterConfig } from '../../settings/cluster-config.ts';
import { hostPort } from '../../settings/setting-type.ts';

/** The name of a node's own key among the keys in its entry. */
export const nodeKeyName = 'node key';

/** What the front of a node is made of. */
export interface NodeFrontOptions {
  readonly id: string;
  readonly cluster: Pick<ClusterConfig, 'listen' | 'leaderWaitMs'>;
  readonly pki: PkiContext;
  readonly clock: Clock;
  readonly log: Log;
}

/** One per node. */
export class NodeFront {
  readonly #options: NodeFrontOptions;
  #members: readonly Member[] = [];
  #listener: ClusterListener | undefined;
  #renewal: NodeRenewal | undefined;

  constructor(options: NodeFrontOptions) {
    this.#options = options;
  }

  /**
   * How the front begins, before anything of the others is known. It is called once, when the PKI
   * of the home is open. @throws PkiProblem
   */
  async open(authority: NodeAuthority): Promise<ClusterFront> {
    const { id, cluster, pki, clock, log } = this.#options;
    const reopen = () => openNodeCertificate(pki, authority, id);
    const pair = await reopen();
    const renewed = (next: ChainedKey) =>
      this.#listener?.renewNode(certificatesOf(next, authority));
    this.#renewal = new NodeRenewal({ pair, reopen, clock, log, renewed });
    this.#renewal.start();
    const { listen, leaderWaitMs } = cluster;
    const { trustDomain } = authority;
    const leading = { who: 'nobody' } as const;
    const certificates = certificatesOf(pair, authority);
    const front = { listen, certificates, trustDomain, members: [], leading, leaderWaitMs };
    return { ...front, answersReads: true };
  }

  /** The front runs, and is told of all that changes. */
  follow(listener: ClusterListener): void {
    this.#listener = listener;
    this.replaceMembers(this.#members);
  }

  /** The entries of the nodes were read. */
  replaceMembers(members: readonly Member[]): void {
    this.#members = members;
    this.#listener?.replaceMembers(members.map(nodeKeyOf));
  }

  /** Another node leads, or nobody that this one knows of. */
  lead(leader: Member | undefined): void {
    this.#listener?.lead(this.#leadingOf(leader));
  }

  /** Renews its certificate no more. */
  async stop(): Promise<void> {
    await this.#renewal?.stop();
  }

  #leadingOf(leader: Member | undefined): Leading {
    const address = leader && hostPort(leader.internal);
    if (leader === undefined || address === undefined || leader.id === this.#options.id) {
      return { who: 'nobody' };
    }
    return { who: 'other', place: { ...nodeKeyOf(leader), address } };
  }
}

function nodeKeyOf({ id, keys }: Member): NodeKey {
  return { id, fingerprint: keys[nodeKeyName] ?? '' };
}

function certificatesOf({ chain, key }: ChainedKey, { anchors }: NodeAuthority): NodeCertificates {
  return { pair: { certificate: toPem(chain), key: keyToPem(key) }, anchors: toPem(anchors) };
}

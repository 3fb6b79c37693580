// Nodes of a cluster for tests of their fronts: real certificates, threads and connections, without
// the log that they would share.

import { type ClientHttp2Session, connect, type SecureClientSessionOptions } from 'node:http2';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { NodeKey } from '../../src/http/front/cluster/node-members.ts';
import type { ClusterFront, Leading, NodeCertificates } from '../../src/http/front/tls-messages.ts';
import { type Authority, openAuthority } from '../../src/pki/authority/authority.ts';
import {
  nodeKeyFingerprint,
  openNodeCertificate,
} from '../../src/pki/authority/node-certificate.ts';
import { keyToPem, toPem } from '../../src/pki/x509/pem.ts';
import { pkiContext } from '../pki/context.ts';
import { anotherLook } from '../real-waits.ts';
import { roomOf } from '../system/process.ts';
import { type Running, run } from './harness.ts';

/** A node by its certificate. */
export interface Identity {
  readonly key: NodeKey;
  readonly certificates: NodeCertificates;
}

/** A node whose front runs. */
export interface Node extends Identity {
  readonly running: Running;
  /** As its followers are told. */
  readonly leading: Leading;
  /** Tells it who leads. */
  follow(leader: Node | 'nobody' | 'self'): void;
  stop(): Promise<void>;
}

/** The options of a node. */
export type NodeOptions = Partial<Parameters<typeof run>[0]> &
  Partial<Pick<ClusterFront, 'leaderWaitMs' | 'answersReads'>>;

/** The CA of a cluster, and the nodes that were made by it. */
export class Cluster {
  readonly #t: Test;
  readonly #directory: string;
  readonly #authority: Authority;
  readonly members: NodeKey[] = [];

  /** Clusters of one test need different names. */
  static async make(t: Test, name = 'cluster'): Promise<Cluster> {
    const directory = join(roomOf(t), name);
    return new Cluster(t, directory, await openAuthority(pkiContext(join(directory, 'ca'))));
  }

  private constructor(t: Test, directory: string, authority: Authority) {
    this.#t = t;
    this.#directory = directory;
    this.#authority = authority;
  }

  get trustDomain(): string {
    return this.#authority.trustDomain;
  }

  /** A certificate of our CA; its node is a member unless `isMember` is false. */
  async identity(id: string, isMember = true): Promise<Identity> {
    const context = pkiContext(join(this.#directory, `key-${id}`));
    context.disk.makeDirectory(context.directory);
    const pair = await openNodeCertificate(context, this.#authority, id);
    const key = { id, fingerprint: nodeKeyFingerprint(pair.key) };
    if (isMember) this.members.push(key);
    const certificates = {
      pair: { certificate: toPem(pair.chain), key: keyToPem(pair.key) },
      anchors: toPem(this.#authority.anchors),
    };
    return { key, certificates };
  }

  /** A node that follows nobody yet. It knows the members that were made until now. */
  async node({ key, certificates }: Identity, options: NodeOptions = {}): Promise<Node> {
    const { leaderWaitMs = 600_000, answersReads = false, ...others } = options;
    const running = await run({
      directory: join(this.#directory, `home-${key.id}`),
      ...others,
      cluster: {
        listen: { host: '127.0.0.1', port: 0 },
        certificates,
        trustDomain: this.trustDomain,
        members: [...this.members],
        leading: { who: 'nobody' },
        leaderWaitMs,
        answersReads,
      },
    });
    const address = { host: '127.0.0.1', port: running.front.clusterPort ?? 0 };
    const leading: Leading = { who: 'other', place: { ...key, address } };
    let isStopped = false;
    const node: Node = {
      key,
      certificates,
      running,
      leading,
      follow: (leader) => running.front.lead(leadingOf(leader)),
      stop: async () => {
        if (isStopped) return;
        isStopped = true;
        await running.stop();
      },
    };
    this.#t.teardown(() => node.stop());
    return node;
  }

  /** A connection to the internal listener of a node, by any certificate. */
  session(
    { running }: Node,
    { certificates: { pair, anchors } }: Identity,
    more: SecureClientSessionOptions = {},
  ): ClientHttp2Session {
    const session = connect(`https://127.0.0.1:${running.front.clusterPort}`, {
      cert: pair.certificate,
      key: pair.key,
      ca: anchors,
      checkServerIdentity: () => undefined,
      ...more,
    });
    session.on('error', () => {});
    this.#t.teardown(() => session.destroy());
    return session;
  }
}

function leadingOf(leader: Node | 'nobody' | 'self'): Leading {
  if (leader === 'self') return { who: leader, term: 1 };
  return leader === 'nobody' ? { who: leader } : leader.leading;
}

/** Waits until something that other threads do has happened. */
export async function holds(
  condition: () => boolean,
  told: () => string = () => '',
): Promise<void> {
  const patience = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > patience) throw new Error(`never happened ${told()}`);
    await anotherLook();
  }
}

/** Waits until a count of a front is `value`. */
export function counted(
  { running }: Node,
  name: keyof ReturnType<Running['front']['counters']>,
  value: number,
): Promise<void> {
  const counters = () => running.front.counters();
  return holds(
    () => counters()[name] === value,
    () => JSON.stringify(counters()),
  );
}

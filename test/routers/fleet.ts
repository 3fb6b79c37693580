// Simulated routers that are enrolled in a booted network and can connect to it.

import { issueCertificate, makeKey } from '../../src/pki/authority/issue.ts';
import { fingerprint } from '../../src/pki/x509/pem.ts';
import { enrollmentKind } from '../../src/records/enrollment.ts';
import { routerKind } from '../../src/records/router.ts';
import { SimulatedControlConnection } from '../simulated/control-connection.ts';
import type { Network } from '../simulated/network.ts';
import { SimulatedRandom } from '../simulated/random.ts';
import { RouterTwin, type TwinOptions } from '../simulated/router-twin.ts';

/** A router that has enrolled. */
export interface EnrolledRouter {
  readonly id: string;
  readonly certificates: readonly Buffer[];
}

/** One connection of a router, at both ends. */
export interface FleetConnection {
  readonly twin: RouterTwin;
  readonly connection: SimulatedControlConnection;
}

const dayMs = 86_400_000;

/** The routers of a network. */
export class Fleet {
  readonly network: Network;
  readonly #key = makeKey('ec-p256');
  #serial = 0;

  constructor(network: Network) {
    this.network = network;
  }

  /** Creates a router and enrolls it. */
  async router(name: string, path = 'edge-routers'): Promise<EnrolledRouter> {
    const id = await this.network.create(path, { name });
    const certificate = await this.certificate(id);
    this.enroll(id, certificate);
    return { id, certificates: [certificate.raw] };
  }

  /** Further routers like one that is there, all at once. */
  async copies({ id: templateId }: EnrolledRouter, count: number): Promise<EnrolledRouter[]> {
    const { env } = this.network;
    const table = env.store.table(routerKind);
    const template = table.peek(templateId)?.record;
    if (template === undefined) throw new Error('there is no router to copy');
    const certificates = await Promise.all(
      Array.from({ length: count }, (_, n) => this.certificate(`copy-${n}`)),
    );
    const cause = { actor: 'test', requestId: 'test', operation: 'test' };
    return certificates.map((certificate, n) => {
      const id = `copy-${n}`;
      const record = { ...template, id, name: id, fingerprint: fingerprint(certificate) };
      env.store.transact(cause, (tx) => void tx.put(table, record));
      return { id, certificates: [certificate.raw] };
    });
  }

  /** A certificate that this network issues to a router. */
  async certificate(id: string, { isExpired = false } = {}) {
    const { network } = this;
    const { certificate, key } = network.core.authority.issuer;
    const nowMs = network.clock.now();
    return issueCertificate(
      {
        commonName: id,
        publicKey: await this.#key,
        alternativeNames: [],
        notBeforeMs: nowMs - 10 * dayMs,
        notAfterMs: nowMs + (isExpired ? -dayMs : 365 * dayMs),
        use: { as: 'end', extendedUsages: ['clientAuth'] },
      },
      { key, certificate },
      new SimulatedRandom(`${id} ${this.#serial++}`),
    );
  }

  /** What the enrollment operation does. */
  enroll(
    id: string,
    certificate: Parameters<typeof fingerprint>[0],
    certPem = certificate.toString(),
  ): void {
    const { env } = this.network;
    const cause = { actor: 'router', requestId: 'test', operation: 'enroll' };
    env.store.transact(cause, (tx) => {
      const told = { fingerprint: fingerprint(certificate), certPem };
      env.send(tx, 'router', id, { type: 'enroll', now: tx.now, ...told });
      for (const { record } of [...env.store.table(enrollmentKind).members('routerId', id)]) {
        env.send(tx, 'enrollment', record.id, { type: 'remove', now: tx.now });
      }
    });
  }

  /** Connects a router and says hello; the answer is there when the network has settled. */
  dial(
    { id, certificates }: EnrolledRouter,
    options: Partial<TwinOptions> = {},
    accept = (connection: SimulatedControlConnection) =>
      this.network.core.routers.accept(connection),
  ): FleetConnection {
    const { clock } = this.network;
    const connection = new SimulatedControlConnection(clock, { certificates });
    const hostname = `${id}.example`;
    const twin = new RouterTwin(connection.router, { id, clock, hostname, ...options });
    accept(connection);
    twin.greet();
    return { twin, connection };
  }

  /** As `dial`, and settles. */
  async connect(
    router: EnrolledRouter,
    options: Partial<TwinOptions> = {},
  ): Promise<FleetConnection> {
    const dialed = this.dial(router, options);
    await this.settle();
    return dialed;
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await this.network.clock.settle();
  }
}

/** What the log of a refused router shows. */
export function refusalOf({ twin }: FleetConnection): string | undefined {
  return twin.isAccepted ? undefined : twin.result?.body.toString();
}

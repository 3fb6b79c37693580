// A network with an edge router, a service, and an identity that may host it and has a session.

import { serviceKind } from '../../src/records/service.ts';
import { terminatorKind } from '../../src/records/terminator.ts';
import { bootNetwork, type Network, type NetworkOptions, noTraffic } from '../simulated/network.ts';

/** An identity that is logged in and has a session for hosting. */
export interface Host {
  readonly id: string;
  readonly token: string;
  readonly sessionId: string;
  /** The JWT of the session. */
  readonly sessionToken: string;
}

/** Boots such a network. */
export async function bootHosting(options: NetworkOptions = {}): Promise<Hosting> {
  const network = await bootNetwork({ traffic: noTraffic, ...options });
  const all = { semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] };
  const everywhere = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  const router = await network.create('edge-routers', { name: 'edge' });
  const service = await network.create('services', { name: 'printer', encryptionRequired: true });
  const bindPolicy = await network.create('service-policies', {
    name: 'bind',
    type: 'Bind',
    ...all,
  });
  const edgeRouterPolicy = await network.create('edge-router-policies', {
    name: 'usable',
    ...everywhere,
    identityRoles: ['#all'],
  });
  const serviceEdgeRouterPolicy = await network.create('service-edge-router-policies', {
    name: 'carried',
    ...everywhere,
    serviceRoles: ['#all'],
  });
  const ids = { router, service, bindPolicy, edgeRouterPolicy, serviceEdgeRouterPolicy };
  const hosting = new Hosting(network, ids);
  hosting.host = await hosting.person('host');
  return hosting;
}

type Ids = Pick<
  Hosting,
  'router' | 'service' | 'bindPolicy' | 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy'
>;

/** Such a network. */
export class Hosting {
  readonly network: Network;
  readonly router: string;
  readonly service: string;
  readonly bindPolicy: string;
  readonly edgeRouterPolicy: string;
  readonly serviceEdgeRouterPolicy: string;
  readonly services = serviceKind;
  host: Host = { id: '', token: '', sessionId: '', sessionToken: '' };

  constructor(network: Network, ids: Ids) {
    this.network = network;
    this.router = ids.router;
    this.service = ids.service;
    this.bindPolicy = ids.bindPolicy;
    this.edgeRouterPolicy = ids.edgeRouterPolicy;
    this.serviceEdgeRouterPolicy = ids.serviceEdgeRouterPolicy;
  }

  /** A further identity that may host the service, logged in, with a session. */
  async person(name: string, more: object = {}): Promise<Host> {
    const id = await this.network.createUser(name, `${name}-password`, more);
    return { id, ...(await this.logIn(name)) };
  }

  /** One more login of a person, with a session of its own. */
  async logIn(name: string): Promise<Omit<Host, 'id'>> {
    const token = await this.network.login(name, `${name}-password`);
    return { token, ...(await this.session({ token })) };
  }

  /** A session of a person for a service. */
  async session(
    { token }: Pick<Host, 'token'>,
    serviceId = this.service,
    type = 'Bind',
  ): Promise<Pick<Host, 'sessionId' | 'sessionToken'>> {
    const session = await this.network.must<{ id: string; token: string }>(
      ...(['POST', 'C:/sessions', { serviceId, type }, token] as const),
    );
    return { sessionId: session.id, sessionToken: session.token };
  }

  /** Ids of the terminators that a reader sees, in order. */
  terminators(): string[] {
    return [...this.network.env.store.table(terminatorKind).rows()].map(({ id }) => id);
  }
}

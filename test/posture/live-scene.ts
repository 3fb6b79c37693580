// A network with identities that hold sessions under policies with posture checks.

import { identityKind } from '../../src/records/identity.ts';
import { mfaEnrollmentKind } from '../../src/records/mfa-enrollment.ts';
import { postureDataKind } from '../../src/records/posture-data.ts';
import { sessionKind } from '../../src/records/session.ts';
import type { Table } from '../../src/store/table.ts';
import type { Transaction } from '../../src/store/transaction.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';

/** One identity, logged in. */
export interface Person {
  readonly id: string;
  readonly token: string;
  readonly apiSessionId: string;
}

/** Boots a network whose services are reached by one router. */
export async function bootScene(options: NetworkOptions = {}): Promise<Scene> {
  const network = await bootNetwork(options);
  await network.create('edge-routers', { name: 'everywhere' });
  const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
  await network.create('edge-router-policies', { name: 'e', ...all, identityRoles: ['#all'] });
  await network.create('service-edge-router-policies', {
    name: 's',
    ...all,
    serviceRoles: ['#all'],
  });
  return new Scene(network);
}

/** What tests of live access do to a network. */
export class Scene {
  readonly network: Network;

  constructor(network: Network) {
    this.network = network;
  }

  /** An identity that has the role attribute `staff`, logged in. */
  async person(name: string, more: object = {}): Promise<Person> {
    const id = await this.network.createUser(name, `${name}-password`, {
      roleAttributes: ['staff'],
      ...more,
    });
    return { id, ...(await this.logIn(name)) };
  }

  /** Logs an identity in once more. */
  async logIn(name: string): Promise<Pick<Person, 'token' | 'apiSessionId'>> {
    const token = await this.network.login(name, `${name}-password`);
    const { id } = await this.network.must<{ id: string }>(
      ...(['GET', 'C:/current-api-session', undefined, token] as const),
    );
    return { token, apiSessionId: id };
  }

  service(name: string): Promise<string> {
    const roleAttributes = ['tools'];
    return this.network.create('services', { name, encryptionRequired: true, roleAttributes });
  }

  /** A policy by which staff dial tools. */
  policy(name: string, more: object = {}): Promise<string> {
    return this.network.create('service-policies', {
      name,
      type: 'Dial',
      semantic: 'AnyOf',
      identityRoles: ['#staff'],
      serviceRoles: ['#tools'],
      ...more,
    });
  }

  /** A check of the domain `corp.example`. */
  domainCheck(name: string, more: object = {}): Promise<string> {
    const domains = ['corp.example'];
    return this.network.create('posture-checks', { name, typeId: 'DOMAIN', domains, ...more });
  }

  mfaCheck(name: string, more: object = {}): Promise<string> {
    return this.network.create('posture-checks', { name, typeId: 'MFA', ...more });
  }

  async patch(path: string, body: object): Promise<void> {
    await this.network.must('PATCH', `M:/${path}`, body);
  }

  /** A session of a person; answers its id. */
  async dial({ token }: Pick<Person, 'token'>, serviceId: string): Promise<string> {
    const body = { serviceId, type: 'Dial' };
    return (await this.network.must<{ id: string }>('POST', 'C:/sessions', body, token)).id;
  }

  /** One transaction. */
  write(body: (tx: Transaction) => void): void {
    const cause = { actor: 'test', requestId: '', operation: 'test' };
    this.network.env.store.transact(cause, body);
  }

  /** The identity's endpoint says which domain it is in. */
  reportDomain({ id }: Pick<Person, 'id'>, domain: string): void {
    this.write((tx) => this.putDomain(tx, id, domain));
  }

  putDomain(tx: Transaction, identityId: string, domain: string): void {
    const table = this.network.env.store.table(postureDataKind);
    const { now } = tx;
    const base = { id: `data-${identityId}`, createdAt: now, updatedAt: now, tags: {} };
    const said = { domain: { checkId: '', domain, at: now }, processes: [] };
    const silent = { os: undefined, mac: undefined, isSystem: undefined };
    tx.put(table, { ...base, ...said, ...silent, identityId });
  }

  /** The identity has a verified MFA enrollment, and gave a code in this API session. */
  async passMfa({ id, token, apiSessionId }: Person): Promise<void> {
    const { store, send } = this.network.env;
    const table = store.table(mfaEnrollmentKind);
    if (table.findBy('identityId', id) === undefined) {
      await this.network.must('POST', 'C:/current-identity/mfa', undefined, token);
    }
    const enrollment = table.findBy('identityId', id)?.record;
    this.write((tx) => {
      if (enrollment?.state === 'pending') tx.put(table, { ...enrollment, state: 'verified' });
      const event = { type: 'verifyMfa', now: tx.now, secondFactorRequired: false };
      send(tx, 'apiSession', apiSessionId, event);
    });
  }

  /** The identity's MFA enrollment is removed. */
  removeMfa({ id }: Person): void {
    const table = this.network.env.store.table(mfaEnrollmentKind);
    const row = table.findBy('identityId', id);
    this.write((tx) => tx.delete(table as unknown as Table, row?.record.id ?? ''));
  }

  /** The endpoint woke, or was unlocked. */
  report({ apiSessionId }: Person, { woken = false, unlocked = false }): void {
    this.write((tx) => {
      const event = { type: 'reportEndpoint', now: tx.now, woken, unlocked };
      this.network.env.send(tx, 'apiSession', apiSessionId, event);
    });
  }

  /** Ids of the sessions that a reader sees. */
  seen(): string[] {
    return [...this.network.env.store.table(sessionKind).rows()].map(({ record }) => record.id);
  }

  /** How many rows of a kind there are, seen by readers or not. */
  rows(kind: string): number {
    return [...this.network.env.store.tableNamed(kind).all()].length;
  }

  /** When the person's services last changed, as far as they were told. */
  touchedAt({ id }: Pick<Person, 'id'>): number | undefined {
    const { store, access } = this.network.env;
    return access.changeStamps.at(store.table(identityKind).peek(id)?.slot ?? -1);
  }
}

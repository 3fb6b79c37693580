// A network with something of everything that an integrity run looks at, and runs on it.

import type { IntegrityResults } from '../../src/integrity/run.ts';
import type { RecordBase, Row } from '../../src/store/record.ts';
import type { Table } from '../../src/store/table.ts';
import { bootNetwork, type Network, type NetworkOptions } from '../simulated/network.ts';

/** Ids by what they are. */
export interface Scene {
  readonly network: Network;
  readonly ids: Readonly<Record<Named, string>>;
}

type Named =
  | 'alice'
  | 'bob'
  | 'crm'
  | 'mail'
  | 'router'
  | 'dialPolicy'
  | 'bindPolicy'
  | 'routerPolicy'
  | 'enrollment'
  | 'session'
  | 'apiSession'
  | 'check';

/** Boots it. */
export async function bootScene(options: NetworkOptions = {}): Promise<Scene> {
  const network = await bootNetwork(options);
  const make = (plural: string, body: object) => network.create(plural, body);
  const alice = await network.createUser('alice', 'alice-password', { roleAttributes: ['sales'] });
  const bob = await network.createUser('bobby', 'bobby-password', {
    roleAttributes: ['sales', 'eu'],
  });
  const crm = await make('services', service('crm', ['core']));
  const mail = await make('services', service('mail', ['core', 'old']));
  const router = await make('edge-routers', { name: 'north', roleAttributes: ['fast'] });
  const check = await make('posture-checks', { name: 'os', typeId: 'DOMAIN', domains: ['a.b'] });
  const dialPolicy = await make('service-policies', {
    name: 'dial',
    type: 'Dial',
    semantic: 'AllOf',
    postureCheckRoles: [],
    identityRoles: ['#sales', `@${bob}`],
    serviceRoles: ['#core'],
  });
  const bindPolicy = await make('service-policies', {
    name: 'bind',
    type: 'Bind',
    semantic: 'AnyOf',
    postureCheckRoles: [`@${check}`],
    identityRoles: ['#eu'],
    serviceRoles: [`@${mail}`],
  });
  const routerPolicy = await make('edge-router-policies', {
    name: 'routers',
    semantic: 'AnyOf',
    identityRoles: ['#sales'],
    edgeRouterRoles: ['#fast'],
  });
  await make('service-edge-router-policies', {
    name: 'all',
    semantic: 'AnyOf',
    serviceRoles: ['#all'],
    edgeRouterRoles: ['#all'],
  });
  const clerk = await make('identities', { name: 'clerk', type: 'Default', isAdmin: false });
  await network.must('POST', `M:/identities/${clerk}/disable`, { durationMinutes: 60 });
  const expiresAt = new Date(network.clock.now() + 3_600_000).toISOString();
  const enrollment = await make('enrollments', { method: 'ott', identityId: clerk, expiresAt });
  const token = await network.login('alice', 'alice-password');
  const body = { serviceId: crm, type: 'Dial' };
  const { id: session } = await network.must<{ id: string }>('POST', 'C:/sessions', body, token);
  const current = await network.must<{ id: string }>(
    ...(['GET', 'C:/current-api-session', undefined, token] as const),
  );
  for (const plural of ['identities', 'services']) {
    await network.must('GET', `M:/${plural}?sort=name`);
  }
  const policies = { dialPolicy, bindPolicy, routerPolicy };
  const ids = { alice, bob, crm, mail, router, ...policies, enrollment, session, check };
  return { network, ids: { ...ids, apiSession: current.id } };
}

/** Starts a run. */
export function start({ env }: Network, isFixing: boolean): void {
  const cause = { actor: 'test', requestId: '', operation: 'checkDataIntegrity' };
  env.store.transact(cause, (tx) => env.integrity.start(tx, isFixing));
}

/** Frames of a run besides its repairs: its start and its end. */
export const framesOfRun = 2;

/** Carries a run out, to its end. */
export async function run(network: Network, isFixing: boolean): Promise<IntegrityResults> {
  start(network, isFixing);
  await network.advance(1000);
  const { results } = network.core.integrity;
  if (results.inProgress) throw new Error('the run goes on and on');
  return results;
}

/** Lines `fixed text` or `text`. */
export function linesOf({ results }: IntegrityResults): string[] {
  return results.map(({ description, fixed }) => (fixed ? `fixed ${description}` : description));
}

/** A row that must be there. */
export function rowOf(network: Network, kind: string, id: string): Row {
  const row = tableOf(network, kind).peek(id);
  if (row === undefined) throw new Error(`no ${kind} ${id}`);
  return row;
}

/** A table, records read as maps. */
export function tableOf(network: Network, kind: string): Table {
  return network.env.store.tableNamed(kind);
}

/** Puts a record in the place of another, and tells nobody. */
export function slip(row: Row, values: object): void {
  row.record = Object.freeze({ ...row.record, ...values }) as RecordBase;
}

/** Takes a record away without a transaction, as if it had never been. */
export function lose(network: Network, kind: string, id: string): void {
  const table = tableOf(network, kind);
  const row = table.write(id, undefined);
  if (row !== undefined) table.releaseSlot(row);
}

function service(name: string, roleAttributes: readonly string[]) {
  return { name, roleAttributes, encryptionRequired: true };
}

// What posture and MFA bring to the network of an integrity run: checks, stamps, submitted data.

import type { Row } from '../../src/store/record.ts';
import { Scene as LiveScene, type Person } from '../posture/live-scene.ts';
import { rowOf, type Scene, tableOf } from './scene.ts';

/** The time-out of the check that guards a service. */
export const timeoutMs = 600_000;

/** Two of the sales have proven a second factor, and dial a service that asks for it. */
export async function guard(scene: Scene): Promise<void> {
  const { network, ids } = scene;
  const live = new LiveScene(network);
  const prompts = { promptOnWake: true, promptOnUnlock: true };
  const timed = { timeoutSeconds: timeoutMs / 1000, ...prompts };
  await live.mfaCheck('mfa', { ...timed, roleAttributes: ['strict'] });
  await live.mfaCheck('asked by nobody', { timeoutSeconds: 1200 });
  const vault = { name: 'vault', encryptionRequired: true };
  const service = await network.create('services', vault);
  await live.policy('guarded', {
    identityRoles: ['#sales'],
    serviceRoles: [`@${service}`],
    postureCheckRoles: ['#strict'],
  });
  for (const [name, id] of [
    ['alice', ids.alice],
    ['bobby', ids.bob],
  ] as const) {
    const person: Person = { id, ...(await live.logIn(name)) };
    await network.advance(60_000);
    live.report(person, { woken: true, unlocked: true });
    await live.passMfa(person);
    live.reportDomain(person, 'a.b');
    await live.dial(person, service);
  }
}

/** The rows of API sessions that gave a code, the one that did so first at the front. */
export function proven({ network }: Scene): [Row, Row] {
  const rows = [...tableOf(network, 'apiSession').all()].filter(
    ({ record }) => (record as { mfaPassedAt?: number }).mfaPassedAt !== undefined,
  );
  const [first, second] = rows;
  if (first === undefined || second === undefined) throw new Error('who has proven anything?');
  return [first, second];
}

/** The one row of a kind that belongs to an identity. */
export function ownRow({ network }: Scene, kind: string, identityId: string): Row {
  const row = tableOf(network, kind).unique('identityId').get(identityId);
  if (row === undefined) throw new Error(`${identityId} has no ${kind}`);
  return row;
}

/** The id of the service that asks for MFA. */
export function vaultId({ network }: Scene): string {
  return tableOf(network, 'service').unique('name').get('vault')?.record.id ?? '';
}

/** How many sessions it has. */
export function vaultSessions(scene: Scene): number {
  return tableOf(scene.network, 'session').group('serviceId').count(vaultId(scene));
}

/** The slot of the policy that asks for MFA. */
export function guardedPolicy({ network }: Scene): number {
  const row = tableOf(network, 'servicePolicy').unique('name').get('guarded');
  return rowOf(network, 'servicePolicy', row?.record.id ?? '').slot;
}

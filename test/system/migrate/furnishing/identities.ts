// Identities without credentials, or with those that nobody uses.

import { management } from '../../client.ts';
import { sendPlain } from '../plain-request.ts';
import { attributes, happens, nestedData, perhaps, someOf, tagsOf } from './choices.ts';
import { type Furnishing, makeMany } from './furnishing.ts';
import type { Services } from './services.ts';

/** Makes many of all sorts. @returns their ids */
export async function makeIdentities(
  furnishing: Furnishing,
  { services, configs }: Services,
  policies: readonly string[],
): Promise<string[]> {
  const { dice, admin } = furnishing;
  const { url, ca } = furnishing.network;
  const costs = () => someOf(dice, services, 1).map((id) => [id, dice.integer(0, 65_535)]);
  const precedences = () =>
    someOf(dice, services, 1).map((id) => [id, dice.one(['default', 'required', 'failed'])]);
  const ids = await makeMany(furnishing, 'identities', dice.integer(40, 80), (number) => ({
    name: `identity ${number}${dice.one(['', ' Ünï', ' "quoted"', ' <b>'])}`,
    type: dice.one(['Default', 'Device', 'User', 'Service']),
    isAdmin: happens(dice, 1),
    roleAttributes: perhaps(dice, () => someOf(dice, attributes), 8),
    externalId: perhaps(dice, () => `external ${number}`),
    authPolicyId: dice.one(policies),
    appData: perhaps(dice, () => nestedData(dice, 2)),
    defaultHostingCost: perhaps(dice, () => dice.integer(0, 65_535)),
    defaultHostingPrecedence: dice.one([undefined, 'default', 'required', 'failed']),
    serviceHostingCosts: perhaps(dice, () => Object.fromEntries(costs())),
    serviceHostingPrecedences: perhaps(dice, () => Object.fromEntries(precedences())),
    permissions: perhaps(dice, () => someOf(dice, permissions), 3),
    tags: tagsOf(dice),
  }));
  for (const id of someOf(dice, ids, 2)) {
    // Zero has no end.
    const body = { durationMinutes: dice.one([0, 60, 100_000]) };
    const path = `${management}/identities/${id}/disable`;
    await sendPlain({ url, ca, method: 'POST', path, token: admin.token, body });
  }
  for (const id of someOf(dice, ids, 3)) {
    const [serviceId, configId] = [dice.one(services), dice.one(configs)];
    const path = `${management}/identities/${id}/service-configs`;
    await admin.ask('POST', path, [{ serviceId, configId }]);
  }
  return ids;
}

/** Some of those that the stock controller knows. */
const permissions = [
  'admin_readonly',
  'auth-policy.read',
  'ca',
  'config.create',
  'enrollment',
  'identity.read',
  'identity.update',
  'service',
];

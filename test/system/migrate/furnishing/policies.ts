// Policies of the three kinds, whose roles overlap.

import { attributes, happens, someOf, tagsOf } from './choices.ts';
import { type Furnishing, makeMany } from './furnishing.ts';

/** Ids that roles may name. */
export interface RoleTargets {
  readonly identities: readonly string[];
  readonly services: readonly string[];
  readonly edgeRouters: readonly string[];
}

/** Makes some of each kind. */
export async function makePolicies(furnishing: Furnishing, targets: RoleTargets): Promise<void> {
  const { dice } = furnishing;
  const roles = (ids: readonly string[]) => {
    if (happens(dice, 1)) return ['#all'];
    const named = someOf(dice, ids, 1).slice(0, 3);
    return [
      ...someOf(dice, attributes, 3).map((name) => `#${name}`),
      ...named.map((id) => `@${id}`),
    ];
  };
  const policy = (name: string) => ({
    name,
    semantic: dice.one(['AnyOf', 'AllOf']),
    tags: tagsOf(dice),
  });
  await makeMany(furnishing, 'service-policies', 24, (number) => ({
    ...policy(`service policy ${number}`),
    type: dice.one(['Dial', 'Bind']),
    identityRoles: roles(targets.identities),
    serviceRoles: roles(targets.services),
    postureCheckRoles: someOf(dice, ['#guarded', '#strict'], 2),
  }));
  await makeMany(furnishing, 'edge-router-policies', 8, (number) => ({
    ...policy(`router policy ${number}`),
    identityRoles: roles(targets.identities),
    edgeRouterRoles: roles(targets.edgeRouters),
  }));
  await makeMany(furnishing, 'service-edge-router-policies', 8, (number) => ({
    ...policy(`service router policy ${number}`),
    serviceRoles: roles(targets.services),
    edgeRouterRoles: roles(targets.edgeRouters),
  }));
}

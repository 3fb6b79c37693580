// The common parts of the three families of policies: semantic, role lists, their checks and
// display.

import { checkRoles, parseSemantic, storedRoles } from '../../access/roles.ts';
import type { MemberSpace } from '../../declare/kinds/access-vocabulary.ts';
import type { List } from '../../declare/kinds/field.ts';
import { rolesDisplaySchema } from '../../declare/resources/answers.ts';
import type { Joined } from '../../declare/resources/resource.ts';
import { fieldError } from '../../errors/errors.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Context } from '../context.ts';

/** The kind of a policy. A space of members is named like the kind that it selects from. */
type PolicyKind = {
  readonly policy?: { readonly sides: Readonly<Partial<Record<MemberSpace, string>>> };
};

/**
 * Checks semantic and role lists of a draft (behaviour/policies#roles).
 * @throws ApiError COULD_NOT_VALIDATE for the first rule that fails.
 */
export function checkPolicy(
  context: Context,
  draft: Record<string, unknown>,
  kind: PolicyKind,
): void {
  const semantic = String(draft['semantic']);
  if (parseSemantic(semantic) === undefined) {
    throw fieldError('semantic', 'must be AllOf or AnyOf', semantic);
  }
  for (const [space, field] of Object.entries(kind.policy?.sides ?? {})) {
    const roles = draft[field] as List;
    if (roles === undefined) continue;
    const { policyRolesMax } = boundsOf(roleBounds, context.env.bounds);
    if (roles.length > policyRolesMax) {
      throw fieldError(field, `must have at most ${policyRolesMax} entries`, roles.length);
    }
    const table = context.env.store.tableNamed(space);
    const problem = checkRoles(roles, (id) => table.find(id) !== undefined);
    if (problem !== undefined) {
      throw fieldError(field, problem.reason, problem.value.join(', '));
    }
    draft[field] = storedRoles(roles);
  }
}

/** The `…RolesDisplay` fields of a policy's answer (behaviour/policies#roles). */
export function rolesDisplays<R>(kind: PolicyKind): Record<string, Joined<R>> {
  const joined: Record<string, Joined<R>> = {};
  for (const [space, name] of Object.entries(kind.policy?.sides ?? {})) {
    joined[`${name}Display`] = {
      schema: rolesDisplaySchema,
      text: (record, { env }) =>
        env.registry.rolesDisplay(space, (record as Record<string, List>)[name] ?? []),
    };
  }
  return joined;
}

const roleBounds = {
  /** Roles in one list of a policy; each write contains the whole list. @bound per entity */
  policyRolesMax: 10_000,
};

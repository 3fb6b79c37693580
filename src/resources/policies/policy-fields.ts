// The common parts of the three families of policies: semantic, role lists, their checks and
// display.

import { checkRoles, parseSemantic, storedRoles } from '../../access/roles.ts';
import { boundsOf } from '../../bounds.ts';
import type { MemberSpace } from '../../declare/access-vocabulary.ts';
import { rolesDisplaySchema } from '../../declare/answers.ts';
import type { Context } from '../../declare/operation.ts';
import type { Joined } from '../../declare/view.ts';
import { fieldError } from '../../errors.ts';

/** One role list of a policy: the field and the kind it selects from. */
export interface RoleList {
  readonly field: string;
  readonly kind: string;
  readonly space: MemberSpace;
}

/**
 * Checks semantic and role lists of a draft (behaviour/policies#roles).
 * @throws ApiError COULD_NOT_VALIDATE for the first rule that fails.
 */
export function checkPolicy(
  context: Context,
  draft: Record<string, unknown>,
  lists: readonly RoleList[],
): void {
  const semantic = String(draft['semantic']);
  if (parseSemantic(semantic) === undefined) {
    throw fieldError('semantic', 'must be AllOf or AnyOf', semantic);
  }
  for (const list of lists) {
    const roles = draft[list.field] as readonly string[];
    const { policyRolesMax } = boundsOf(roleBounds, context.env.bounds);
    if (roles.length > policyRolesMax) {
      throw fieldError(list.field, `must have at most ${policyRolesMax} entries`, roles.length);
    }
    const table = context.env.store.tableNamed(list.kind);
    const problem = checkRoles(roles, (id) => table.find(id) !== undefined);
    if (problem !== undefined) {
      throw fieldError(list.field, problem.reason, problem.value.join(', '));
    }
    draft[list.field] = storedRoles(roles);
  }
}

/** The `…RolesDisplay` fields of a policy's answer (behaviour/policies#roles). */
export function rolesDisplays<R>(lists: readonly RoleList[]): Record<string, Joined<R>> {
  const joined: Record<string, Joined<R>> = {};
  for (const { field: name, kind } of lists) {
    joined[`${name}Display`] = {
      schema: rolesDisplaySchema,
      text: (record, _context, registry) =>
        registry.rolesDisplay(kind, (record as Record<string, readonly string[]>)[name] ?? []),
    };
  }
  return joined;
}

const roleBounds = {
  /** Roles in one list of a policy; each write contains the whole list. @bound per entity */
  policyRolesMax: 10_000,
};

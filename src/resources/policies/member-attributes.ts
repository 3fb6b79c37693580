// The checks of role attributes that every member kind shares (behaviour/policies#attributes).

import { checkAttributes } from '../../access/roles.ts';
import { fieldError } from '../../errors/errors.ts';
import { boundsOf } from '../../settings/bounds.ts';
import type { Context } from '../context.ts';

/** Like `checkAttributesIn`, for the field of the members themselves. */
export function checkRoleAttributes(
  context: Context,
  draft: { readonly roleAttributes: readonly string[] | undefined },
): void {
  checkAttributesIn(context, 'roleAttributes', draft.roleAttributes ?? []);
}

/**
 * Checks the role attributes of members in any field.
 * @throws ApiError COULD_NOT_VALIDATE for an attribute with a role's prefix, and for too many.
 */
export function checkAttributesIn(
  { env }: Context,
  field: string,
  attributes: readonly string[],
): void {
  const { roleAttributesMax } = boundsOf(attributeBounds, env.bounds);
  if (attributes.length > roleAttributesMax) {
    throw fieldError(field, `must have at most ${roleAttributesMax} entries`, attributes.length);
  }
  const problem = checkAttributes(attributes);
  if (problem === undefined) return;
  throw fieldError(field, problem.reason, problem.value.join(', '));
}

const attributeBounds = {
  /** Role attributes of one member. Networks have a few dozen. @bound per entity */
  roleAttributesMax: 1000,
};

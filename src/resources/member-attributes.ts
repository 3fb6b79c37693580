// The check of role attributes that every member kind shares (behaviour §3.1.1).

import { checkAttributes } from '../access/roles.ts';
import { fieldError } from '../errors.ts';

/** @throws ApiError COULD_NOT_VALIDATE for an attribute with a role's prefix. */
export function checkRoleAttributes(draft: { readonly roleAttributes: readonly string[] }): void {
  const problem = checkAttributes(draft.roleAttributes);
  if (problem === undefined) return;
  throw fieldError('roleAttributes', problem.reason, problem.value.join(', '));
}

// Reads and checks role attributes, role lists, semantics and policy types that callers send.

import { type AccessType, roleAll, type Semantic } from '../declare/kinds/access-vocabulary.ts';
import { compareBytes } from '../filter/order.ts';

/** Why a list was refused, and the entries that caused it; the caller adds the field's name. */
export interface RoleProblem {
  readonly reason: string;
  readonly value: readonly string[];
}

/**
 * Checks the role attributes of an entity: bare words, no leading `#` or `@`
 * (behaviour/policies#attributes). Returns undefined when all are valid.
 */
export function checkAttributes(attributes: readonly string[]): RoleProblem | undefined {
  const bad = attributes.filter(isPrefixed);
  if (bad.length === 0) return undefined;
  return { reason: 'a role attribute must not start with # or @', value: bad };
}

/**
 * Checks one role list of a policy (behaviour/policies#roles): every entry is prefixed, `#all`
 * stands alone, and each `@id` names an entity for which `exists` holds. The first rule that fails
 * is reported.
 */
export function checkRoles(
  roles: readonly string[],
  exists: (id: string) => boolean,
): RoleProblem | undefined {
  const bare = roles.filter((role) => !isPrefixed(role));
  if (bare.length > 0) return { reason: 'a role must start with # or @', value: bare };
  if (roles.includes(roleAll) && roles.some((role) => role !== roleAll)) {
    return { reason: `${roleAll} must be the only role of its list`, value: roles };
  }
  const missing = roles.filter((role) => role.startsWith('@') && !exists(role.slice(1)));
  if (missing.length === 0) return undefined;
  return { reason: 'no entity has this id', value: missing.map((role) => role.slice(1)) };
}

/** A role list as it is stored: sorted, each entry once (behaviour/policies#roles). */
export function storedRoles(roles: readonly string[]): readonly string[] {
  return [...new Set(roles)].sort(compareBytes);
}

/** The semantic a text names, in any case (behaviour/policies); undefined for anything else. */
export function parseSemantic(text: string): Semantic | undefined {
  const lower = text.toLowerCase();
  if (lower === 'allof') return 'AllOf';
  return lower === 'anyof' ? 'AnyOf' : undefined;
}

/**
 * The access type a text names: `Dial` or `Bind` (behaviour/policies#semantic); undefined for
 * anything else.
 */
export function parseAccessType(text: string): AccessType | undefined {
  return text === 'Dial' || text === 'Bind' ? text : undefined;
}

function isPrefixed(text: string): boolean {
  return text.startsWith('#') || text.startsWith('@');
}

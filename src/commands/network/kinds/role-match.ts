// Which entities the roles of a policy select (behaviour/policies#matching).

/** An entity, as roles see it. */
export interface Selectable {
  /** What follows the `@` of a role that names it. */
  readonly reference: string;
  readonly attributes: readonly string[];
}

/** Whether a list of roles selects an entity: `#attribute`, `@reference` and `#all`. */
export function selects(
  semantic: unknown,
  roles: readonly string[],
  { reference, attributes }: Selectable,
): boolean {
  if (roles.includes('#all') || roles.includes(`@${reference}`)) return true;
  const wanted = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1));
  const has = (attribute: string) => attributes.includes(attribute);
  return semantic === 'AllOf' ? wanted.length > 0 && wanted.every(has) : wanted.some(has);
}

/** The texts of a list; none for another value. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

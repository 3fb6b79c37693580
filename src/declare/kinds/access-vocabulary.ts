// The terms of access: spaces that have members, and families of policies that link them.

/** A space of members: members have role attributes, and policies select them. */
export type MemberSpace = 'identity' | 'service' | 'router' | 'postureCheck';

/** A family of policies; each links the spaces of its sides (behaviour/policies#families). */
export type PolicyFamily = 'servicePolicy' | 'edgeRouterPolicy' | 'serviceEdgeRouterPolicy';

/** The right that a service policy or a session gives. */
export type AccessType = 'Dial' | 'Bind';

/** Whether a member needs every `#attribute` of a list or any of them (behaviour/policies). */
export type Semantic = 'AllOf' | 'AnyOf';

/**
 * One policy as access sees it: `type` only on service policies, one list per side of the family.
 */
export interface PolicyRoles {
  readonly semantic: Semantic;
  readonly type?: AccessType;
  /** Role entries `#attribute`, `@id` or `#all`; a side left out counts as an empty list. */
  readonly lists: Readonly<Partial<Record<MemberSpace, readonly string[]>>>;
}

/** Every member space. */
export const memberSpaces: readonly MemberSpace[] = [
  'identity',
  'service',
  'router',
  'postureCheck',
];

/** Every policy family; its position here is its index in per-family arrays. */
export const policyFamilies: readonly PolicyFamily[] = [
  'servicePolicy',
  'edgeRouterPolicy',
  'serviceEdgeRouterPolicy',
];

/** The sides of each family; a family has at most one side per space. */
export const familySides: Readonly<Record<PolicyFamily, readonly MemberSpace[]>> = {
  servicePolicy: ['identity', 'service', 'postureCheck'],
  edgeRouterPolicy: ['identity', 'router'],
  serviceEdgeRouterPolicy: ['service', 'router'],
};

/** The attributes of a member whose list was never set. */
export const noAttributes: readonly string[] = Object.freeze([]);

/** The role that selects every member, alone in its list (behaviour/policies#roles). */
export const roleAll = '#all';

/** Permission bit: may dial. */
export const dialBit = 1;

/** Permission bit: may bind. */
export const bindBit = 2;

/** The permission bit of an access type. */
export function bitOf(type: AccessType): number {
  return type === 'Dial' ? dialBit : bindBit;
}

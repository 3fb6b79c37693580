// The permissions that an identity can hold, and which of them open an operation
// (behaviour/permissions#names).

const everyAction = ['read', 'create', 'update', 'delete'] as const;

/** An action that a permission allows on an entity. */
export type PermissionAction = (typeof everyAction)[number];

/** The entities, each with its actions. */
const entities = {
  'auth-policy': everyAction,
  ca: everyAction,
  config: everyAction,
  'config-type': everyAction,
  'edge-router-policy': everyAction,
  enrollment: everyAction,
  'external-jwt-signer': everyAction,
  identity: everyAction,
  ops: ['read', 'update', 'delete'],
  'posture-check': everyAction,
  router: everyAction,
  service: everyAction,
  'service-edge-router-policy': everyAction,
  'service-policy': everyAction,
  terminator: everyAction,
} as const satisfies Readonly<Record<string, readonly PermissionAction[]>>;

/** An entity of the permissions: records of a kind, or what the network does at present (`ops`). */
export type PermissionEntity = keyof typeof entities;

/**
 * The right that an operation demands of callers who are no administrators: a permission for the
 * entity, with the action of the method unless another one is named; `admin_readonly` for what only
 * that permission shows; `admin` for what no permission opens.
 */
export type NeededPermission =
  | PermissionEntity
  | `${PermissionEntity}.${PermissionAction}`
  | 'admin_readonly'
  | 'admin';

/** Opens everything that is read by GET, except what is for administrators alone. */
const readonly = 'admin_readonly';

/** Every permission, in the order of their bytes. */
export const permissionNames: readonly string[] = [
  readonly,
  ...Object.entries(entities).flatMap(([entity, actions]) => [
    entity,
    ...actions.map((action) => `${entity}.${action}`),
  ]),
].sort();

const actionOfMethod = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
} as const satisfies Readonly<Record<string, PermissionAction>>;

/** The permissions that open an operation, each alone (behaviour/permissions#operations). */
export function permissionsThatOpen(
  needed: NeededPermission | undefined,
  method: keyof typeof actionOfMethod,
): readonly string[] {
  if (needed === undefined || needed === 'admin') return [];
  const reading = method === 'GET' ? [readonly] : [];
  if (needed === readonly) return reading;
  const [entity = '', action = actionOfMethod[method]] = needed.split('.');
  return [entity, `${entity}.${action}`, ...reading];
}

/**
 * Whether one of the held permissions allows what `name` allows: it is the same, or it is the
 * entity without an action.
 */
export function includesPermission(held: readonly string[], name: string): boolean {
  const [entity = ''] = name.split('.');
  return held.includes(name) || held.includes(entity);
}

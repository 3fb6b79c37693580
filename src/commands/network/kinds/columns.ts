// The columns of each kind's table, and what `get` shows of one entity.

import type { Column } from '../output/table.ts';
import { ageText, localTime } from '../output/times.ts';
import type { KindRow } from './kind.ts';
import type { Entity } from './names.ts';

/** The facts that cells need besides their row, such as the addresses of the services of a page. */
export interface CellContext {
  readonly nowMs: number;
  /** Addresses of services by id, hosts by id; empty where the kind has no such column. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly hosts: ReadonlyMap<string, number>;
}

type EntityColumn = Column<Entity>;
type Make = (context: CellContext) => EntityColumn;

/** The columns of a kind, in their order, with `ID` as the last one but for those of `-o wide`. */
export function columnsOf(kind: KindRow, context: CellContext): EntityColumn[] {
  const own = kindColumns[kind.name] ?? defaultColumns(kind);
  const named = kind.isNamed ? [name] : [];
  return [...named, ...own, id, created].map((make) => make(context));
}

const name: Make = () => ({ title: 'NAME', isFlexible: true, text: (row) => textAt(row, 'name') });
const id: Make = () => ({ title: 'ID', text: ({ id: own }) => own });
const created: Make = () => ({
  title: 'CREATED',
  isWide: true,
  text: (row) => localTime(textAt(row, 'createdAt')),
});

/** A column that shows the value at a path of members. */
function value(title: string, path: string, more: Partial<EntityColumn> = {}): Make {
  return () => ({ title, ...more, text: (row) => textAt(row, path) });
}

/** A column of role attributes, without their `#`. */
const roles = (title = 'ROLES', path = 'roleAttributes'): Make =>
  value(title, path, { isFlexible: true });

/** A column of roles of a policy, with the names of entities. */
function policyRoles(title: string, path: string): Make {
  return () => ({
    title,
    isFlexible: true,
    text: (row) => namedText(row, path),
  });
}

const optional = { isOptional: true } as const;

const kindColumns: Readonly<Record<string, readonly Make[]>> = {
  identity: [
    roles(),
    ({ nowMs }) => ({ title: 'LOGIN', text: (row) => loginText(row, nowMs) }),
    () => ({ title: 'STATE', text: identityState }),
    () => ({
      title: 'ONLINE',
      ...optional,
      text: ({ edgeRouterConnectionStatus: status }) => (status === 'online' ? 'yes' : 'no'),
    }),
    value('AUTH POLICY', 'authPolicy.name', optional),
  ],
  service: [
    ({ addresses }) => ({
      title: 'ADDRESS',
      isFlexible: true,
      text: ({ id: own }) => addresses.get(own) ?? '',
    }),
    ({ hosts }) => ({ title: 'HOSTS', text: ({ id: own }) => String(hosts.get(own) ?? 0) }),
    roles(),
    value('STRATEGY', 'terminatorStrategy', optional),
  ],
  'edge-router': [
    () => ({ title: 'STATE', text: routerState }),
    roles(),
    () => ({ title: 'TUNNELER', text: (row) => yesNo(row['isTunnelerEnabled']) }),
    value('VERSION', 'versionInfo.version', optional),
  ],
  'transit-router': [() => ({ title: 'STATE', text: routerState }), value('COST', 'cost')],
  'service-policy': [
    value('TYPE', 'type'),
    policyRoles('IDENTITIES', 'identityRoles'),
    policyRoles('SERVICES', 'serviceRoles'),
    policyRoles('CHECKS', 'postureCheckRoles'),
    value('SEMANTIC', 'semantic', optional),
  ],
  'edge-router-policy': [
    policyRoles('IDENTITIES', 'identityRoles'),
    policyRoles('ROUTERS', 'edgeRouterRoles'),
    value('SEMANTIC', 'semantic', optional),
  ],
  'service-edge-router-policy': [
    policyRoles('SERVICES', 'serviceRoles'),
    policyRoles('ROUTERS', 'edgeRouterRoles'),
    value('SEMANTIC', 'semantic', optional),
  ],
  config: [
    value('TYPE', 'configType.name'),
    () => ({
      title: 'DATA',
      isFlexible: true,
      text: ({ data }) => (data === undefined ? '' : JSON.stringify(data)),
    }),
  ],
  'posture-check': [value('TYPE', 'typeId'), roles()],
  'auth-policy': [
    value('CERT', 'primary.cert.allowed'),
    value('PASSWORD', 'primary.updb.allowed'),
    value('JWT', 'primary.extJwt.allowed'),
    value('TOTP', 'secondary.requireTotp', optional),
  ],
  ca: [
    value('VERIFIED', 'isVerified'),
    value('LOGIN', 'isAuthEnabled'),
    roles('ROLES', 'identityRoles'),
  ],
  'external-jwt-signer': [
    value('ENABLED', 'enabled'),
    value('ISSUER', 'issuer', { isFlexible: true }),
  ],
  authenticator: [
    value('IDENTITY', 'identity.name', { isFlexible: true }),
    value('METHOD', 'method'),
    value('USER NAME', 'username', optional),
  ],
  enrollment: [
    () => ({
      title: 'FOR',
      isFlexible: true,
      text: (row) =>
        [row['identity'], row['edgeRouter'], row['transitRouter']].map(refName).join(''),
    }),
    value('METHOD', 'method'),
    () => ({ title: 'EXPIRES', text: (row) => localTime(textAt(row, 'expiresAt')) }),
  ],
  terminator: [
    value('SERVICE', 'service.name', { isFlexible: true }),
    value('ROUTER', 'router.name', { isFlexible: true }),
    value('BINDING', 'binding'),
    value('PRECEDENCE', 'precedence', optional),
    value('COST', 'cost', optional),
  ],
  'api-session': [
    value('IDENTITY', 'identity.name', { isFlexible: true }),
    value('ADDRESS', 'ipAddress'),
    ({ nowMs }) => ({
      title: 'LAST ACTIVE',
      text: (row) => agoText(textAt(row, 'cachedLastActivityAt'), nowMs),
    }),
    value('TYPE', 'type', optional),
  ],
  session: [
    value('IDENTITY', 'apiSession.identity.name', { isFlexible: true }),
    value('SERVICE', 'service.name', { isFlexible: true }),
    value('TYPE', 'type'),
  ],
  link: [
    value('FROM', 'sourceRouter.name', { isFlexible: true }),
    value('TO', 'destRouter.name', { isFlexible: true }),
    value('STATE', 'state'),
    value('COST', 'cost', optional),
  ],
  circuit: [
    value('SERVICE', 'service.name', { isFlexible: true }),
    value('CLIENT', 'clientId', { isFlexible: true }),
    () => ({ title: 'SINCE', text: (row) => localTime(textAt(row, 'createdAt')) }),
  ],
};

/** Up to three fields for kinds without columns of their own. */
function defaultColumns({ fields }: KindRow): readonly Make[] {
  const simple = fields.filter(({ type, name: own }) => type === 'text' && own !== 'name');
  return simple
    .slice(0, 3)
    .map(({ name: own, detail }) => value(own.toUpperCase(), detail, { isFlexible: true }));
}

/** The value at a path such as `authPolicy.name`, as text; empty where it is missing. */
export function textAt(row: Entity, path: string): string {
  let at: unknown = row;
  for (const step of path.split('.')) {
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[step] : undefined;
  }
  return plainText(at);
}

/** A value as a cell: lists with commas, flags as yes and no, objects as JSON. */
export function plainText(given: unknown): string {
  if (given === undefined || given === null) return '';
  if (typeof given === 'boolean') return yesNo(given);
  if (Array.isArray(given)) return given.map(plainText).join(',');
  return typeof given === 'object' ? JSON.stringify(given) : String(given);
}

function yesNo(given: unknown): string {
  return given === true ? 'yes' : 'no';
}

function refName(given: unknown): string {
  if (typeof given !== 'object' || given === null) return '';
  const { name: own, id: key } = given as { readonly name?: unknown; readonly id?: unknown };
  return plainText(own ?? key);
}

/** The value of a member, with names in place of ids where the answer has them. */
export function namedText(row: Entity, member: string): string {
  const display = row[`${member}Display`];
  if (!Array.isArray(display)) return plainText(row[member]);
  return display.map((entry: { readonly name?: unknown }) => plainText(entry.name)).join(',');
}

/** How an identity logs in: what it can show, or until when it can enroll. */
export function loginText(row: Entity, nowMs: number): string {
  if (row['typeId'] === 'Router') return 'router';
  const authenticators = (row['authenticators'] ?? {}) as Readonly<Record<string, unknown>>;
  const ways = [
    ...(authenticators['updb'] === undefined ? [] : ['password']),
    ...(authenticators['cert'] === undefined ? [] : ['certificate']),
  ];
  if (ways.length > 0) return ways.join(',');
  const pending = Object.values((row['enrollment'] ?? {}) as Readonly<Record<string, unknown>>);
  for (const enrollment of pending) {
    const { expiresAt } = enrollment as { readonly expiresAt?: unknown };
    if (typeof expiresAt !== 'string') continue;
    const isOver = Date.parse(expiresAt) <= nowMs;
    return isOver ? 'expired' : `pending, ${localTime(expiresAt, nowMs)}`;
  }
  return textAt(row, 'externalId') === '' ? 'none' : 'jwt';
}

/** Whether an identity may log in. */
export function identityState(row: Entity): string {
  return row['disabled'] === true ? 'disabled' : 'enabled';
}

/** Whether a router is there. */
export function routerState(row: Entity): string {
  if (row['isVerified'] !== true) return 'not enrolled';
  if (row['disabled'] === true) return 'disabled';
  return row['isOnline'] === true ? 'online' : 'offline';
}

function agoText(at: string, nowMs: number): string {
  return at === '' ? '' : ageText(nowMs - Date.parse(at));
}

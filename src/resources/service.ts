// Services: what identities dial and bind (spec/1 "Service", behaviour §8.7).

import Type from 'typebox';
import { BIND, DIAL } from '../access/vocabulary.ts';
import { defineResource } from '../declare/crud.ts';
import { attributes, field, name, references } from '../declare/field.ts';
import { defineKind, type RecordOf } from '../declare/kind.ts';
import { listReply } from '../declare/list.ts';
import { asksForMore, roleParameters } from '../declare/list-query.ts';
import { type Context, detail, operation, type Piece, type Reply } from '../declare/operation.ts';
import { RecentCache } from '../declare/recent-cache.ts';
import type { Resource } from '../declare/resource.ts';
import { ApiError, fieldError, notFound } from '../errors.ts';
import { byId } from '../store/indexes.ts';
import type { RecordBase, Row } from '../store/record.ts';
import { serviceLinks } from './access-links.ts';
import type { ConfigRecord } from './config.ts';
import { checkRoleAttributes } from './member-attributes.ts';
import { servicesConfig, wantsConfigs } from './service-config.ts';

/** How terminators are chosen (behaviour §8.7.2). */
const strategies = ['smartrouting', 'weighted', 'random', 'sticky'] as const;

/** The stored side of services. */
export const serviceKind = defineKind({
  kind: 'service',
  version: 1,
  fields: {
    name: name(),
    configs: references('config', { inverse: 'services', onDelete: 'refuse' }),
    encryptionRequired: field(Type.Boolean(), { required: true, write: 'create' }),
    maxIdleTimeMillis: field(Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 }), { fallback: 0 }),
    roleAttributes: attributes(),
    terminatorStrategy: field(Type.Enum([...strategies, '']), {
      fallback: 'smartrouting',
      symbol: 'string',
      fromJson: (json) => (json === '' ? 'smartrouting' : (json as 'smartrouting')),
    }),
  },
  many: [
    ...['servicePolicies', 'serviceEdgeRouterPolicies', 'terminators', 'sessions'],
    ...['hostingCosts', 'hostingPrecedences', 'overridingIdentities'],
  ],
  member: { space: 'service', attributes: (record) => record.roleAttributes },
});

/** A stored service. */
export type ServiceRecord = RecordOf<typeof serviceKind.fields>;

const permissionTexts = ['["Invalid"]', '["Dial"]', '["Bind"]', '["Bind","Dial"]'] as const;

/** Services in the management API, and their changes by administrators in both (decision 3). */
export const services: Resource = defineResource({
  kind: serviceKind,
  path: 'services',
  title: 'service',
  names: { one: 'Service', many: 'Services' },
  verbs: {
    management: ['list', 'get', 'create', 'update', 'patch', 'delete'],
    client: ['update', 'patch', 'delete'],
  },
  links: {
    'service-edge-router-policies': 'service-edge-router-policies',
    'service-policies': 'service-policies',
    terminators: 'terminators',
    configs: 'configs',
  },
  joined: {
    config: {
      schema: Type.Record(Type.String(), Type.Unknown()),
      text: (record, context) => servicesConfig(context, record),
    },
    permissions: {
      schema: Type.Array(Type.Enum(['Dial', 'Bind', 'Invalid'])),
      text: (record, context) => permissionTexts[permissionsOf(context, record)],
    },
    postureQueries: { schema: Type.Array(Type.Unknown()), text: () => '[]' },
  },
  symbols: [
    ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'terminatorStrategy'],
    ...['roleAttributes', 'configs'],
  ],
  linkedSets: serviceLinks,
  lens: {
    query: { asIdentity: Type.String(), configTypes: Type.Array(Type.String()) },
    apply: seeAsAsked,
  },
  deleteConflicts: true,
  check(context, draft) {
    checkRoleAttributes(context, draft);
    refuseTwoOfAType(context, draft.configs);
  },
  operations: [
    operation({
      id: 'listServices',
      apis: ['client'],
      method: 'GET',
      path: '/services',
      access: 'full',
      summary: 'List the services that policies let the caller dial or bind',
      success: 200,
      answer: () => Type.Array(services.answerSchema),
      isList: true,
      errors: [400, 401, 429],
      query: { ...roleParameters, configTypes: Type.Array(Type.String()) },
      decide: (context) => visibleList(context),
    }),
    operation({
      id: 'detailService',
      apis: ['client'],
      method: 'GET',
      path: '/services/{id}',
      access: 'full',
      summary: 'Get one service that policies let the caller dial or bind',
      success: 200,
      answer: () => services.answerSchema,
      errors: [401, 404, 429],
      decide(context) {
        const { record } = visibleService(context, context.params['id'] ?? '');
        const { view } = context.env.registry.at('services');
        return detail(view.pieces(record as never, context));
      },
    }),
  ],
  example: { name: 'printer', encryptionRequired: true, roleAttributes: ['printers'] },
});

/** The row of a service that the caller may dial or bind. @throws ApiError NOT_FOUND. */
export function visibleService(context: Context, id: string): Row<ServiceRecord> {
  const row = context.env.store.table<ServiceRecord>('service').find(id);
  if (row === undefined || permissionsOf(context, row.record) === 0) {
    throw notFound('service', id);
  }
  return row;
}

/**
 * An administrator may look through another identity's eyes, named by id or name (behaviour
 * §8.7.4). @throws ApiError NOT_FOUND for an unknown one.
 */
function seeAsAsked(context: Context): void {
  if (context.request.query === '') return;
  const text = context.query.get('asIdentity') ?? '';
  if (text === '') return;
  const table = context.env.store.table('identity');
  const row = table.find(text) ?? table.findBy('name', text);
  if (row === undefined) {
    const cause = { field: 'asIdentity', reason: 'no identity has this id or name', value: text };
    throw new ApiError('NOT_FOUND', { cause });
  }
  context.seeAs(row.record);
}

/** What the viewer may do with a service, as the position in `permissionTexts`. */
function permissionsOf(context: Context, service: ServiceRecord): 0 | 1 | 2 | 3 {
  const { env, viewer } = context;
  const { store } = env;
  const identity = store.table('identity').peek(viewer.id);
  const row = store.table('service').peek(service.id);
  if (identity === undefined || row === undefined) return 0;
  // A right rests on these two and on all policies: neither may leave before they are durable.
  store.fence.note(store.table('servicePolicy').lastLsn);
  store.fence.note(identity.lsn);
  store.fence.note(row.lsn);
  const bits = env.access.permissions(identity.slot, row.slot);
  return ((bits & DIAL ? 1 : 0) | (bits & BIND ? 2 : 0)) as 0 | 1 | 2 | 3;
}

/** What one identity sees, in id order, as long as the state it rests on stands. */
interface Visible {
  readonly servicesLsn: number;
  readonly policiesLsn: number;
  readonly rows: readonly Row<ServiceRecord>[];
  /** The same, ascending by slot. */
  readonly slots: Uint32Array;
  /** Permission bits of the row at the same position. */
  readonly bits: Uint8Array;
}

/** By identity record; the rows of all of them together are bounded. */
const visibleCache = new RecentCache<RecordBase, Visible>(200_000, ({ rows }) => rows.length + 8);

function visibleTo(context: Context): Visible {
  const { store, access } = context.env;
  const table = store.table<ServiceRecord>('service');
  const policies = store.table('servicePolicy');
  store.fence.note(table.lastLsn);
  store.fence.note(policies.lastLsn);
  const { identity } = context.caller;
  const known = visibleCache.get(identity);
  if (known?.servicesLsn === table.lastLsn && known.policiesLsn === policies.lastLsn) return known;
  const slot = store.table('identity').find(identity.id)?.slot ?? -1;
  const { slots, bits } = access.visibleServices(slot);
  const seen: { row: Row<ServiceRecord>; bits: number }[] = [];
  for (let i = 0; i < slots.length; i++) {
    const row = table.at(slots[i] ?? -1);
    if (row !== undefined) seen.push({ row, bits: bits[i] ?? 0 });
  }
  seen.sort((a, b) => byId(a.row, b.row));
  const visible = {
    servicesLsn: table.lastLsn,
    policiesLsn: policies.lastLsn,
    rows: seen.map(({ row }) => row),
    slots,
    bits: Uint8Array.from(seen, ({ bits: of }) => of),
  };
  visibleCache.set(identity, visible);
  return visible;
}

/** What follows the own fields of a service that no config is asked for of, by permission bits. */
const plainTails = permissionTexts.map((text) =>
  Buffer.from(`,"config":{},"permissions":${text},"postureQueries":[]}`),
);

/** The list that SDKs poll: own views and constant tails, copied one behind the other. */
function visibleList(context: Context): Reply {
  const { rows, bits, slots } = visibleTo(context);
  const compiled = context.env.registry.at('services');
  if (asksForMore(context)) return listReply(context, compiled, { form: 'slots', slots });
  const { limit, offset } = context.paging;
  const { view, resource } = compiled;
  const asksForConfigs = wantsConfigs(context);
  const end = limit === -1 ? rows.length : Math.min(rows.length, offset + limit);
  const data: Piece[] = ['['];
  for (let i = offset; i < end; i++) {
    const { record } = rows[i] as Row<ServiceRecord>;
    if (i > offset) data.push(',');
    if (asksForConfigs) data.push(...view.pieces(record as never, context));
    else data.push(view.own(record as never), plainTails[bits[i] ?? 0] ?? '}');
  }
  data.push(']');
  const filterableFields = resource.symbols ?? [];
  const list = { limit, offset, totalCount: rows.length, filterableFields };
  return { form: 'data', status: 200, data, list };
}

/**
 * A service may hold one config a type (behaviour §3.6); unknown ones are 404 (behaviour §1.5.2).
 */
function refuseTwoOfAType(context: Context, configs: readonly string[]): void {
  const table = context.env.store.table<ConfigRecord>('config');
  const types = new Set<string>();
  for (const id of configs) {
    const row = table.find(id);
    if (row === undefined) {
      const cause = { field: 'configs', reason: 'no config has this id', value: id };
      throw new ApiError('NOT_FOUND', { cause });
    }
    const { configTypeId } = row.record;
    if (types.has(configTypeId)) {
      throw fieldError('configs', 'holds two configs of one config type', configs.join(', '));
    }
    types.add(configTypeId);
  }
}

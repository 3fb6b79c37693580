// The services that policies let the caller dial or bind: the list that SDKs poll
// (behaviour/policies#access, behaviour/api-sessions#service-updates).

import { RecentCache } from '../../containers/recent-cache.ts';
import { isSortingCheaper } from '../../declare/lists/costs.ts';
import { listReply } from '../../declare/lists/list.ts';
import { asksForMore } from '../../declare/lists/list-query.ts';
import type { Chunk, Reply } from '../../declare/operations/operation.ts';
import { AnswerSize } from '../../declare/resources/answer-size.ts';
import { identityKind } from '../../records/identity.ts';
import { type ServiceRecord, serviceKind } from '../../records/service.ts';
import { servicePolicyKind } from '../../records/service-policy.ts';
import { byId } from '../../store/indexes.ts';
import type { Row } from '../../store/record.ts';
import type { Table } from '../../store/table.ts';
import { servicesConfig, wantsConfigs } from '../configs/service-config.ts';
import type { Context, ResourceEnvironment } from '../context.ts';
import { linkingPolicies, queriesFor, unaskedTexts } from '../posture/posture-queries.ts';
import { permissionTexts } from './service-permissions.ts';

/** The services that one identity sees, in id order, valid until its change stamp moves. */
interface Visible {
  /** The identity's last change stamp. */
  readonly serial: number;
  readonly rows: readonly Row<ServiceRecord>[];
  /** The same, ascending by slot. */
  readonly slots: Uint32Array;
  /** Permission bits of the row at the same position. */
  readonly bits: Uint8Array;
  linking: LinkingPolicies;
}

/**
 * The linking policies, computed once posture needs them: equal permissions may come from different
 * policies.
 */
interface LinkingPolicies {
  readonly servicesLsn: number;
  readonly policiesLsn: number;
  /** Slots of the policies that link the row at the same position. */
  readonly policies: (readonly number[] | undefined)[];
  /** The same slots by their text, so that rows share them. */
  readonly shared: Map<string, readonly number[]>;
}

/**
 * Keyed by the identity's id, because a record as the key would stay in memory after it was
 * replaced.
 */
type VisibleCache = RecentCache<string, Visible>;

const visibleCaches = new WeakMap<ResourceEnvironment, VisibleCache>();

/** Bytes of one identity without its rows: typed arrays, objects, the entry in the cache. */
const visibleBytes = 800;
/** Bytes per row in four arrays; the sets of policies are shared by rows and not counted. */
const visibleRowBytes = 32;

function visibleCacheOf(env: ResourceEnvironment): VisibleCache {
  let cache = visibleCaches.get(env);
  if (cache === undefined) {
    cache = new RecentCache(
      env.limits.visibleServicesCacheBytesMax,
      ({ rows }) => visibleBytes + visibleRowBytes * rows.length,
    );
    visibleCaches.set(env, cache);
  }
  return cache;
}

function visibleTo(context: Context): Visible {
  const { store, access } = context.env;
  const table = store.table(serviceKind);
  const policies = store.table(servicePolicyKind);
  store.fence.note(table.lastLsn);
  store.fence.note(policies.lastLsn);
  const { identity } = context.caller;
  const slot = store.table(identityKind).peek(identity.id)?.slot ?? -1;
  const serial = access.changeStamps.serialOf(slot);
  const cache = visibleCacheOf(context.env);
  const known = cache.get(identity.id);
  if (known?.serial === serial) return known;
  const { slots, bits } = access.permissions.visible(slot);
  const bitsAt = new Uint8Array(table.slots);
  for (let i = 0; i < slots.length; i++) bitsAt[slots[i] ?? 0] = bits[i] ?? 0;
  const rows = inOrder(table, slots, bitsAt, context.env);
  const visible: Visible = {
    serial,
    rows,
    slots,
    bits: bitsOf(rows, bitsAt),
    linking: { servicesLsn: -1, policiesLsn: -1, policies: [], shared: new Map() },
  };
  cache.set(identity.id, visible);
  return visible;
}

function bitsOf(rows: readonly Row[], bitsAt: Uint8Array): Uint8Array {
  const bits = new Uint8Array(rows.length);
  for (let at = 0; at < rows.length; at++) bits[at] = bitsAt[(rows[at] as Row).slot] ?? 0;
  return bits;
}

/**
 * Rows of these slots by id: sorted if they are few or a large table has no order yet, else
 * selected from all in the order of the table.
 */
function inOrder(
  table: Table<ServiceRecord>,
  slots: Uint32Array,
  marks: Uint8Array,
  { builds }: ResourceEnvironment,
): Row<ServiceRecord>[] {
  const rows: Row<ServiceRecord>[] = [];
  if (!builds.isReady(table, 'id') || isSortingCheaper(slots.length, table.size)) {
    for (const slot of slots) {
      const row = table.at(slot);
      if (row !== undefined) rows.push(row);
    }
    return rows.sort(byId);
  }
  for (const run of table.runs()) {
    for (const row of run) if (marks[row.slot] !== 0) rows.push(row);
  }
  return rows;
}

/** The text after a service's `config` while there are no posture checks, by permission bits. */
const tails = permissionTexts.map((text, bits) =>
  Buffer.from(`,"permissions":${text},"postureQueries":${unaskedTexts[bits] ?? '[]'}}`),
);
const noConfig = ',"config":{}';
const plainTails = tails.map((tail) => Buffer.concat([Buffer.from(noConfig), tail]));

/** Own views and shared tails, copied one after the other. */
export function visibleList(context: Context): Reply {
  const visible = visibleTo(context);
  const { rows, bits, slots } = visible;
  const compiled = context.env.registry.at('services');
  if (asksForMore(context)) return listReply(context, compiled, { form: 'slots', slots });
  const { limit, offset } = context.paging;
  const { view, resource } = compiled;
  const asksForConfigs = wantsConfigs(context);
  const guardedTails = context.env.posture.isUsed ? new GuardedTails(context, visible) : undefined;
  const end = Math.min(rows.length, offset + limit);
  const data: Chunk[] = ['['];
  const size = new AnswerSize(context.env.limits);
  for (let i = offset; i < end; i++) {
    const { record } = rows[i] as Row<ServiceRecord>;
    const of = bits[i] ?? 0;
    if (i > offset) data.push(',');
    const own = view.own(record, context.api);
    size.add(own);
    if (!asksForConfigs && guardedTails === undefined) {
      data.push(own, plainTails[of] ?? '}');
    } else {
      const config = asksForConfigs ? `,"config":${servicesConfig(context, record)}` : noConfig;
      const tail = guardedTails === undefined ? (tails[of] ?? '}') : guardedTails.at(i);
      size.add(config);
      size.add(tail);
      data.push(own, config, tail);
    }
  }
  data.push(']');
  const { symbols: filterableFields } = resource;
  const list = { limit, offset, totalCount: rows.length, filterableFields };
  return { form: 'data', status: 200, data, list };
}

/** Policies of a service that are cached per caller; more are looked up each time. @bound */
const policiesKeptMax = 64;

/** The tails of one answer if posture checks exist; one per set of policies and permission. */
class GuardedTails {
  readonly #context: Context;
  readonly #visible: Visible;
  readonly #identity: number;
  /** Rows with the same policies have the same permissions. */
  readonly #byPolicies = new Map<readonly number[], Buffer>();
  /** Sets that are too large to be cached beyond this answer, by their text. */
  readonly #large = new Map<string, readonly number[]>();

  constructor(context: Context, visible: Visible) {
    this.#context = context;
    this.#visible = visible;
    const { store } = context.env;
    const servicesLsn = store.table(serviceKind).lastLsn;
    const policiesLsn = store.table(servicePolicyKind).lastLsn;
    const { linking } = visible;
    if (linking.servicesLsn !== servicesLsn || linking.policiesLsn !== policiesLsn) {
      visible.linking = { servicesLsn, policiesLsn, policies: [], shared: new Map() };
    }
    this.#identity = store.table(identityKind).find(context.caller.identity.id)?.slot ?? -1;
  }

  /** The text after the `config` of the row at a position. */
  at(position: number): Buffer {
    const policies = this.#policiesAt(position);
    let tail = this.#byPolicies.get(policies);
    if (tail === undefined) {
      const permissions = permissionTexts[this.#visible.bits[position] ?? 0];
      const queries = queriesFor(this.#context).of(policies);
      tail = Buffer.from(`,"permissions":${permissions},"postureQueries":${queries}}`);
      this.#byPolicies.set(policies, tail);
    }
    return tail;
  }

  #policiesAt(position: number): readonly number[] {
    const { linking, rows } = this.#visible;
    const { policies, shared } = linking;
    const known = policies[position];
    if (known !== undefined) return known;
    const service = rows[position]?.slot ?? -1;
    const found = linkingPolicies(this.#context, this.#identity, service);
    const isKept = found.length <= policiesKeptMax;
    const sets = isKept ? shared : this.#large;
    const key = found.join();
    const first = sets.get(key) ?? found;
    sets.set(key, first);
    if (isKept) policies[position] = first;
    return first;
  }
}

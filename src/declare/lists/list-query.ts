// Reads the parameters of a list request: filter, order, role filter and page (behaviour/lists).

import Type, { type TSchema } from 'typebox';
import { ApiError, type FieldCause, fieldError } from '../../errors/errors.ts';
import { compileQuery } from '../../filter/compile.ts';
import { parseQuery, parseSort } from '../../filter/parse.ts';
import { FilterError, type Query, type Scope } from '../../filter/scope.ts';
import { compileSort } from '../../filter/sort-keys.ts';
import type { Row } from '../../store/record.ts';
import type { Semantic } from '../kinds/access-vocabulary.ts';
import type { Environment } from '../operations/environment.ts';
import type { Context, Paging } from '../operations/operation.ts';
import { pagingOf } from '../operations/paging.ts';
import type { CompiledResource } from '../resources/registry.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceSymbol } from '../symbols/field-symbols.ts';
import type { ResourceScope } from '../symbols/symbols.ts';
import type { CompiledFilter } from './memory.ts';

/** The list parameters of one request. */
export interface ListQuery {
  /** Undefined if neither filter nor order is given. */
  readonly filter: CompiledFilter | undefined;
  /** The filter as it was sent. */
  readonly text: string;
  /** The key of resource, filter and order in the caches of lists. */
  readonly key: string;
  /** Slots of the members that the role filter selects; undefined without one. */
  readonly selected: Uint32Array | undefined;
  readonly paging: Paging;
}

/** Query parameters of lists whose records have role attributes (behaviour/lists#role-filters). */
export const roleParameters: Readonly<Record<string, TSchema>> = {
  roleFilter: Type.Array(Type.String()),
  roleSemantic: Type.String(),
};

/** The query parameters of a resource's list beyond those of every list. */
export function listParametersOf(resource: Resource): Readonly<Record<string, TSchema>> {
  return { ...(takesRoleFilter(resource) ? roleParameters : {}), ...resource.viewOptions?.query };
}

/** Whether a request asks for anything besides a page in id order. */
export function asksForMore(context: Context): boolean {
  // The parameters are parsed only if there are any.
  return context.request.query !== '' && asking.some((name) => context.query.has(name));
}

const asking = ['filter', 'sort', 'roleFilter', 'roleSemantic'];

/** @throws ApiError for a filter, an order, a role filter or a page that is not valid. */
export function listQueryOf(context: Context, of: CompiledResource): ListQuery {
  const { paging } = context;
  const plain = { filter: undefined, text: '', key: '', selected: undefined, paging };
  if (!asksForMore(context)) return plain;
  const { query } = context;
  const { resource, scope, memory, name } = of;
  const filter = query.get('filter') ?? '';
  const sort = query.get('sort') ?? '';
  // Links could reveal data to other callers that no list shows them.
  const { isAdmin, isPartial } = context.callerIfAny ?? nobody;
  const isNarrow = !isAdmin || isPartial;
  const key = `${name}\n${isNarrow ? 'own' : 'all'}\n${sort}\n${filter}`;
  const selected = takesRoleFilter(resource) ? selectedBy(context, resource) : undefined;
  if (filter === '' && sort === '') return { ...plain, selected };
  let known = memory.filters.get(key);
  if (known === undefined) {
    const steps = stepsACharacter * (filter.length + sort.length);
    refusing('INVALID_FILTER', 'filter', filter, () => context.filterBudget().spend(steps));
    const watched = new WatchedScope(scope, isNarrow);
    const compiled = compiledFilter(watched, { filter, sort });
    known = { query: compiled, isOwn: watched.isOwn, characters: key.length };
    memory.filters.set(key, known);
  }
  const effective = effectivePaging(context.env, paging, known.query);
  return { filter: known, text: filter, key, selected, paging: effective };
}

/** Parsing a filter takes 100 to 200 ns per character. */
const stepsACharacter = 5;

const nobody = { isAdmin: false, isPartial: false };

/**
 * A scope that notes whether all requested names depend only on the row's own record; a narrow one
 * allows no others.
 */
class WatchedScope implements Scope<Row, Environment> {
  isOwn = true;
  readonly #scope: ResourceScope;
  readonly #isNarrow: boolean;

  constructor(scope: ResourceScope, isNarrow: boolean) {
    this.#scope = scope;
    this.#isNarrow = isNarrow;
  }

  symbol(name: string): ResourceSymbol | undefined {
    const symbol = this.#isNarrow ? this.#scope.ownSymbol(name) : this.#scope.symbol(name);
    if (symbol?.isOwn === false) this.isOwn = false;
    return symbol;
  }

  linked(name: string): ReturnType<ResourceScope['linked']> {
    if (this.#isNarrow) return undefined;
    this.isOwn = false;
    return this.#scope.linked(name);
  }
}

/**
 * A filter and a `sort` parameter as one query; the order within the filter overrides the parameter
 * (behaviour/lists#sort). @throws ApiError INVALID_FILTER or INVALID_SORT_IDENTIFIER.
 * @param sortScope the names of the parameter, if they differ from those of the filter.
 */
export function compiledFilter<T, E>(
  scope: Scope<T, E>,
  { filter, sort }: { readonly filter: string; readonly sort: string },
  sortScope = scope,
): Query<T, E> {
  const query =
    filter === ''
      ? undefined
      : refusing('INVALID_FILTER', 'filter', filter, () => compileQuery(parseQuery(filter), scope));
  if (sort === '' || (query !== undefined && query.sort.length > 0)) return query ?? everything();
  const keys = refusing('INVALID_SORT_IDENTIFIER', 'sort', sort, () =>
    compileSort(parseSort(sort), sortScope),
  );
  return { ...(query ?? everything<T, E>()), sort: keys };
}

function everything<T, E>(): Query<T, E> {
  return { matches: undefined, narrowings: [], sort: [], skip: undefined, limit: undefined };
}

/** The page, unless the filter gives another one (behaviour/lists#paging-by-filter). */
export function effectivePaging<T, E>(
  { limits }: Pick<Environment, 'limits'>,
  paging: Paging,
  query: Query<T, E>,
): Paging {
  const { limit, skip } = query;
  if (limit === undefined && skip === undefined) return paging;
  return pagingOf(limits, {
    limit: limit === 'none' ? -1 : (limit ?? paging.limit),
    offset: skip ?? paging.offset,
  });
}

/** Runs code that may reject the parameter. @throws ApiError in place of FilterError. */
export function refusing<V>(
  code: 'INVALID_FILTER' | 'INVALID_SORT_IDENTIFIER',
  field: string,
  text: string,
  run: () => V,
): V {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { value } = fieldError(field, '', text).cause as FieldCause;
    throw new ApiError(code, { cause: { field, reason: reasonOf(error), value } });
  }
}

function reasonOf({ message, position, expected }: FilterError): string {
  const wanted = expected.length === 0 ? '' : `, expected ${expected.join(' or ')}`;
  return `${message} (at position ${position}${wanted})`;
}

/** Whether these records have public role attributes, by which policies select them. */
function takesRoleFilter({ kind, symbols }: Resource): boolean {
  return kind.member !== undefined && symbols.includes('roleAttributes');
}

function selectedBy({ env, query }: Context, { kind }: Resource): Uint32Array | undefined {
  const semantic = semanticOf(query.get('roleSemantic'));
  const roles = query.getAll('roleFilter');
  const { space } = kind.member ?? {};
  if (roles.length === 0 || space === undefined) return undefined;
  const bad = roles.find((role) => !/^[#@]/.test(role));
  if (bad !== undefined) throw fieldError('roleFilter', 'must start with # or @', bad);
  env.store.fence.note(env.store.tableNamed(kind.kind).lastLsn);
  return env.access.select(space, semantic, roles);
}

function semanticOf(text: string | null): Semantic {
  switch (text?.toLowerCase() ?? 'allof') {
    case 'allof':
      return 'AllOf';
    case 'anyof':
      return 'AnyOf';
    default:
      throw fieldError('semantic', 'must be AllOf or AnyOf', text);
  }
}

// The route table: finds the operation of a method and a path. Built at boot and not changed later.

import {
  type ApiName,
  apiNames,
  basePaths,
  oidcPath,
  perApi,
} from '../../declare/operations/apis.ts';
import type { Environment } from '../../declare/operations/environment.ts';
import type { Method, Operation } from '../../declare/operations/operation.ts';

/** The result of a lookup. `Env` is what the operations may use of the controller. */
export type Match<Env extends Environment> =
  | {
      readonly found: 'operation';
      readonly api: ApiName;
      readonly operation: Operation<Env>;
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly found: 'path'; readonly methods: readonly Method[] }
  | { readonly found: 'nothing' };

interface Node<Env extends Environment> {
  readonly literals: Map<string, Node<Env>>;
  parameter: Node<Env> | undefined;
  readonly operations: Map<string, { operation: Operation<Env>; names: readonly string[] }>;
}

const nothing = { found: 'nothing' } as const;

/**
 * Prefixes that no path outside their API may begin with: everything else is tried as client API.
 */
const foreign = /^\/(edge|fabric|inspect|zac|health-checks|metrics)(\/|$)/;

/** All routes of all APIs. */
export class Routes<Env extends Environment> {
  readonly #roots: Readonly<Record<ApiName, Node<Env>>> = perApi(() => node());
  readonly #oidc: Node<Env> = node();

  /** @throws Error when two operations claim one method and path, which is a bug in the program. */
  constructor(operations: readonly Operation<Env>[]) {
    for (const operation of operations) {
      for (const api of operation.apis) this.#add(this.#roots[api], operation);
      if (operation.oidc !== undefined) this.#add(this.#oidc, operation);
    }
  }

  /** Finds the route of `method` on `path` (still percent-encoded, without query). */
  match(method: string, path: string): Match<Env> {
    for (const api of apiNames) {
      const base = basePaths[api];
      if (path.startsWith(base) && isEnd(path, base.length)) {
        return find(this.#roots[api], api, method, path, base.length);
      }
    }
    const { client } = this.#roots;
    if (path.startsWith('/edge/v1') && isEnd(path, 8))
      return find(client, 'client', method, path, 8);
    if (path.startsWith(oidcPath) && isEnd(path, oidcPath.length)) {
      return find(this.#oidc, 'client', method, path, oidcPath.length);
    }
    return foreign.test(path) ? nothing : find(client, 'client', method, path, 0);
  }

  /** As `match`; where no route has the path as it was sent, without its needless slashes. */
  matchTidied(method: string, path: string): Match<Env> {
    const match = this.match(method, path);
    if (match.found !== 'nothing') return match;
    return this.match(method, withoutLastSlash(withSingleSlashes(path)));
  }

  #add(root: Node<Env>, operation: Operation<Env>): void {
    let at = root;
    const names: string[] = [];
    for (const segment of operation.path.split('/').slice(1)) {
      if (segment === '') continue;
      if (segment.startsWith('{')) {
        names.push(segment.slice(1, -1));
        at = at.parameter ??= node();
      } else {
        let next = at.literals.get(segment);
        if (next === undefined) at.literals.set(segment, (next = node()));
        at = next;
      }
    }
    if (at.operations.has(operation.method)) {
      throw new Error(`two operations for ${operation.method} ${operation.path}`);
    }
    at.operations.set(operation.method, { operation, names });
  }
}

function find<Env extends Environment>(
  root: Node<Env>,
  api: ApiName,
  method: string,
  path: string,
  from: number,
): Match<Env> {
  let at = root;
  const values: string[] = [];
  let start = from + 1;
  while (start < path.length) {
    const slash = path.indexOf('/', start);
    const end = slash < 0 ? path.length : slash;
    const segment = path.slice(start, end);
    const next = at.literals.get(segment);
    if (next !== undefined) at = next;
    else if (at.parameter !== undefined && segment !== '') {
      values.push(segment);
      at = at.parameter;
    } else return nothing;
    start = end + 1;
  }
  if (at.operations.size === 0) return nothing;
  const entry = at.operations.get(method === 'HEAD' ? 'GET' : method);
  if (entry === undefined) {
    return { found: 'path', methods: [...at.operations.keys()] as Method[] };
  }
  const params: Record<string, string> = {};
  for (const [i, name] of entry.names.entries()) params[name] = decoded(values[i] ?? '');
  return { found: 'operation', api, operation: entry.operation, params };
}

/** A path in which doubled slashes are one (behaviour/requests#paths). */
export function withSingleSlashes(path: string): string {
  return path.replace(/\/{2,}/g, '/');
}

/** A path without the slash at its end, which means nothing (behaviour/requests#paths). */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function node<Env extends Environment>(): Node<Env> {
  return { literals: new Map(), parameter: undefined, operations: new Map() };
}

function isEnd(path: string, length: number): boolean {
  return path.length === length || path.charCodeAt(length) === 47;
}

/** A broken escape stays as it is, because such an id is unknown anyway. */
function decoded(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

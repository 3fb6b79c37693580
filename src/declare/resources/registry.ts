// All compiled kinds and resources of this controller, in which requests look things up.

import { CacheBudget } from '../../containers/recent-cache.ts';
import type { BoundValues } from '../../settings/bounds.ts';
import type { Limits } from '../../settings/limits.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { Cascades } from '../kinds/cascades.ts';
import type { Fields } from '../kinds/field.ts';
import type { Kind } from '../kinds/kind.ts';
import { ListMemory } from '../lists/memory.ts';
import type { ApiName } from '../operations/apis.ts';
import type { AnyOperation, Context } from '../operations/operation.ts';
import { ResourceScope } from '../symbols/symbols.ts';
import type { Resource } from './resource.ts';
import { type LinkTargets, View } from './view.ts';

/** A resource with its view and the parts that its lists need. */
export interface CompiledResource {
  readonly resource: Resource;
  readonly view: View<Fields, Context>;
  /** The meaning of names in filters. */
  readonly scope: ResourceScope;
  /** Shared by all resources, whose keys begin with `name`. */
  readonly memory: ListMemory;
  readonly name: string;
}

/** Look-ups in everything that was declared. */
export class Registry {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly cascades: Cascades;
  /** Every operation of every resource, including our own operations outside of resources. */
  readonly operations: readonly AnyOperation[];
  readonly #store: Store;
  readonly #byResource = new Map<Resource, CompiledResource>();
  readonly #byPath = new Map<string, CompiledResource>();
  readonly #byKind = new Map<string, CompiledResource>();

  constructor(options: {
    kinds: readonly Kind[];
    resources: readonly Resource[];
    /**
     * Lists that no filter name and no reference leads to; only `of` finds them. Secrets have no
     * names in their filters, by any path.
     */
    instanceResources?: readonly Resource[];
    operations: readonly AnyOperation[];
    cascades: Cascades;
    store: Store;
    limits: Pick<Limits, 'viewCacheBytesMax'>;
    bounds?: BoundValues | undefined;
  }) {
    this.kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    this.operations = options.operations;
    this.cascades = options.cascades;
    this.#store = options.store;
    const { kinds, resources, instanceResources = [], limits } = options;
    const viewBytes = new CacheBudget(limits.viewCacheBytesMax);
    const memory = new ListMemory(options.bounds);
    const targets = linkTargetsOf(options.operations);
    const scopeOf = (kind: string) => this.#byKind.get(kind)?.scope;
    const masked = maskedScopes(kinds, resources);
    for (const [position, resource] of [...resources, ...instanceResources].entries()) {
      const view = new View(resource, viewBytes, targets);
      const isInstanceList = position >= resources.length;
      const scope = isInstanceList
        ? new ResourceScope({ resource, kinds, resources, scopeOf: masked, isMasked: true })
        : new ResourceScope({ resource, kinds, resources, scopeOf });
      const compiled = { resource, view, scope, memory, name: String(position) };
      this.#byResource.set(resource, compiled);
      if (isInstanceList) continue;
      if (!this.#byPath.has(resource.path)) this.#byPath.set(resource.path, compiled);
      if (!this.#byKind.has(resource.kind.kind)) this.#byKind.set(resource.kind.kind, compiled);
    }
    for (const { scope } of this.#byResource.values()) scope.check();
  }

  /**
   * The first resource at a plural path segment. @throws RangeError when there is none, which is a
   * bug in the program.
   */
  at(path: string): CompiledResource {
    const compiled = this.#byPath.get(path);
    if (compiled === undefined) throw new RangeError(`no resource at ${path}`);
    return compiled;
  }

  /**
   * A compiled resource; finds the further resources that share the path of a first one.
   * @throws RangeError when it was not declared in `resources`, which is a bug in the program.
   */
  of(resource: Resource): CompiledResource {
    const compiled = this.#byResource.get(resource);
    if (compiled === undefined) throw new RangeError(`${resource.title} is not a known resource`);
    return compiled;
  }

  /**
   * The EntityRef of a record as JSON text, with the links of the API; undefined when there is no
   * such record.
   */
  reference(kind: string, id: string | undefined, api: ApiName = 'management'): string | undefined {
    if (id === undefined) return undefined;
    const row = this.#store.tableNamed(kind).find(id);
    const compiled = this.#byKind.get(kind);
    if (row === undefined || compiled === undefined) return undefined;
    return compiled.view.reference(row.record, api);
  }

  /**
   * Name and role of each entry of a role list whose target exists (behaviour/policies#roles), as
   * JSON text.
   */
  rolesDisplay(kind: string, roles: readonly string[]): string {
    const table = this.#store.tableNamed(kind);
    const shown: string[] = [];
    for (const role of roles) {
      if (!role.startsWith('@')) {
        shown.push(JSON.stringify({ name: role, role }));
        continue;
      }
      const row = table.find(role.slice(1));
      if (row !== undefined) shown.push(JSON.stringify({ name: `@${nameOf(row.record)}`, role }));
    }
    return `[${shown.join(',')}]`;
  }
}

function linkTargetsOf(operations: readonly AnyOperation[]): LinkTargets {
  const pathsOf = (api: ApiName) =>
    new Set(
      operations
        .filter(({ apis, method }) => method === 'GET' && apis.includes(api))
        .map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}')),
    );
  return { client: pathsOf('client'), management: pathsOf('management') };
}

/** The scope of the first resource of each kind without its secrets, built on first use. */
function maskedScopes(
  kinds: readonly Kind[],
  resources: readonly Resource[],
): (kind: string) => ResourceScope | undefined {
  const scopes = new Map<string, ResourceScope>();
  const scopeOf = (kind: string): ResourceScope | undefined => {
    const known = scopes.get(kind);
    const resource = resources.find((one) => one.kind.kind === kind);
    if (known !== undefined || resource === undefined) return known;
    const scope = new ResourceScope({ resource, kinds, resources, scopeOf, isMasked: true });
    scopes.set(kind, scope);
    return scope;
  };
  return scopeOf;
}

function nameOf(record: RecordBase & { readonly name?: unknown }): string {
  return String(record.name);
}

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
import { type ApiName, perApi } from '../operations/apis.ts';
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
  readonly #edge: Family = { byPath: new Map(), byKind: new Map() };
  readonly #fabric: Family = { byPath: new Map(), byKind: new Map() };

  constructor(options: {
    kinds: readonly Kind[];
    resources: readonly Resource[];
    /** Those of the fabric API, which shows the same kinds in another way. */
    fabricResources?: readonly Resource[];
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
    const { kinds, resources, fabricResources = [], instanceResources = [], limits } = options;
    const viewBytes = new CacheBudget(limits.viewCacheBytesMax);
    const memory = new ListMemory(options.bounds);
    const targets = linkTargetsOf(options.operations);
    const compile = (resource: Resource, scope: ResourceScope): CompiledResource => {
      const view = new View(resource, viewBytes, targets);
      const compiled = { resource, view, scope, memory, name: String(this.#byResource.size) };
      this.#byResource.set(resource, compiled);
      return compiled;
    };
    const add = (family: Family, all: readonly Resource[]): void => {
      const scopeOf = (kind: string) => family.byKind.get(kind)?.scope;
      for (const resource of all) {
        const scope = new ResourceScope({ resource, kinds, resources: all, scopeOf });
        const compiled = compile(resource, scope);
        const { path, kind } = resource;
        if (!family.byPath.has(path)) family.byPath.set(path, compiled);
        if (!family.byKind.has(kind.kind)) family.byKind.set(kind.kind, compiled);
      }
    };
    add(this.#edge, resources);
    add(this.#fabric, fabricResources);
    const scopeOf = maskedScopes(kinds, resources);
    for (const resource of instanceResources) {
      compile(resource, new ResourceScope({ resource, kinds, resources, scopeOf, isMasked: true }));
    }
    for (const { scope } of this.#byResource.values()) scope.check();
  }

  /**
   * The first resource of the edge APIs at a plural path segment. @throws RangeError when there is
   * none, which is a bug in the program.
   */
  at(path: string): CompiledResource {
    const compiled = this.#edge.byPath.get(path);
    if (compiled === undefined) throw new RangeError(`no resource at ${path}`);
    return compiled;
  }

  /** The first resource of the edge APIs that shows a kind, if any does. */
  ofKind(kind: string): CompiledResource | undefined {
    return this.#edge.byKind.get(kind);
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
    const compiled = (api === 'fabric' ? this.#fabric : this.#edge).byKind.get(kind);
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

/** Resources whose filters and references know each other: those of the edge, or of the fabric. */
interface Family {
  readonly byPath: Map<string, CompiledResource>;
  readonly byKind: Map<string, CompiledResource>;
}

function linkTargetsOf(operations: readonly AnyOperation[]): LinkTargets {
  const pathsOf = (api: ApiName) =>
    new Set(
      operations
        .filter(({ apis, method }) => method === 'GET' && apis.includes(api))
        .map(({ path }) => path.replaceAll(/\{\w+\}/g, '{}')),
    );
  return perApi(pathsOf);
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

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
import type { ResourceScope } from '../symbols/symbols.ts';
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
    fabricResources: readonly Resource[];
    /** Of these resources and of further ones, which only `of` finds. */
    scopes: ReadonlyMap<Resource, ResourceScope>;
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
    const { resources, fabricResources, limits } = options;
    const viewBytes = new CacheBudget(limits.viewCacheBytesMax);
    const memory = new ListMemory(options.bounds);
    const targets = linkTargetsOf(options.operations);
    for (const [resource, scope] of options.scopes) {
      const view = new View(resource, viewBytes, targets);
      const compiled = { resource, view, scope, memory, name: String(this.#byResource.size) };
      this.#byResource.set(resource, compiled);
    }
    this.#add(this.#edge, resources);
    this.#add(this.#fabric, fabricResources);
  }

  #add({ byPath, byKind }: Family, resources: readonly Resource[]): void {
    for (const resource of resources) {
      const compiled = this.of(resource);
      const { path, kind } = resource;
      if (!byPath.has(path)) byPath.set(path, compiled);
      if (!byKind.has(kind.kind)) byKind.set(kind.kind, compiled);
    }
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

function nameOf(record: RecordBase & { readonly name?: unknown }): string {
  return String(record.name);
}

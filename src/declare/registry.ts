// All kinds and resources of this controller, compiled: what requests look things up in.

import type { RecordBase } from '../store/record.ts';
import type { Store } from '../store/store.ts';
import type { Cascades } from './cascades.ts';
import type { Kind } from './kind.ts';
import type { Operation } from './operation.ts';
import type { Resource } from './resource.ts';
import { View } from './view.ts';

/** A resource with its view. */
export interface CompiledResource {
  readonly resource: Resource;
  readonly view: View<Resource['kind']['fields']>;
}

/** Lookups over everything that was declared. */
export class Registry {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly cascades: Cascades;
  /** Every operation of every resource, ours beyond the resources included. */
  readonly operations: readonly Operation[];
  readonly #store: Store;
  readonly #byPath = new Map<string, CompiledResource>();
  readonly #byKind = new Map<string, CompiledResource>();

  constructor(options: {
    kinds: readonly Kind[];
    resources: readonly Resource[];
    operations: readonly Operation[];
    cascades: Cascades;
    store: Store;
    viewCacheBytesMax: number;
  }) {
    this.kinds = new Map(options.kinds.map((kind) => [kind.kind, kind]));
    this.operations = options.operations;
    this.cascades = options.cascades;
    this.#store = options.store;
    const share = Math.floor(options.viewCacheBytesMax / Math.max(1, options.resources.length));
    for (const resource of options.resources) {
      const view = new View(
        resource.kind,
        {
          path: resource.path,
          links: resource.links ?? {},
          ...(resource.linksOf === undefined ? {} : { linksOf: resource.linksOf }),
          joined: resource.joined ?? {},
          hidden: resource.hidden ?? [],
        },
        share,
      );
      const compiled = { resource, view };
      this.#byPath.set(resource.path, compiled);
      if (!this.#byKind.has(resource.kind.kind)) this.#byKind.set(resource.kind.kind, compiled);
    }
  }

  /**
   * The resource at a plural path segment. @throws RangeError when there is none: a mistake of the
   * program.
   */
  at(path: string): CompiledResource {
    const compiled = this.#byPath.get(path);
    if (compiled === undefined) throw new RangeError(`no resource at ${path}`);
    return compiled;
  }

  /** The EntityRef of a record as JSON text; undefined when there is no such record. */
  reference(kind: string, id: string | undefined): string | undefined {
    if (id === undefined) return undefined;
    const row = this.#store.table<RecordBase>(kind).find(id);
    const compiled = this.#byKind.get(kind);
    if (row === undefined || compiled === undefined) return undefined;
    return compiled.view.reference(row.record as never);
  }

  /**
   * Name and role of each entry of a role list that is not gone (behaviour §3.1.6), as JSON text.
   */
  rolesDisplay(kind: string, roles: readonly string[]): string {
    const table = this.#store.table<RecordBase & { name?: string }>(kind);
    const shown: string[] = [];
    for (const role of roles) {
      if (!role.startsWith('@')) {
        shown.push(JSON.stringify({ name: role, role }));
        continue;
      }
      const row = table.find(role.slice(1));
      if (row !== undefined) shown.push(JSON.stringify({ name: `@${row.record.name}`, role }));
    }
    return `[${shown.join(',')}]`;
  }
}

// The meaning of names in filters of all resources. Scopes hold only what is declared, so all
// controllers of a process share them.

import type { Kind } from '../kinds/kind.ts';
import { ResourceScope } from '../symbols/symbols.ts';
import type { Resource } from './resource.ts';

/** What is declared of kinds and their lists. */
export interface Declared {
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  /** Those of the fabric API, which shows the same kinds in another way. */
  readonly fabricResources: readonly Resource[];
  /**
   * Lists that no filter name and no reference leads to; only `Registry.of` finds them. Secrets
   * have no names in their filters, by any path.
   */
  readonly instanceResources: readonly Resource[];
}

/**
 * The scope of each resource.
 * @throws DeclarationFault for the first symbol that has no meaning
 */
export function scopesOf(declared: Declared): ReadonlyMap<Resource, ResourceScope> {
  const { kinds, resources, fabricResources, instanceResources } = declared;
  const scopes = new Map<Resource, ResourceScope>();
  for (const family of [resources, fabricResources]) {
    const first = new Map<string, ResourceScope>();
    const scopeOf = (kind: string) => first.get(kind);
    for (const resource of family) {
      const scope = new ResourceScope({ resource, kinds, resources: family, scopeOf });
      scopes.set(resource, scope);
      if (!first.has(resource.kind.kind)) first.set(resource.kind.kind, scope);
    }
  }
  const scopeOf = maskedScopes(kinds, resources);
  for (const resource of instanceResources) {
    const masked = { resource, kinds, resources, scopeOf, isMasked: true };
    scopes.set(resource, new ResourceScope(masked));
  }
  for (const scope of scopes.values()) scope.check();
  return scopes;
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

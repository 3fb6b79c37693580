// References in the fabric API to records that may be gone, or that have no names.

import type { Context } from '../context.ts';

/** The EntityRef of a record as JSON text; one that is gone is named `<deleted>`. */
export function referenceOrDeleted(
  { env }: Pick<Context, 'env'>,
  { kind, path, id }: { readonly kind: string; readonly path: string; readonly id: string },
): string {
  const known = env.registry.reference(kind, id, 'fabric');
  if (known !== undefined) return known;
  return JSON.stringify({ _links: {}, entity: path, id, name: '<deleted>' });
}

/** The EntityRef of a record without a name, which is named by its id, as JSON text. */
export function referenceById(path: string, id: string): string {
  const self = { href: `./${path}/${encodeURIComponent(id)}` };
  return JSON.stringify({ _links: { self }, entity: path, id, name: id });
}

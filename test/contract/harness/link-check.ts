// Checks that the links of an answer lead to operations of its API (behaviour/answers#links).

import { operations } from '../../../src/assembly/operations.ts';
import type { ApiName } from '../../../src/declare/operations/apis.ts';

const patterns = operations.map(({ apis, path }) => ({
  apis,
  pattern: new RegExp(`^\\.${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** Whether an API has an operation at a link, with any method. */
export function leadsSomewhere(api: ApiName, href: string): boolean {
  return patterns.some(({ apis, pattern }) => apis.includes(api) && pattern.test(href));
}

/** Every link within an answer. */
export function* hrefsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '_links') {
      for (const { href } of Object.values(inner as Record<string, { href: string }>)) yield href;
    } else yield* hrefsIn(inner);
  }
}

/** Names the first link of an answer that leads nowhere. */
export function linkProblem(api: ApiName, data: unknown): string | undefined {
  for (const href of hrefsIn(data)) {
    if (!leadsSomewhere(api, href)) return `the link ${href} leads nowhere`;
  }
  return undefined;
}

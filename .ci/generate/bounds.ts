// docs/generated/bounds.md: what bounds what outsiders can take, for docs/security.md.

import { type Bound, type BoundScope, boundScopes, bounds } from '../../src/limits.ts';
import { code, type GeneratedPage, generatedFrom, markdownTable } from './page.ts';

/** The page of bounds. */
export const boundsPage: GeneratedPage = { file: 'bounds.md', make };

const headings: Readonly<Record<BoundScope, string>> = {
  request: 'Per request',
  connection: 'Per connection',
  session: 'Per API session',
  identity: 'Per identity',
  address: 'Per address',
  entity: 'Per entity that is created',
  worker: 'Per TLS worker',
  controller: 'For the whole controller',
};

function make(): string {
  const rows: readonly (readonly [string, Bound])[] = Object.entries(bounds);
  const sections = boundScopes.map((scope) => {
    const own = rows.filter(([, { per }]) => per === scope);
    const cells = own.map(([name, bound]) => [
      code(`limits.${name}`),
      code(String(bound.default)),
      bound.why,
    ]);
    return `## ${headings[scope]}\n\n${markdownTable(['bound', 'default', 'what and why'], cells)}\n`;
  });
  return `${generatedFrom('src/limits.ts')}

# What bounds what

Every input and every store that an outsider can fill has a bound. Each can be configured
([config.md](config.md) says within which limits). [security.md](../security.md) says against what
they stand.

${sections.join('\n')}`;
}

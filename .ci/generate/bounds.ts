// docs/generated/bounds.md: what bounds what outsiders can take, for docs/security.md.

import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BoundScope, boundScopes, type Limit, limitTable } from '../../src/settings/limits.ts';
import { boundsIn, type CodeBound } from '../tidy/bounds.ts';
import { code, type GeneratedPage, generatedFrom, markdownTable } from './page.ts';

/** The page of bounds. */
export const boundsPage: GeneratedPage = { file: 'docs/generated/bounds.md', make };

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

const root = resolve(import.meta.dirname, '../..');

function make(): string {
  const limits = Object.entries<Limit>(limitTable).map(([name, { default: value, per, why }]) => {
    return { name: `limits.${name}`, value: String(value), per, why };
  });
  const rows: readonly CodeBound[] = [...limits, ...codeBounds()];
  const table = (per: BoundScope | undefined): string => {
    const own = rows.filter((row) => row.per === per);
    const cells = own.map(({ name, value, why }) => [code(name), code(value), why]);
    return markdownTable(['bound', 'value', 'what and why'], cells);
  };
  const sections = boundScopes.map((per) => `## ${headings[per]}\n\n${table(per)}\n`);
  return `${generatedFrom('src/settings/limits.ts and the constants with @bound in their doc comments')}

# What bounds what

Every input and every store that an outsider can fill has a bound. The value of \`limits.*\` is the default
of a setting ([config.md](config.md) says what it may be); all others are constants of the code.
[security.md](../security.md) says against what they stand.

${sections.join('\n')}
## The controller's own pace

These protect no resource from outsiders: they pace the controller's own work.

${table(undefined)}
`;
}

/** The bounds of all shipped files, by their paths. */
export function codeBounds(): CodeBound[] {
  return globSync('{src,snapshots,machines}/**/*.ts', { cwd: root })
    .sort()
    .flatMap((path) => boundsIn(readFileSync(join(root, path), 'utf8')));
}

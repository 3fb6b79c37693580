// Documentation made from code. `npm run generate` writes it; with `--check` it fails where it is
// stale.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { boundsPage } from './generate/bounds.ts';
import { cliPage } from './generate/cli.ts';
import { configPage } from './generate/config.ts';
import { errorsPage } from './generate/errors.ts';
import { kindsPage } from './generate/kinds.ts';
import { changedLayouts, layoutsPage } from './generate/layouts.ts';
import { machinesPage } from './generate/machines.ts';
import { membersPage } from './generate/members.ts';
import { openApiPages } from './generate/openapi.ts';
import type { GeneratedPage } from './generate/page.ts';
import { sectionsPage } from './generate/sections.ts';

/** Every page; to add one, write its file in `generate/` and name it here. */
export const pages: readonly GeneratedPage[] = [
  boundsPage,
  cliPage,
  configPage,
  errorsPage,
  kindsPage,
  layoutsPage,
  machinesPage,
  membersPage,
  sectionsPage,
  ...openApiPages,
];

/**
 * Files below `root` that differ from what the code generates now. They are rewritten, unless they
 * are only checked.
 */
export async function stalePages(
  root: string,
  all: readonly GeneratedPage[],
  isCheck: boolean,
): Promise<string[]> {
  const stale: string[] = [];
  for (const page of all) {
    const path = join(root, page.file);
    const present = textOf(path);
    const text = await page.make(present ?? '');
    if (present === text) continue;
    stale.push(path);
    if (isCheck) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return stale;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const isCheck = process.argv.includes('--check');
  const root = resolve(import.meta.dirname, '..');
  for (const path of await stalePages(root, pages, isCheck)) {
    console.log(isCheck ? `${path} is stale: npm run generate` : `wrote ${path}`);
    if (isCheck) process.exitCode = 1;
  }
  for (const problem of changedLayouts()) {
    console.log(problem);
    process.exitCode = 1;
  }
}

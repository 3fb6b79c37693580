// Prints the types that no source holds, for the compiler: those of routers' messages and those of
// the APIs for the client. Git ignores them.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientTypes } from './generate/client-types.ts';
import type { PrintedTypes } from './generate/declarations.ts';
import { messageTypes } from './generate/messages.ts';

/** Brings the types below `root` up to date, of which it has what they are made from. */
export function printTypes(root: string): void {
  for (const types of [messageTypes, ...clientTypes]) {
    const sources = types.sources.map((path) => join(root, path));
    const target = join(root, types.file);
    if (!sources.every((path) => existsSync(path)) || !isStale(types, sources, target)) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, types.print(sources.map((path) => readFileSync(path, 'utf8'))));
  }
}

function isStale({ printer }: PrintedTypes, sources: readonly string[], target: string): boolean {
  const printedAt = statSync(target, { throwIfNoEntry: false })?.mtimeMs;
  if (printedAt === undefined) return true;
  const layout = join(import.meta.dirname, 'generate/declarations.ts');
  return [...sources, printer, layout].some((path) => statSync(path).mtimeMs >= printedAt);
}

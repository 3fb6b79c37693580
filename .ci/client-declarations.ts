// Writes the types of `edge-control/client` into dist/, for programs that import the package.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const sourceDirectory = 'src/client';
const targetDirectory = 'dist/src/client';
/** The types of the APIs, which are printed as declarations. */
const generated = 'generated';

/**
 * Brings the declarations below `root` up to date, if the client changed since.
 * @returns every file of them.
 */
export function buildClientDeclarations(root: string): string[] {
  const [source, target] = [join(root, sourceDirectory), join(root, targetDirectory)];
  // A checkout that a test made.
  if (!existsSync(source)) return [];
  if (isStale(source, join(target, 'index.d.ts'))) {
    mkdirSync(target, { recursive: true });
    rmSync(join(target, generated), { recursive: true, force: true });
    cpSync(join(source, generated), join(target, generated), { recursive: true });
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const entry = join(source, 'index.ts');
    const flags = [...fixed, '--rootDir', source, '--outDir', target];
    execFileSync(process.execPath, [compiler, entry, ...flags], { cwd: root, stdio: 'pipe' });
  }
  return declarationsBelow(target);
}

const fixed =
  '--ignoreConfig --declaration --emitDeclarationOnly --target es2023 --module nodenext --strict --types node --allowImportingTsExtensions --skipLibCheck'.split(
    ' ',
  );

function isStale(source: string, built: string): boolean {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return true;
  const inputs = readdirSync(source, { recursive: true, encoding: 'utf8' });
  return [import.meta.filename, ...inputs.map((name) => join(source, name))].some(
    (path) => statSync(path).mtimeMs >= builtAt,
  );
}

function declarationsBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts'))
    .map((name) => join(directory, name));
}

// Bundles the inspector's page into dist/: its script, that of its worker, one style sheet and the
// document that names them. Names carry a hash of the content, so that browsers may keep them for
// ever.

import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const sourceDirectory = 'src/inspect/page';
const targetDirectory = 'dist/src/inspect/page';

/**
 * Brings the bundle below `root` up to date, if anything that goes into it changed since.
 * @returns every file of it.
 */
export function buildPage(root: string): string[] {
  const target = join(root, targetDirectory);
  const source = join(root, sourceDirectory);
  // A revision from before there was a page, which the bench compares with.
  if (!existsSync(source)) return [];
  if (isStale(root, source, join(target, 'index.html'))) bundle(source, target);
  return filesOf(target);
}

function filesOf(directory: string): string[] {
  return readdirSync(directory).map((name) => join(directory, name));
}

function isStale(root: string, source: string, built: string): boolean {
  const builtAt = statSync(built, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return true;
  const inputs = [join(root, 'package.json'), join(root, '.ci/page.ts'), source];
  for (const name of readdirSync(source, { recursive: true }) as string[]) {
    inputs.push(join(source, name));
  }
  return inputs.some((path) => statSync(path).mtimeMs >= builtAt);
}

/** The bundler is loaded with the first stale page: loading it takes longer than looking. */
function bundle(source: string, target: string): void {
  const { buildSync } = createRequire(import.meta.url)('esbuild') as typeof import('esbuild');
  const { outputFiles } = buildSync({
    absWorkingDir: source,
    entryPoints: {
      page: 'main.tsx',
      'layout-worker': 'map/layout-worker.ts',
      style: 'styles/page.css',
    },
    outdir: target,
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfigRaw: {},
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const names = outputFiles.map(({ path, contents }) => ({
    name: hashed(path, contents),
    contents,
  }));
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const { name, contents } of names) writeFileSync(join(target, name), contents);
  const named = (entry: string) =>
    names.find(({ name }) => name.startsWith(`${entry}-`))?.name ?? '';
  const html = readFileSync(join(source, 'page.html'), 'utf8')
    .replace('{style}', named('style'))
    .replace('{script}', named('page'))
    .replace('{worker}', named('layout-worker'));
  writeFileSync(join(target, 'index.html'), html);
}

/** `page.js` becomes `page-0123456789abcdef.js`. */
function hashed(path: string, contents: Uint8Array): string {
  const digest = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  return path.slice(path.lastIndexOf('/') + 1).replace('.', `-${digest}.`);
}

// Bundles the program into a few files of dist/: finding and linking its 700 modules would take
// more than half of the CPU time of a start. Each entry stays where its source is below dist/, as
// one line that loads its file of the bundle.

import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';
import { builtPackage } from './packages.ts';
import { replaceFile } from './replace-file.ts';

const parts = ['src', 'machines', 'snapshots'] as const;

/** Modules that processes, threads or other programs begin with. No two may share a name. */
const entries = [
  'src/main.ts',
  'src/client/index.ts',
  'src/cluster/thread/cluster-worker.ts',
  'src/http/front/tls-worker.ts',
  'src/inspect/server/log/log-reader-worker.ts',
  'snapshots/home/disk.ts',
  'snapshots/log/writer-worker.ts',
  'snapshots/snapshot/snapshot-worker.ts',
] as const;

const bundleDirectory = 'dist/bundle';

/** The sources of a bundle, by their digest, and its files below the root. */
interface Stamp {
  readonly digest: string;
  readonly files: readonly string[];
}

/**
 * Brings the program below `<root>/dist` up to date, if any source changed since.
 * @returns every file of it
 */
export async function buildProgram(root: string): Promise<string[]> {
  const stampFile = join(root, 'dist/built-by');
  const digest = digestOf(root);
  let stamp = readStamp(stampFile);
  if (stamp?.digest !== digest || !stamp.files.every((file) => existsSync(join(root, file)))) {
    stamp = { digest, files: await bundle(root) };
    replaceFile(stampFile, JSON.stringify(stamp));
  }
  return [stampFile, ...stamp.files.map((file) => join(root, file))];
}

function readStamp(file: string): Stamp | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Stamp;
  } catch {
    // There is none yet, or another builder's.
    return undefined;
  }
}

/** The digest of the builder and of all sources, by times and sizes: reading them would be slow. */
function digestOf(root: string): string {
  const hash = createHash('sha256');
  for (const file of ['build.ts', 'packages.ts', 'program.ts']) {
    hash.update(readFileSync(join(import.meta.dirname, file)));
  }
  for (const file of sourcesBelow(root)) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

/** Files below the root; the inspector's page is bundled by itself. */
function sourcesBelow(root: string): string[] {
  const found = parts
    .filter((part) => existsSync(join(root, part)))
    .flatMap((part) =>
      readdirSync(join(root, part), { recursive: true, encoding: 'utf8' }).map((path) =>
        join(part, path),
      ),
    )
    .filter((path) => /(?<!\.d)\.ts$|\.proto$/.test(path) && !path.startsWith('src/inspect/page/'));
  return ['package.json', ...found.sort()];
}

/** The bundler is loaded only when something is stale: loading it takes longer than looking. */
async function bundle(root: string): Promise<string[]> {
  const { build } = await import('esbuild');
  const found = entries.filter((entry) => existsSync(join(root, entry)));
  const { outputFiles = [] } = await build({
    ...options,
    absWorkingDir: root,
    outdir: join(root, bundleDirectory),
    entryPoints: found.map((entry) => ({ in: entry, out: nameOf(entry) })),
    plugins: [asBuilt(root)],
  });
  const written: string[] = [];
  const write = (file: string, contents: string | Uint8Array) => {
    replaceFile(join(root, file), contents);
    written.push(file);
  };
  // Chunks first: a program that starts meanwhile finds all that its entry names.
  for (const { path, contents } of outputFiles) write(relative(root, path), contents);
  for (const entry of found) {
    const target = join('dist', entry.replace(/\.ts$/, '.js'));
    const file = relative(dirname(target), join(bundleDirectory, `${nameOf(entry)}.js`));
    write(target, `export * from '${file}';\n`);
  }
  for (const file of sourcesBelow(root)) {
    if (file.endsWith('.ts')) continue;
    const target = join('dist', file);
    mkdirSync(join(root, dirname(target)), { recursive: true });
    copyFileSync(join(root, file), join(root, target));
    written.push(target);
  }
  return written;
}

const options: BuildOptions = {
  bundle: true,
  splitting: true,
  write: false,
  format: 'esm',
  platform: 'node',
  target: 'node22',
  chunkNames: '[name]-[hash]',
  // Logged stacks name the sources with them (`src/observe/stacks.ts`).
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
};

/** The name of an entry's file in the bundle. */
function nameOf(entry: string): string {
  const name = basename(entry, '.ts');
  return name === 'index' ? basename(dirname(entry)) : name;
}

/** Imports of packages, and URLs that a source makes from its own, as they are in dist/. */
function asBuilt(root: string): Plugin {
  return {
    name: 'as-built',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
        if (kind === 'entry-point') return undefined;
        const file = builtPackage(path);
        const own = file === undefined ? path : relative(bundleDirectory, file);
        return { path: own, external: true };
      });
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: withOwnUrls(readFileSync(path, 'utf8'), relative(root, path)),
        loader: 'ts',
      }));
    },
  };
}

/** @throws Error for the URL of a source that is no entry, as dist/ has no file of it */
function withOwnUrls(code: string, file: string): string {
  const built = relative('bundle', file);
  return code
    .replaceAll(/'([\w./-]+)\.ts'(?=, import\.meta\.url)/g, (_, path: string) => {
      const target = join(dirname(file), `${path}.ts`);
      if (!entries.some((entry) => entry === target)) throw new Error(`${target} is no entry.`);
      return `'${path}.js'`;
    })
    .replaceAll('import.meta.url', `new URL('${built}', import.meta.url).href`);
}

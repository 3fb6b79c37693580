// The rules between files: which way imports go, and which packages they name.

import { circlesOf } from './circles.ts';
import { type Import, importsOf, targetOf } from './import.ts';
import { type Finding, findingAt, type ProjectFile } from './project.ts';
import { unusedFindings } from './unused.ts';

/**
 * The parts of `src/`, the highest first: an import goes down this list, never up, types included.
 * Parts of one line may import each other.
 */
const order: readonly (readonly string[])[] = [
  ['main.ts'],
  ['commands/'],
  ['migrate/'],
  ['assembly/'],
  ['events/'],
  ['inspect/', 'monitoring/'],
  ['integrity/', 'explain/'],
  ['oidc/'],
  ['resources/'],
  ['routers/', 'http/'],
  ['auth/'],
  ['posture/'],
  ['records/'],
  ['access/', 'pki/'],
  ['declare/'],
  ['actors/'],
  ['store/'],
  ['cluster/', 'channel/', 'filter/'],
  ['turns/', 'containers/'],
  ['client/'],
  ['observe/'],
  ['settings/'],
  ['errors/'],
  ['platform/'],
];

/** The inspector's page: a program of its own, which runs in browsers. */
const page = 'src/inspect/page/';

/** All that it takes from outside of itself; its packages are bundled with it. */
const pagePackages = new Set(['preact', '@xstate/store', '@dagrejs/dagre']);
const pageTypes = 'src/inspect/messages.ts';

/** Where tests take fast-check from: it sets the seed. */
const properties = 'test/properties.ts';

/**
 * Everything that is wrong between files.
 * @param dependencies packages that the running controller may import
 */
export function importFindings(
  files: readonly ProjectFile[],
  dependencies: ReadonlySet<string>,
): Finding[] {
  const imports = files.flatMap(importsOf);
  return [
    ...files.flatMap(placeFindings),
    ...imports.flatMap((entry) => directionFindings(entry, dependencies)),
    ...circleFindings(imports),
    ...unusedFindings(files, imports),
  ];
}

/** Files that a reader can take in at once, if they all depend on each other. */
const circleFilesMax = 4;

function circleFindings(imports: readonly Import[]): Finding[] {
  return circlesOf(imports)
    .filter((circle) => circle.length > circleFilesMax)
    .map(([file = '', ...others]) => ({
      file,
      line: 1,
      text: `in a circle of imports with ${others.length} files, at most ${circleFilesMax - 1}`,
    }));
}

/** Where in the order a file of `src/` stands; -1 when the order does not know it. */
function rankOf(path: string): number {
  const below = path.slice('src/'.length);
  return order.findIndex((parts) =>
    parts.some((part) => (part.endsWith('/') ? below.startsWith(part) : below === part)),
  );
}

function placeFindings({ path }: ProjectFile): Finding[] {
  if (!path.startsWith('src/') || rankOf(path) >= 0) return [];
  return [{ file: path, line: 1, text: 'has no place in the order of .ci/tidy/imports.ts' }];
}

function directionFindings(entry: Import, dependencies: ReadonlySet<string>): Finding[] {
  const { from, node, specifier, isType } = entry;
  if (from.path.startsWith(page)) return pageFindings(entry);
  if (specifier === 'fast-check' && !isType && from.path !== properties) {
    return [findingAt(from, node, `takes fast-check past ${properties}, which sets the seed`)];
  }
  const isProduct = /^(src|machines|snapshots)\//.test(from.path);
  if (!isProduct) return [];
  if (isUpward(from.path, targetOf(entry))) {
    return [findingAt(from, node, `imports up: ${targetOf(entry)} stands above it`)];
  }
  if (isType) return [];
  if (!specifier.startsWith('.')) {
    const name = packageName(specifier);
    if (specifier.startsWith('node:') || name === undefined || dependencies.has(name)) return [];
    return [findingAt(from, node, `${name} is no dependency of the running controller`)];
  }
  const text = wrongDirection(from.path, targetOf(entry));
  return text === undefined ? [] : [findingAt(from, node, text)];
}

function pageFindings(entry: Import): Finding[] {
  const { from, node, specifier, isType } = entry;
  if (specifier.startsWith('.')) {
    const to = targetOf(entry);
    if (to.startsWith(page) || (isType && to === pageTypes)) return [];
    return [findingAt(from, node, `the page takes nothing from ${to}`)];
  }
  const name = packageName(specifier);
  if (name === undefined || pagePackages.has(name)) return [];
  return [findingAt(from, node, `${name} is no package of the page`)];
}

/** `new URL` of another host is no package. */
function packageName(specifier: string): string | undefined {
  if (/^[a-z]+:\/\//.test(specifier)) return undefined;
  const depth = specifier.startsWith('@') ? 2 : 1;
  return specifier.split('/').slice(0, depth).join('/');
}

function wrongDirection(from: string, to: string): string | undefined {
  const [fromTop = ''] = from.split('/');
  const [toTop = ''] = to.split('/');
  if (/^(test|bench|\.ci)$/.test(toTop)) return `imports ${to}, which is not shipped`;
  if (fromTop === 'machines' && toTop !== 'machines') return `machines import no values from ${to}`;
  if (fromTop === 'snapshots' && toTop === 'src') return `snapshots import no values from ${to}`;
  // A URL of the folder is where the bundle is read from.
  if (to.startsWith(page) && to !== page) return `imports ${to}, which runs in browsers`;
  return undefined;
}

/** Whether an import within `src/` goes up the order. */
export function isUpward(from: string, to: string): boolean {
  if (!from.startsWith('src/') || !to.startsWith('src/')) return false;
  const [fromRank, toRank] = [rankOf(from), rankOf(to)];
  return fromRank >= 0 && toRank >= 0 && toRank < fromRank;
}

// The rules between files: which way imports go, which packages they name, and files nobody
// imports.

import { dirname, join } from 'node:path';
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isNewExpression,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Finding, findingAt, type ProjectFile, walk } from './project.ts';

/**
 * The parts of `src/`, the highest first: a value import goes down this list, never up (design,
 * Folders). Parts of one line may import each other.
 */
const order: readonly (readonly string[])[] = [
  ['main.ts'],
  ['command-line.ts', 'arguments.ts'],
  ['controller.ts'],
  ['core.ts', 'environment.ts', 'integrity.ts', 'set-up.ts', 'operations.ts'],
  ['inspect/', 'offline/', 'backup/'],
  ['http/'],
  ['resources/'],
  ['auth/'],
  ['posture/'],
  ['access/'],
  ['pki/'],
  ['declare/'],
  ['actors/'],
  ['store/'],
  ['filter/'],
  ['observe/'],
  ['config.ts', 'descriptors.ts'],
  ['settings.ts'],
  ['setting.ts'],
  ['limits.ts'],
  ['errors.ts'],
  ['error-codes.ts'],
  ['version.ts', 'ids.ts', 'system.ts', 'heap.ts', 'fetch.ts', 'terminal.ts', 'address-block.ts'],
  ['ports.ts'],
];

/** The inspector's page: a program of its own, which runs in browsers. */
const page = 'src/inspect/page/';

/** All that it takes from outside of itself; its packages are bundled with it. */
const pagePackages = new Set(['preact', '@xstate/store', '@dagrejs/dagre']);
const pageTypes = 'src/inspect/contract.ts';

/** Where tests take fast-check from: it sets the seed. */
const properties = 'test/properties.ts';

/** One import, export-from, dynamic import or `new URL` of a file. */
interface Import {
  readonly from: ProjectFile;
  readonly node: Node;
  readonly specifier: string;
  /** Gone at run time. */
  readonly isType: boolean;
}

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
    ...deadFiles(files, imports),
  ];
}

function importsOf(from: ProjectFile): Import[] {
  const imports: Import[] = [];
  const add = (node: Node, specifier: Node | undefined, isType: boolean): void => {
    if (specifier === undefined || !isStringLiteral(specifier)) return;
    imports.push({ from, node, specifier: specifier.text, isType });
  };
  walk(from.tree, (node) => {
    if (isImportDeclaration(node)) {
      const isType = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword;
      add(node, node.moduleSpecifier, isType);
    } else if (isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly);
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false);
    } else if (isNewExpression(node) && node.expression.getText(from.tree) === 'URL') {
      add(node, node.arguments?.[0], false);
    }
  });
  return imports;
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
  if (isType || !isProduct) return [];
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
  if (fromTop !== 'src' || toTop !== 'src') return undefined;
  const [fromRank, toRank] = [rankOf(from), rankOf(to)];
  const isUp = fromRank >= 0 && toRank >= 0 && toRank < fromRank;
  return isUp ? `imports up: ${to} stands above it` : undefined;
}

function targetOf({ from, specifier }: Import): string {
  return join(dirname(from.path), specifier);
}

/** Where running or testing starts. */
function isEntry(path: string): boolean {
  return /^(src\/inspect\/page\/main\.tsx|(src|bench)\/main\.ts|test\/(.*\.test|((system\/[a-z-]+|browser)\/)?run)\.ts|\.ci\/[^/]*\.ts)$/.test(
    path,
  );
}

function deadFiles(files: readonly ProjectFile[], imports: readonly Import[]): Finding[] {
  const targets = new Map<string, string[]>();
  for (const entry of imports) {
    if (!entry.specifier.startsWith('.')) continue;
    const list = targets.get(entry.from.path) ?? [];
    list.push(targetOf(entry));
    targets.set(entry.from.path, list);
  }
  const alive = new Set<string>();
  const pending = files.map(({ path }) => path).filter(isEntry);
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (alive.has(path)) continue;
    alive.add(path);
    pending.push(...(targets.get(path) ?? []));
  }
  return files
    .filter(({ path }) => !alive.has(path) && !path.endsWith('.d.ts'))
    .map(({ path }) => ({ file: path, line: 1, text: 'dead: nothing that runs imports it' }));
}

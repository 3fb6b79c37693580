// Finds unused code: files that no run imports, and files and exports of the product that only
// tests and benchmarks import.

import {
  type BindingName,
  isBindingElement,
  isClassDeclaration,
  isExportDeclaration,
  isFunctionDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isNamedExports,
  isTypeAliasDeclaration,
  isVariableStatement,
  type ModifierLike,
  type NodeArray,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Import, targetOf } from './import.ts';
import { type Finding, findingAt, type ProjectFile, walk } from './project.ts';

/** Where the shipped program, its build and its generated documentation start. */
const productEntry =
  /^(src\/(main|client\/index|inspect\/page\/(main|.*-worker))|\.ci\/(build|generate))\.tsx?$/;

/** The module that the package exports for other programs. */
const published = 'src/client/index.ts';

/** Where everything else that runs starts: tests, benchmarks, the scripts of `.ci`. */
const otherEntry =
  /^(bench\/main|test\/(.*\.test|((system\/[a-z-]+|browser|packaging)\/)?run)|\.ci\/[^/]*)\.ts$/;

const isProduct = (path: string): boolean => /^(src|machines|snapshots)\//.test(path);

/** Dead files, and files and exports of the product that the product does not use itself. */
export function unusedFindings(
  files: readonly ProjectFile[],
  imports: readonly Import[],
): Finding[] {
  const local = imports.filter(({ specifier }) => specifier.startsWith('.'));
  const used = reached(files, local, productEntry);
  const alive = reached(files, local, otherEntry);
  const taken = takenNames(local.filter(({ from }) => used.has(from.path)));
  return files.flatMap((file) => {
    const { path } = file;
    if (path.endsWith('.d.ts') || path === published) return [];
    if (used.has(path)) {
      const names = taken.has(path) ? taken.get(path) : new Set<string>();
      return isProduct(path) && names !== undefined ? unusedExports(file, names) : [];
    }
    const text = 'dead: nothing that runs imports it';
    if (!alive.has(path)) return [{ file: path, line: 1, text }];
    if (!isProduct(path)) return [];
    return [{ file: path, line: 1, text: 'only tests or benchmarks import it' }];
  });
}

/** The files that the entries import, with the entries themselves. */
function reached(
  files: readonly ProjectFile[],
  imports: readonly Import[],
  entry: RegExp,
): Set<string> {
  const targets = grouped(imports, ({ from }) => from.path);
  const found = new Set<string>();
  const pending = files.map(({ path }) => path).filter((path) => entry.test(path));
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    pending.push(...(targets.get(path) ?? []).map(targetOf));
  }
  return found;
}

/** Path → the names that imports take of it; undefined where one may take all. */
function takenNames(imports: readonly Import[]): Map<string, Set<string> | undefined> {
  const taken = new Map<string, Set<string> | undefined>();
  for (const [path, list] of grouped(imports, targetOf)) {
    const takesAll = list.some(({ names }) => names === undefined);
    taken.set(path, takesAll ? undefined : new Set(list.flatMap(({ names }) => names ?? [])));
  }
  return taken;
}

function grouped(imports: readonly Import[], keyOf: (entry: Import) => string) {
  const groups = new Map<string, Import[]>();
  for (const entry of imports) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups;
}

/**
 * Exports that no import takes. A type may stay exported where its own file uses it, because other
 * exports of the file take or return it.
 */
function unusedExports(file: ProjectFile, taken: ReadonlySet<string>): Finding[] {
  return file.tree.statements.flatMap((statement) => {
    const isType = isInterfaceDeclaration(statement) || isTypeAliasDeclaration(statement);
    // Tests of a bound read it, and no other code may need to.
    if (/ @bound\b/.test(statement.getFullText(file.tree))) return [];
    return exportedNames(statement)
      .filter((name) => !taken.has(name) && !(isType && mentions(file, name) > 1))
      .map((name) => findingAt(file, statement, `no code that ships imports ${name} from here`));
  });
}

function exportedNames(statement: Statement): string[] {
  if (isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    const isNamed = clause !== undefined && isNamedExports(clause);
    return isNamed ? clause.elements.map(({ name }) => name.text) : [];
  }
  if (
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement)
  ) {
    return isExported(statement) && statement.name !== undefined ? [statement.name.text] : [];
  }
  if (!isVariableStatement(statement) || !isExported(statement)) return [];
  return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
}

function isExported({ modifiers }: { readonly modifiers?: NodeArray<ModifierLike> }): boolean {
  return modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
}

function boundNames(name: BindingName): string[] {
  if (isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) =>
    isBindingElement(element) && element.name !== undefined ? boundNames(element.name) : [],
  );
}

function mentions({ tree }: ProjectFile, name: string): number {
  let count = 0;
  walk(tree, (node) => {
    if (isIdentifier(node) && node.text === name) count += 1;
  });
  return count;
}

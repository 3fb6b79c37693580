// The imports of a file: which file or package each one names, and which of its exports.

import { dirname, join } from 'node:path';
import {
  type ImportClause,
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isNamedExports,
  isNamedImports,
  isNewExpression,
  isObjectBindingPattern,
  isStringLiteral,
  isVariableDeclaration,
  type NamedExportBindings,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type ProjectFile, walk } from './project.ts';

/** One import, export-from, dynamic import or `new URL` of a file. */
export interface Import {
  readonly from: ProjectFile;
  readonly node: Node;
  readonly specifier: string;
  /** Gone at run time. */
  readonly isType: boolean;
  /** The exports it takes; undefined where it may take all of them. */
  readonly names: readonly string[] | undefined;
}

/** Every import that a file makes. */
export function importsOf(from: ProjectFile): Import[] {
  const imports: Import[] = [];
  const add = (
    node: Node,
    specifier: Node | undefined,
    isType: boolean,
    names: Import['names'],
  ): void => {
    if (specifier === undefined || !isStringLiteral(specifier)) return;
    imports.push({ from, node, specifier: specifier.text, isType, names });
  };
  walk(from.tree, (node) => {
    if (isImportDeclaration(node)) {
      const isType = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword;
      add(node, node.moduleSpecifier, isType, importedNames(node.importClause));
    } else if (isExportDeclaration(node)) {
      add(node, node.moduleSpecifier, node.isTypeOnly, exportedNames(node.exportClause));
    } else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword) {
      add(node, node.arguments[0], false, destructuredNames(node));
    } else if (isNewExpression(node) && node.expression.getText(from.tree) === 'URL') {
      add(node, node.arguments?.[0], false, []);
    }
  });
  return imports;
}

/** The file that an import with a relative specifier names. */
export function targetOf({ from, specifier }: Import): string {
  return join(dirname(from.path), specifier);
}

function importedNames(clause: ImportClause | undefined): Import['names'] {
  const bindings = clause?.namedBindings;
  if (bindings === undefined) return clause === undefined ? [] : ['default'];
  return isNamedImports(bindings) ? bindings.elements.map(nameInTarget) : undefined;
}

function exportedNames(clause: NamedExportBindings | undefined): Import['names'] {
  if (clause === undefined || !isNamedExports(clause)) return undefined;
  return clause.elements.map(nameInTarget);
}

/** The names in `const { a, b } = await import(…)`. */
function destructuredNames(call: Node): Import['names'] {
  const declaration = call.parent?.parent;
  if (declaration === undefined || !isVariableDeclaration(declaration)) return undefined;
  const { name } = declaration;
  if (!isObjectBindingPattern(name)) return undefined;
  return name.elements.map((element) => (element.propertyName ?? element.name)?.getText() ?? '');
}

function nameInTarget(element: {
  readonly name: { readonly text: string };
  readonly propertyName?: { readonly text: string } | undefined;
}): string {
  return (element.propertyName ?? element.name).text;
}

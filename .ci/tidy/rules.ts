// The rules that a file can break by itself: its first line, its widths and lengths, its names, its
// docs.

import { basename } from 'node:path';
import {
  isArrowFunction,
  isBindingElement,
  isClassDeclaration,
  isConstructorDeclaration,
  isEnumDeclaration,
  isExportAssignment,
  isFunctionDeclaration,
  isFunctionExpression,
  isGetAccessorDeclaration,
  isIdentifier,
  isInterfaceDeclaration,
  isMethodDeclaration,
  isParameterDeclaration,
  isPropertyDeclaration,
  isSetAccessorDeclaration,
  isTypeAliasDeclaration,
  isVariableDeclaration,
  isVariableStatement,
  type Node,
  type Statement,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { dialectFindings } from './dialect.ts';
import { type Finding, findingAt, lineOf, type ProjectFile, walk } from './project.ts';

/** Lines of a function, its signature and braces included. */
export const functionLinesMax = 70;

/** Columns of a line. */
export const lineColumnsMax = 100;

/** Words that name no thing; a file or symbol called so has no one reason to exist. */
const bannedWords = new Set(['util', 'utils', 'helper', 'helpers', 'manager', 'managers', 'misc']);

/** Everything that one file does wrong by itself. */
export function fileFindings(file: ProjectFile): Finding[] {
  const findings = [...firstLine(file), ...fileName(file), ...wideLines(file)];
  for (const statement of file.tree.statements) findings.push(...exportFindings(file, statement));
  walk(file.tree, (node) => {
    findings.push(
      ...nameFindings(file, node),
      ...lengthFindings(file, node),
      ...dialectFindings(file, node),
    );
  });
  return findings;
}

function firstLine({ path, tree }: ProjectFile): Finding[] {
  const [first = ''] = tree.text.replace(/^#!.*\n/, '').split('\n');
  if (/^\/\/ \S/.test(first)) return [];
  return [{ file: path, line: 1, text: 'must begin with a comment saying why the file exists' }];
}

function fileName({ path }: ProjectFile): Finding[] {
  const stem = basename(path).replace(/(\.test|\.d)?\.[cm]?tsx?$/, '');
  const findings: Finding[] = [];
  if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(stem)) {
    findings.push({ file: path, line: 1, text: 'file names are kebab-case' });
  }
  const banned = stem.split('-').find((word) => bannedWords.has(word));
  if (banned !== undefined) findings.push({ file: path, line: 1, text: bannedText(banned) });
  return findings;
}

/** What cannot be broken does not count: URLs, and the insides of strings outside of comments. */
const unbreakable = /https?:\/\/\S+|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`?/g;

function wideLines({ path, tree }: ProjectFile): Finding[] {
  const findings: Finding[] = [];
  tree.text.split('\n').forEach((line, index) => {
    if (line.length <= lineColumnsMax) return;
    const isComment = /^\s*(\/\/|\/?\*)/.test(line);
    const counted = line.replace(isComment ? /https?:\/\/\S+/g : unbreakable, '');
    if (counted.length <= lineColumnsMax) return;
    findings.push({
      file: path,
      line: index + 1,
      text: `line of ${line.length} columns, at most ${lineColumnsMax}`,
    });
  });
  return findings;
}

function lengthFindings(file: ProjectFile, node: Node): Finding[] {
  if (!isFunctionLike(node)) return [];
  const { tree } = file;
  const lines = lineOf(tree, node.getEnd()) - lineOf(tree, node.getStart(tree)) + 1;
  if (lines <= functionLinesMax) return [];
  return [findingAt(file, node, `function of ${lines} lines, at most ${functionLinesMax}`)];
}

function isFunctionLike(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isGetAccessorDeclaration(node) ||
    isSetAccessorDeclaration(node)
  );
}

function nameFindings(file: ProjectFile, node: Node): Finding[] {
  const name = declaredName(node);
  if (name === undefined) return [];
  const findings: Finding[] = [];
  const banned = wordsOf(name).find((word) => bannedWords.has(word));
  if (banned !== undefined) findings.push(findingAt(file, node, bannedText(banned)));
  if (isInterfaceDeclaration(node) && /^I[A-Z][a-z]/.test(name)) {
    findings.push(findingAt(file, node, `${name}: interfaces carry no I`));
  }
  return findings;
}

function declaredName(node: Node): string | undefined {
  if (
    isVariableDeclaration(node) ||
    isParameterDeclaration(node) ||
    isBindingElement(node) ||
    isFunctionDeclaration(node) ||
    isClassDeclaration(node) ||
    isInterfaceDeclaration(node) ||
    isTypeAliasDeclaration(node) ||
    isEnumDeclaration(node) ||
    isMethodDeclaration(node) ||
    isPropertyDeclaration(node)
  ) {
    return node.name !== undefined && isIdentifier(node.name) ? node.name.text : undefined;
  }
  return undefined;
}

function wordsOf(name: string): readonly string[] {
  const parts = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return parts.map((part) => part.toLowerCase());
}

function bannedText(word: string): string {
  return `"${word}" names no thing; name what it is`;
}

/**
 * Tests explain themselves by their titles; everywhere else an exported symbol has a doc comment.
 */
function exportFindings(file: ProjectFile, statement: Statement): Finding[] {
  if (isExportAssignment(statement)) {
    return [findingAt(file, statement, 'default exports have no name to search for')];
  }
  const kinds = modifierKinds(statement);
  if (kinds.includes(SyntaxKind.DefaultKeyword)) {
    return [findingAt(file, statement, 'default exports have no name to search for')];
  }
  if (!kinds.includes(SyntaxKind.ExportKeyword) || file.path.startsWith('test/')) return [];
  if ((statement.jsDoc?.length ?? 0) > 0 || continuesOverloads(file, statement)) return [];
  return [findingAt(file, statement, 'exported without a doc comment')];
}

function modifierKinds(statement: Statement): readonly SyntaxKind[] {
  if (
    isVariableStatement(statement) ||
    isFunctionDeclaration(statement) ||
    isClassDeclaration(statement) ||
    isInterfaceDeclaration(statement) ||
    isTypeAliasDeclaration(statement) ||
    isEnumDeclaration(statement)
  ) {
    return statement.modifiers?.map(({ kind }) => kind) ?? [];
  }
  return [];
}

/** Whether the statement before it is an overload of the same function: one comment serves all. */
function continuesOverloads({ tree }: ProjectFile, statement: Statement): boolean {
  const before = tree.statements[tree.statements.indexOf(statement) - 1];
  return (
    isFunctionDeclaration(statement) &&
    before !== undefined &&
    isFunctionDeclaration(before) &&
    before.name?.text === statement.name?.text
  );
}

// Test files that share a process must not change what belongs to the process, such as its
// environment, nor measure it.

import {
  isBinaryExpression,
  isDeleteExpression,
  isImportDeclaration,
  isPropertyAccessExpression,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { isShared } from '../../test/runner/alone.ts';
import { importsOf } from './import.ts';
import { type Finding, findingAt, type ProjectFile, walk } from './project.ts';

/** The runner itself, which starts and ends those processes. */
const runner = /^test\/(?:runner\/|run\.ts$)/;

/** Members of `process` that a shared file does not name, each with what is wrong about it. */
const members: Readonly<Record<string, string>> = {
  'process.chdir': 'changes the directory',
  'process.exit': 'ends the process',
  'process.exitCode': 'sets the exit code',
  'process.memoryUsage': 'measures the memory',
};

/** Where the system lists descriptors and memory of the process that reads it. */
const processFile = /^\/proc\/self\/(?:fd|maps|smaps|stat)/;

/** Findings in files of tests, and in those that only tests import. */
export function sharedTestFindings(file: ProjectFile): Finding[] {
  if (!file.path.startsWith('test/')) return [];
  const findings = tapFindings(file);
  if (!isShared(file.path) || runner.test(file.path)) return findings;
  walk(file.tree, (node) => {
    const fault = faultOf(file, node);
    if (fault === undefined) return;
    const text = `${fault}, but shares its process with other test files (test/runner/alone.ts)`;
    findings.push(findingAt(file, node, text));
  });
  return findings;
}

/** Only the test file itself gets a test of its own from tap; what it imports is loaded once. */
function tapFindings(file: ProjectFile): Finding[] {
  if (file.path.endsWith('.test.ts') || runner.test(file.path)) return [];
  return importsOf(file)
    .filter(({ specifier, isType }) => specifier === 'tap' && !isType)
    .map(({ node }) => findingAt(file, node, 'only a .test.ts file imports values from tap'));
}

function faultOf({ tree }: ProjectFile, node: Node): string | undefined {
  if (isPropertyAccessExpression(node)) return members[node.getText(tree)];
  if (isStringLiteral(node) && processFile.test(node.text)) return 'looks at its own process';
  if (isImportDeclaration(node)) {
    const specifier = node.moduleSpecifier;
    const isHeap = isStringLiteral(specifier) && specifier.text === 'node:v8';
    return isHeap ? 'measures the heap' : undefined;
  }
  const isChange =
    (isBinaryExpression(node) && isAssignment(node.operatorToken.kind)) || isDeleteExpression(node);
  if (!isChange) return undefined;
  const target = isDeleteExpression(node) ? node.expression : node.left;
  return target.getText(tree).startsWith('process.env') ? 'changes the environment' : undefined;
}

function isAssignment(kind: SyntaxKind): boolean {
  return kind >= SyntaxKind.FirstAssignment && kind <= SyntaxKind.LastAssignment;
}

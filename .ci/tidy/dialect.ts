// One way to write each thing: private members, names of constants, kinds of errors, generated
// code, the parts of the controller.

import {
  isArrayLiteralExpression,
  isBinaryExpression,
  isIdentifier,
  isImportDeclaration,
  isMethodDeclaration,
  isModuleDeclaration,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyDeclaration,
  isSpreadAssignment,
  isSpreadElement,
  isStringLiteral,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type Finding, findingAt, type ProjectFile } from './project.ts';

/** The one file of the product that compiles functions from text itself. */
const generatedCode = 'src/declare/kinds/compiled.ts';
/** Where the product takes protobufjs, which compiles functions from text, too. */
const messageCodecs = 'src/channel/messages/codec.ts';

/** Findings at a node that is not written like the rest of the project. */
export function dialectFindings(file: ProjectFile, node: Node): Finding[] {
  const text =
    privacy(node) ??
    constantName(node) ??
    errorByName(node) ??
    spreadLiteral(node) ??
    codeGeneration(file, node) ??
    environment(file, node);
  return text === undefined ? [] : [findingAt(file, node, text)];
}

/** Constructors may be private: they cannot be called `#constructor`. */
function privacy(node: Node): string | undefined {
  if (!isPropertyDeclaration(node) && !isMethodDeclaration(node)) return undefined;
  const isHidden = node.modifiers?.some(
    ({ kind }) => kind === SyntaxKind.PrivateKeyword || kind === SyntaxKind.ProtectedKeyword,
  );
  return isHidden ? 'private members are called #name' : undefined;
}

function constantName(node: Node): string | undefined {
  if (!isVariableDeclaration(node) || !isIdentifier(node.name)) return undefined;
  const { text } = node.name;
  return /^[A-Z][A-Z0-9_]+$/.test(text) ? `${text}: constants are camelCase` : undefined;
}

const comparisons: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.EqualsEqualsEqualsToken,
  SyntaxKind.ExclamationEqualsEqualsToken,
]);

function errorByName(node: Node): string | undefined {
  if (!isBinaryExpression(node) || !isPropertyAccessExpression(node.left)) return undefined;
  const { left, operatorToken, right } = node;
  if (!comparisons.has(operatorToken.kind)) return undefined;
  const isClassName = isStringLiteral(right) && /^([A-Z][a-z]+){2,}$/.test(right.text);
  if (left.name.text !== 'name' || !isClassName) return undefined;
  return 'errors are told apart by class, with instanceof';
}

/** A literal that is spread where it could stand only keeps the formatter from breaking lines. */
function spreadLiteral(node: Node): string | undefined {
  const isLiteral =
    (isSpreadAssignment(node) && isObjectLiteralExpression(node.expression)) ||
    (isSpreadElement(node) && isArrayLiteralExpression(node.expression));
  return isLiteral ? 'a literal is written out, not spread' : undefined;
}

function codeGeneration({ path }: ProjectFile, node: Node): string | undefined {
  if (!/^(src|machines|snapshots)\//.test(path)) return undefined;
  if (isNewExpression(node) && isIdentifier(node.expression)) {
    const isFunction = node.expression.text === 'Function' && path !== generatedCode;
    return isFunction ? `only ${generatedCode} generates code` : undefined;
  }
  if (!isImportDeclaration(node) || !isStringLiteral(node.moduleSpecifier)) return undefined;
  const isType = node.importClause?.phaseModifier === SyntaxKind.TypeKeyword;
  const isCompiler = /^protobufjs(\/|$)/.test(node.moduleSpecifier.text);
  if (isType || !isCompiler || path === messageCodecs) return undefined;
  return `only ${messageCodecs} imports protobufjs, which generates code`;
}

/**
 * A layer reaches only the parts that it names. Code that knew all parts of the controller, or
 * added members to a type of another file, could reach any part from anywhere.
 */
function environment({ path }: ProjectFile, node: Node): string | undefined {
  if (isModuleDeclaration(node) && isStringLiteral(node.name) && path.startsWith('src/')) {
    return 'nothing is merged into another module: a layer names what it may use in its context.ts';
  }
  const isAll = isIdentifier(node) && node.text === 'ControllerEnvironment';
  if (!isAll || /^(src\/assembly|test)\//.test(path)) return undefined;
  return 'only src/assembly/ and tests know all parts of the controller';
}

// The literals of a comparison in the form in which values of a symbol's type are compared.

import { hash } from 'node:crypto';
import { type ComparisonNode, frozen } from './nodes.ts';
import { withNumbersAsTexts } from './number-texts.ts';
import type { ValueType } from './scope.ts';

/**
 * A comparison as it is made with values of a type: numbers become texts beside texts, and texts
 * become hashes beside hashes (behaviour/filters#types).
 */
export function comparedAs(node: ComparisonNode, type: ValueType): ComparisonNode {
  switch (type) {
    case 'string':
      return withNumbersAsTexts(node);
    case 'hashed':
      return withHashes(withNumbersAsTexts(node));
    case 'integer':
    case 'boolean':
    case 'datetime':
      return node;
  }
}

/** SHA-256 in base64url: the form in which records hold tokens that they are found by. */
function hashOf(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Other operators find nothing in hashes, and `valueTest` refuses them. */
function withHashes(node: ComparisonNode): ComparisonNode {
  if (node.kind === 'equal' && node.right.kind === 'string') {
    const { right } = node;
    return frozen({ ...node, right: frozen({ ...right, value: hashOf(right.value) }) });
  }
  if (node.kind === 'in' && node.right.type === 'string') {
    const { right } = node;
    return frozen({ ...node, right: frozen({ ...right, values: right.values.map(hashOf) }) });
  }
  return node;
}

// Numbers that are compared with strings: they count as the text that the filter writes
// (behaviour/filters#types).

import { type ComparisonNode, frozen } from './nodes.ts';

/**
 * A comparison with a string symbol, its numbers replaced by their texts; the same node if there
 * are none. Bounds of `between` stay numbers, which no string symbol supports.
 */
export function withNumbersAsTexts(node: ComparisonNode): ComparisonNode {
  switch (node.kind) {
    case 'equal':
    case 'order': {
      if (node.right.kind !== 'number') return node;
      const { position, text } = node.right;
      return frozen({ ...node, right: frozen({ kind: 'string', position, value: text }) });
    }
    case 'in': {
      if (node.right.type !== 'number') return node;
      const { kind, position, texts } = node.right;
      return frozen({ ...node, right: frozen({ kind, position, type: 'string', values: texts }) });
    }
    case 'between':
    case 'contains':
      return node;
  }
}

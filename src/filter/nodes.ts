// The syntax tree of a filter as frozen data: one node type per construct of the language.

/** The common part of all nodes. */
interface NodeBase {
  /** Number of characters before it; for `and` and `or`, before their first operand. */
  readonly position: number;
}

/** A complete query: condition, order and page. */
export interface QueryNode extends NodeBase {
  readonly kind: 'query';
  /** Undefined for everything. */
  readonly condition: ConditionNode | undefined;
  /** Empty without `sort by`. */
  readonly sort: readonly SortKeyNode[];
  /** Whole, may be negative. */
  readonly skip: number | undefined;
  /** Whole, may be negative. */
  readonly limit: number | 'none' | undefined;
}

/** `name desc` */
export interface SortKeyNode extends NodeBase {
  readonly kind: 'sortKey';
  readonly name: string;
  readonly isDescending: boolean;
}

/** A condition that is true or false for a thing. */
export type ConditionNode =
  | ChainNode
  | NotNode
  | TruthNode
  | FlagNode
  | IsEmptyNode
  | ComparisonNode;

/**
 * `a and b and c`: two or more operands. `a and b or c` is an `and` whose last operand is an `or`
 * (behaviour/filters#precedence).
 */
export interface ChainNode extends NodeBase {
  readonly kind: 'and' | 'or';
  readonly operands: readonly ConditionNode[];
}

/** `not a` */
export interface NotNode extends NodeBase {
  readonly kind: 'not';
  readonly operand: ConditionNode;
}

/** `true` or `false` as a condition. */
export interface TruthNode extends NodeBase {
  readonly kind: 'truth';
  readonly value: boolean;
}

/** A boolean symbol as a condition. */
export interface FlagNode extends NodeBase {
  readonly kind: 'flag';
  readonly name: string;
}

/** `isEmpty(roleAttributes)` */
export interface IsEmptyNode extends NodeBase {
  readonly kind: 'isEmpty';
  readonly set: SetNode;
}

/** A value against one or several others. */
export type ComparisonNode = EqualNode | OrderNode | InNode | BetweenNode | ContainsNode;

/** `name = "x"`, `name != null` */
export interface EqualNode extends NodeBase {
  readonly kind: 'equal';
  readonly left: LeftNode;
  readonly isNegated: boolean;
  readonly right: LiteralNode;
}

/** Names of the ordering operators. */
export type OrderOperator = '<' | '<=' | '>' | '>=';

/** `cost < 10` */
export interface OrderNode extends NodeBase {
  readonly kind: 'order';
  readonly left: LeftNode;
  readonly operator: OrderOperator;
  /** A string, a number or a moment. */
  readonly right: LiteralNode;
}

/** `id in ["a", "b"]` */
export interface InNode extends NodeBase {
  readonly kind: 'in';
  readonly left: LeftNode;
  readonly isNegated: boolean;
  readonly right: ArrayNode;
}

/** `cost between 1 and 10`: the upper bound is excluded. */
export interface BetweenNode extends NodeBase {
  readonly kind: 'between';
  readonly left: LeftNode;
  readonly isNegated: boolean;
  /** A number or a moment, like `upper`. */
  readonly lower: LiteralNode;
  readonly upper: LiteralNode;
}

/** `name contains "x"`, `name icontains "X"` */
export interface ContainsNode extends NodeBase {
  readonly kind: 'contains';
  readonly left: LeftNode;
  readonly isNegated: boolean;
  /** Whether case does not matter. */
  readonly isFolded: boolean;
  /** A string, or a number where case matters. */
  readonly right: LiteralNode;
}

/** The left operand of an operator. */
export type LeftNode = NameNode | EveryNode | CountNode;

/** A symbol or a linked set. */
export interface NameNode extends NodeBase {
  readonly kind: 'name';
  readonly name: string;
}

/** `anyOf(roleAttributes)` or `allOf(roleAttributes)`: the comparison holds for some or all. */
export interface EveryNode extends NodeBase {
  readonly kind: 'anyOf' | 'allOf';
  readonly set: NameNode;
}

/** `count(roleAttributes)` */
export interface CountNode extends NodeBase {
  readonly kind: 'count';
  readonly set: SetNode;
}

/** The operand of `count` and `isEmpty`. */
export type SetNode = NameNode | FromNode;

/** `from servicePolicies where type = "Dial"` */
export interface FromNode extends NodeBase {
  readonly kind: 'from';
  readonly set: NameNode;
  readonly query: QueryNode;
}

/** A literal of a filter; moments are ms since the epoch. */
export type LiteralNode =
  | (NodeBase & { readonly kind: 'string'; readonly value: string })
  | (NodeBase & {
      readonly kind: 'number';
      readonly value: number;
      /** As it is written: a number beyond 2^53 has more digits than its value. */
      readonly text: string;
    })
  | (NodeBase & { readonly kind: 'datetime'; readonly value: number })
  | (NodeBase & { readonly kind: 'boolean'; readonly value: boolean })
  | (NodeBase & { readonly kind: 'null'; readonly value: null });

/** One or more values of one type. */
export type ArrayNode = NodeBase & { readonly kind: 'array' } & (
    | { readonly type: 'string'; readonly values: readonly string[] }
    | {
        readonly type: 'number';
        readonly values: readonly number[];
        /** Each value as it is written. */
        readonly texts: readonly string[];
      }
    | { readonly type: 'datetime'; readonly values: readonly number[] }
  );

/** Freezes a node. */
export function frozen<const N extends NodeBase>(node: N): N {
  return Object.freeze(node);
}

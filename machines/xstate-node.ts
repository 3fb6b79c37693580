// The few internal types of an XState 5 machine that the compiler reads; the only file that relies
// on them.

/** A transition as XState keeps it in `StateNode.transitions`. */
export interface Transition {
  readonly guard: unknown;
  readonly target: readonly Node[] | undefined;
  readonly actions: readonly unknown[];
}

/** A state node. */
export interface Node {
  readonly key: string;
  readonly type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history';
  readonly path: readonly string[];
  readonly parent: Node | undefined;
  readonly states: Readonly<Record<string, Node>>;
  readonly initial:
    | { readonly target: readonly Node[]; readonly actions: readonly unknown[] }
    | undefined;
  readonly transitions: ReadonlyMap<string, readonly Transition[]>;
  readonly entry: readonly unknown[];
  readonly exit: readonly unknown[];
  readonly invoke: readonly unknown[];
  readonly after: readonly unknown[];
  readonly always: readonly unknown[] | undefined;
  readonly config: { readonly onDone?: unknown; readonly route?: unknown };
}

/** The implementations that were passed to `setup({guards, actions})`. */
export interface Implementations {
  readonly guards: Readonly<Record<string, unknown>>;
  readonly actions: Readonly<Record<string, unknown>>;
}

/** A machine's root node, its context and its implementations. */
export function asNode(machine: unknown): {
  readonly root: Node;
  readonly context: unknown;
  readonly implementations: Implementations;
} {
  const { root, config, implementations } = machine as {
    readonly root: Node;
    readonly config: { readonly context?: unknown };
    readonly implementations: Implementations;
  };
  return { root, context: config.context, implementations };
}

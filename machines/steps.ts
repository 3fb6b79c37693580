// Converts actions, once, into steps: each either assigns record fields or yields effects.

import type { EffectMethod, MachineEvent, MachineRecord } from './machine.ts';

/** The arguments of guards, assigns and params functions, as in XState. */
export interface StepArguments {
  readonly context: MachineRecord;
  readonly event: MachineEvent;
}

/** Some of a record's fields. */
export type Patch = Readonly<Record<string, unknown>>;

/** One action. It has exactly one of `assign` and `effect`. */
export interface Step {
  /** The action's name; empty for an inline assign. */
  readonly name: string;
  readonly assign: ((arguments_: StepArguments, params: unknown) => Patch) | undefined;
  readonly effect: EffectMethod | undefined;
  /** A value, or the function that returns one. */
  readonly params: unknown;
}

/** Calls back with the reason an action can't be compiled; never returns. */
type Problem = (reason: string) => never;

/** The steps of an action list. */
export function readSteps(
  actions: readonly unknown[],
  named: Readonly<Record<string, unknown>>,
  effects: Readonly<Record<string, EffectMethod>>,
  problem: Problem,
): readonly Step[] {
  return actions.map((action) => readStep(action, named, effects, problem));
}

/** The error code when `actions` is the one action `refuse`; undefined when none of them is. */
export function refusalOf(actions: readonly unknown[], problem: Problem): string | undefined {
  const refusal = actions.find((action) => nameOf(action) === 'refuse');
  if (refusal === undefined) return undefined;
  if (actions.length > 1) problem("'refuse' must be the only action");
  const { params } = refusal as { readonly params?: { readonly code?: unknown } };
  if (typeof params?.code !== 'string') problem("'refuse' needs params {code: string}");
  return params.code;
}

function readStep(
  action: unknown,
  named: Readonly<Record<string, unknown>>,
  effects: Readonly<Record<string, EffectMethod>>,
  problem: Problem,
): Step {
  if (typeof action === 'function') {
    const assign = readAssign(action, problem);
    if (assign === undefined) problem('an inline action that is no assign');
    return { name: '', assign, effect: undefined, params: undefined };
  }
  const name = nameOf(action);
  if (name === 'refuse') problem("'refuse' belongs into a transition of its own");
  const params =
    typeof action === 'object' ? (action as { readonly params?: unknown }).params : undefined;
  const effect = Object.hasOwn(effects, name) ? effects[name] : undefined;
  const assign = readAssign(named[name], problem);
  if (assign !== undefined && effect !== undefined) {
    problem(`action '${name}' is both an assign and an effect`);
  }
  if (assign === undefined && effect === undefined) {
    problem(`action '${name}' has neither an effect nor an assign`);
  }
  return { name, assign, effect, params };
}

function nameOf(action: unknown): string {
  if (typeof action === 'string') return action;
  if (typeof action === 'object' && action !== null && 'type' in action) return String(action.type);
  return '';
}

/** The function in an `assign(…)`; undefined when `action` is a plain function or absent. */
function readAssign(action: unknown, problem: Problem): Step['assign'] {
  if (typeof action !== 'function' || !('resolve' in action)) return undefined;
  const { type, assignment } = action as { readonly type?: string; readonly assignment?: unknown };
  if (type !== 'xstate.assign') problem(`the built-in action '${type}'`);
  if (typeof assignment === 'function') return assignment as NonNullable<Step['assign']>;
  const entries = Object.entries(assignment as Patch);
  return (arguments_, params) => {
    const patch: Record<string, unknown> = {};
    for (const [field, value] of entries) {
      patch[field] = typeof value === 'function' ? value(arguments_, params) : value;
    }
    return patch;
  };
}

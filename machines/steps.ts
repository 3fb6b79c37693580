// Converts guards and actions, once, into plain functions of record and event: a guard decides
// whether a branch is taken, a step either assigns record fields or yields effects.

import type { EffectMethod, MachineEvent, MachineRecord } from './machine.ts';

/** The arguments of guards and assigns, as in XState. */
export interface StepArguments {
  readonly context: MachineRecord;
  readonly event: MachineEvent;
}

/** Some of a record's fields. */
export type Patch = Readonly<Record<string, unknown>>;

/** Whether a branch is taken. */
export interface Guard {
  /** The guard's text in a diagram: its name and its parameters. */
  readonly label: string;
  readonly passes: (given: StepArguments) => boolean;
}

/** One action. It has exactly one of `assign` and `effect`. */
export interface Step {
  /** The action's name; empty for an inline assign. */
  readonly name: string;
  readonly assign: ((given: StepArguments) => Patch) | undefined;
  readonly effect: EffectMethod | undefined;
}

/** Calls back with the reason a guard or an action can't be compiled; never returns. */
type Problem = (reason: string) => never;

/** The predicate behind an XState guard, which has a name and possibly fixed params. */
export function readGuard(
  guard: unknown,
  named: Readonly<Record<string, unknown>>,
  problem: Problem,
): Guard | undefined {
  if (guard === undefined) return undefined;
  if (typeof guard === 'function') problem('a guard without a name');
  const { type, params } = (typeof guard === 'string' ? { type: guard } : guard) as {
    readonly type: string;
    readonly params?: unknown;
  };
  const test = Object.hasOwn(named, type) ? named[type] : undefined;
  if (test === undefined) problem(`unknown guard '${type}'`);
  if (typeof test !== 'function' || 'check' in test) problem(`'${type}' is made of other guards`);
  if (typeof params === 'function') problem(`'${type}' has params that are not fixed`);
  const label = params === undefined ? type : `${type} ${inWords(params)}`;
  return { label, passes: (given) => test(given, params) };
}

/** Parameters in words: `as COULD_NOT_PARSE_BODY`. */
function inWords(params: unknown): string {
  return Object.entries(params ?? {})
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
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

/** The step of an action that is not `refuse`. */
export function readStep(
  action: unknown,
  named: Readonly<Record<string, unknown>>,
  effects: Readonly<Record<string, EffectMethod>>,
  problem: Problem,
): Step {
  if (typeof action === 'function') {
    const assign = readAssign(action, problem);
    if (assign === undefined) problem('an inline action that is no assign');
    return { name: '', assign, effect: undefined };
  }
  const name = nameOf(action);
  if (typeof action === 'object') problem(`action '${name}' has params`);
  const effect = Object.hasOwn(effects, name) ? effects[name] : undefined;
  const assign = readAssign(named[name], problem);
  if (assign !== undefined && effect !== undefined) {
    problem(`action '${name}' is both an assign and an effect`);
  }
  if (assign === undefined && effect === undefined) {
    problem(`action '${name}' has neither an effect nor an assign`);
  }
  return { name, assign, effect };
}

/** The name of an action; empty for an inline one. */
export function nameOf(action: unknown): string {
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
  return (given) => {
    const patch: Record<string, unknown> = {};
    for (const [field, value] of entries) {
      patch[field] = typeof value === 'function' ? value(given) : value;
    }
    return patch;
  };
}

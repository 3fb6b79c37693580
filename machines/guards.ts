// Converts guards, once, into plain functions of (record, event).

import { and, not, or } from 'xstate';
import type { StepArguments } from './steps.ts';

/** Whether a branch is taken. */
export interface Guard {
  /** The guard's text in a diagram: its name, or the guards that it is made of. */
  readonly label: string;
  readonly passes: (arguments_: StepArguments) => boolean;
}

type Problem = (reason: string) => never;
type Guards = Readonly<Record<string, unknown>>;
type Predicate = (arguments_: StepArguments, params: unknown) => boolean;

/**
 * The predicate behind an XState guard: named, with params, inline, or made of `and`, `or` and
 * `not`.
 */
export function readGuard(guard: unknown, named: Guards, problem: Problem): Guard | undefined {
  return guard === undefined ? undefined : read(guard, named, problem);
}

function read(guard: unknown, named: Guards, problem: Problem): Guard {
  if (typeof guard === 'function') {
    if ('check' in guard) return combine(guard, named, problem);
    return { label: 'condition', passes: plain(guard as Predicate) };
  }
  const { type, params } =
    typeof guard === 'string'
      ? { type: guard, params: undefined }
      : (guard as { readonly type: string; readonly params?: unknown });
  const implementation = Object.hasOwn(named, type) ? named[type] : undefined;
  if (implementation === undefined) problem(`unknown guard '${type}'`);
  if (typeof implementation !== 'function' || 'check' in implementation) {
    return { label: type, passes: read(implementation, named, problem).passes };
  }
  const test = implementation as Predicate;
  if (params === undefined) return { label: type, passes: plain(test) };
  const label = typeof params === 'function' ? type : `${type} ${inWords(params)}`;
  const passes =
    typeof params === 'function'
      ? (arguments_: StepArguments) => test(arguments_, params(arguments_))
      : (arguments_: StepArguments) => test(arguments_, params);
  return { label, passes };
}

/** Parameters in words: `as COULD_NOT_PARSE_BODY`. */
function inWords(params: unknown): string {
  if (typeof params !== 'object' || params === null) return JSON.stringify(params);
  return Object.entries(params)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function plain(test: Predicate): Guard['passes'] {
  return (arguments_) => test(arguments_, undefined);
}

function combine(guard: object, named: Guards, problem: Problem): Guard {
  const { check, guards } = guard as {
    readonly check: unknown;
    readonly guards?: readonly unknown[];
  };
  const parts = (guards ?? []).map((part) => read(part, named, problem));
  const labels = parts.map((part) => part.label);
  const [first] = parts;
  if (check === checkOf(not('')) && first !== undefined) {
    return { label: `not ${first.label}`, passes: (given) => !first.passes(given) };
  }
  if (check === checkOf(and([]))) {
    const passes: Guard['passes'] = (given) => parts.every((part) => part.passes(given));
    return { label: `(${labels.join(' and ')})`, passes };
  }
  if (check === checkOf(or([]))) {
    const passes: Guard['passes'] = (given) => parts.some((part) => part.passes(given));
    return { label: `(${labels.join(' or ')})`, passes };
  }
  return problem('a built-in guard other than and, or and not');
}

function checkOf(guard: unknown): unknown {
  return (guard as { readonly check: unknown }).check;
}

// Decides an event by a compiled table. This is the hot path: no XState, no search, and no
// allocation except for the answer.

import type { Effect, MachineEvent, MachineRecord } from './machine.ts';
import type { Patch, StepArguments } from './steps.ts';
import type { CompiledMachine, Decision, Moved, Outcome } from './table.ts';

/** A record's state is not one of its machine's: a broken invariant, not a caller's mistake. */
class UnknownState extends Error {
  override readonly name = 'UnknownState';
  constructor(kind: string, state: string) {
    super(`machine ${kind} has no state '${state}'`);
  }
}

/**
 * The machine's decision on `event`. `record` is undefined when there is none yet.
 * @throws UnknownState when the record's state is not in the table.
 */
export function decide(
  table: CompiledMachine,
  record: MachineRecord | undefined,
  event: MachineEvent,
): Decision {
  const from = record === undefined ? table.initial : record.state;
  const row = table.rows.get(from);
  if (row === undefined) throw new UnknownState(table.kind, from);
  const cell = row.cells.get(event.type);
  if (cell === undefined) return row.unhandled;
  if (cell.always !== undefined) return cell.always;
  const given: StepArguments = { context: record ?? table.blank, event };
  let index = 0;
  for (let i = 0; i < cell.choices.length; i++) {
    const { branches, stride } = cell.choices[i] as (typeof cell.choices)[number];
    let branch = 0;
    for (; branch < branches.length; branch++) {
      const guard = branches[branch]?.guard;
      if (guard === undefined || guard.passes(given)) break;
    }
    index += branch * stride;
  }
  const outcome = cell.outcomes[index] as Outcome;
  return outcome.constant ?? carryOut(outcome, from, given);
}

const noEffects: readonly Effect[] = Object.freeze([]);
const noPatch: Patch = Object.freeze({});

/** Later steps see what earlier ones assigned, as in XState. */
function carryOut(outcome: Outcome, from: string, first: StepArguments): Moved {
  let given = first;
  let patch = noPatch;
  let effects = noEffects;
  const { steps } = outcome;
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as (typeof steps)[number];
    if (step.assign !== undefined) {
      const assigned = step.assign(given);
      patch = patch === noPatch ? assigned : { ...patch, ...assigned };
      if (i + 1 < steps.length) {
        given = { context: { ...given.context, ...assigned }, event: given.event };
      }
    } else if (step.effect !== undefined) {
      const more = step.effect(given.context, given.event);
      effects = effects === noEffects ? more : [...effects, ...more];
    }
  }
  return { kind: 'moved', from, state: outcome.state, final: outcome.final, patch, effects };
}

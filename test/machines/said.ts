// Reads a decision as one line of text, so that a row of the state table is one comparison.

import { compile } from '../../machines/compile.ts';
import { decide } from '../../machines/decide.ts';
import type { DurableMachine, MachineEvent, MachineRecord } from '../../machines/machine.ts';
import type { Decision } from '../../machines/table.ts';

/** Asks one machine: `ask(record, event)`. Records and events are written down without ceremony. */
export function asking(durable: DurableMachine) {
  const table = compile(durable);
  return <E extends { readonly type: string }>(record: object | undefined, event: E): Decision => {
    const timed: MachineEvent = { now: 0, ...event };
    return decide(table, record as MachineRecord | undefined, timed);
  };
}

/** `a -> b`, `a -> (deleted)`, `a refuses CODE`, `a ignores it`. */
export function said(decision: Decision): string {
  if (decision.kind === 'refused') return `${decision.from} refuses ${decision.code}`;
  if (decision.kind === 'unhandled') return `${decision.from} ignores it`;
  return `${decision.from} -> ${decision.final ? '(deleted)' : decision.state}`;
}

/** The fields a decision changes; empty unless the event was taken. */
export function patchOf(decision: Decision): object {
  return decision.kind === 'moved' ? decision.patch : {};
}

// Compares a compiled table with XState's own answers, which stay authoritative.

import assert from 'node:assert/strict';
import { type AnyMachineSnapshot, transition } from 'xstate';
import { compile } from '../../machines/compile.ts';
import { decide } from '../../machines/decide.ts';
import type { DurableMachine, MachineEvent, MachineRecord } from '../../machines/machine.ts';
import type { CompiledMachine, TableRow } from '../../machines/table.ts';
import * as fc from '../properties.ts';
import { arbitrariesOf, type MachineArbitraries } from './arbitraries.ts';

/**
 * Every state × every event, `runs` times with arbitrary records and events. Answers how many pairs
 * those are.
 */
export function assertAgreement(
  durable: DurableMachine,
  runs: number,
  { record, events }: MachineArbitraries = arbitrariesOf(durable),
): number {
  const table = compile(withRecordedEffects(durable));
  const taken = new Set([...table.rows.values()].flatMap((row) => [...row.cells.keys()]));
  assert.deepEqual(Object.keys(events).sort(), [...taken].sort(), 'an arbitrary for every event');
  let pairs = 0;
  for (const row of table.rows.values()) {
    if (row.final) continue;
    for (const [type, event] of Object.entries(events)) {
      pairs++;
      const property = fc.property(record, event, (one, other) => {
        compare(durable, table, row, one, other);
      });
      const where = `${durable.machine.id}: ${type} in ${row.state}`;
      try {
        fc.assert(property, { numRuns: runs });
      } catch (error) {
        const message = error instanceof Error ? error.message : error;
        throw new Error(`${where}: ${message}`, { cause: error });
      }
    }
  }
  return pairs;
}

function compare(
  durable: DurableMachine,
  table: CompiledMachine,
  row: TableRow,
  given: MachineRecord,
  event: MachineEvent,
): void {
  const isNew = row.state === table.initial;
  const record = isNew ? undefined : Object.freeze({ ...given, state: row.state });
  const context = record ?? table.blank;
  const decision = decide(table, record, Object.freeze(event));

  const before: AnyMachineSnapshot = durable.machine.resolveState({
    value: toValue(row.state, table),
    context: { ...context },
  });
  const [after, actions] = transition(durable.machine, before, event);
  const did = actions.map((action) => [action.type, action.params ?? null]);

  assert.equal(decision.from, row.state);
  if (decision.kind === 'moved') {
    assert.deepEqual(after.value, toValue(decision.state, table));
    assert.deepEqual(after.context, { ...context, ...decision.patch });
    assert.equal(after.status === 'done', decision.final);
    const effects = decision.effects.map(({ kind }) => [kind, null]);
    assert.deepEqual(did, effects);
    return;
  }
  assert.deepEqual(after.value, before.value);
  assert.deepEqual(after.context, before.context);
  const refusals = decision.kind === 'refused' ? [['refuse', { code: decision.code }]] : [];
  assert.deepEqual(did, refusals);
}

/** Effects that only tell which action ran, as XState reports it. */
function withRecordedEffects(durable: DurableMachine): DurableMachine {
  const effects = Object.fromEntries(
    Object.keys(durable.effects ?? {}).map((name) => [
      name,
      (_: MachineRecord, event: MachineEvent) => [{ kind: name, id: '', event }],
    ]),
  );
  return { ...durable, effects };
}

/** Regions that the text of the state does not name are absent. */
function toValue(state: string, { initial }: CompiledMachine): string | Record<string, string> {
  if (!initial.includes(':')) return state;
  const regions = initial.split(',').map((pair) => [pair.split(':')[0], 'absent']);
  const named = state.split(',').map((pair) => pair.split(':'));
  return Object.fromEntries([...regions, ...named]);
}

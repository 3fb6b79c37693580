// The events of a machine never lead to a record that the machine reports as faulty.

import t from 'tap';
import { compile } from '../../machines/compile.ts';
import { decide } from '../../machines/decide.ts';
import { machines } from '../../machines/index.ts';
import type { DurableMachine, MachineEvent, MachineRecord } from '../../machines/machine.ts';
import * as fc from '../properties.ts';
import { arbitrariesOf } from './arbitraries.ts';

/** The record that events lead to; undefined where there is none. */
function after(
  durable: DurableMachine,
  events: readonly MachineEvent[],
): MachineRecord | undefined {
  const table = compile(durable);
  let record: MachineRecord | undefined;
  for (const event of events) {
    const decision = decide(table, record, event);
    if (decision.kind !== 'moved') continue;
    const { state, patch, final } = decision;
    record = final ? undefined : { ...record, ...patch, id: 'r', state };
  }
  return record;
}

for (const durable of machines) {
  const { faultOf } = durable;
  if (faultOf === undefined) continue;
  t.test(durable.machine.id, async (t) => {
    const { events, record } = arbitrariesOf(durable);
    const walk = fc.array(fc.oneof(...Object.values(events)), { maxLength: 20 });
    fc.assert(
      fc.property(walk, (taken) => {
        const reached = after(durable, taken);
        return reached === undefined || faultOf(reached) === undefined;
      }),
      { numRuns: 2000 },
    );
    let faults = 0;
    fc.assert(
      fc.property(record, (any) => {
        const fault = faultOf(any);
        if (fault?.patch === undefined) return true;
        faults++;
        return faultOf({ ...any, ...fault.patch }) === undefined;
      }),
      { numRuns: 2000 },
    );
    t.ok(faults > 0 || durable.machine.id === 'enrollment', 'what it can mend is whole afterwards');
  });
}

// The cost of deciding an event of a machine, as each request that changes a state does it.

import { apiSession } from '../../machines/api-session.ts';
import { compile } from '../../machines/compile.ts';
import { decide } from '../../machines/decide.ts';
import { identity } from '../../machines/identity.ts';
import type { DurableMachine, MachineEvent, MachineRecord } from '../../machines/machine.ts';
import type { Micro } from './micro.ts';

const deciding = (
  name: string,
  title: string,
  machine: DurableMachine,
  record: MachineRecord,
  event: MachineEvent,
): Micro => ({
  name: `events-${name}`,
  title: `machine decides, ${title}`,
  unit: 'event',
  prepare() {
    const table = compile(machine);
    const steps = 1000;
    return () => {
      let moved = 0;
      for (let i = 0; i < steps; i++) if (decide(table, record, event).kind === 'moved') moved++;
      if (moved !== steps) throw new Error(`${title}: ${moved} of ${steps} events moved`);
      return steps;
    };
  },
});

const now = Date.UTC(2026, 10, 21);

const partial = {
  id: 'a',
  state: 'partial',
  isMfaRequired: true,
  isMfaComplete: false,
  lastActivityAt: now,
} as MachineRecord;

const disabled = { id: 'a', state: 'enabled', disabledAt: undefined } as MachineRecord;

/** The micro-benches of machines. */
export const eventMicros: readonly Micro[] = [
  deciding('second-factor', 'an API session gets its second factor', apiSession, partial, {
    type: 'completeSecondFactor',
    now,
    factor: 'totp',
    secondFactorRequired: false,
  } as MachineEvent),
  deciding('disable', 'an identity is disabled', identity, disabled, {
    type: 'disable',
    now,
    durationMinutes: 0,
  } as MachineEvent),
];

// Machines and transitions for tests of the page.

import type { MachineView, RecordChange, Transition } from '../../src/inspect/messages.ts';

export const door: MachineView = {
  id: 'door',
  name: 'door',
  isLive: false,
  isVolatile: false,
  states: ['none', 'shut', 'open', 'gone'],
  finals: ['gone'],
  meanings: { none: 'over', shut: 'waiting', open: 'good', gone: 'over' },
  guards: { unlocked: 'nobody locked it', locked: '', windy: '', late: '' },
  initial: 'none',
  regions: [{ name: '', initial: 'none', states: ['none', 'shut', 'open', 'gone'] }],
  transitions: [
    { from: 'none', event: 'build', to: 'shut' },
    { from: 'shut', event: 'push', to: 'open', guarded: 'unlocked' },
    { from: 'shut', event: 'push', to: 'shut', guarded: 'locked', refused: 'LOCKED' },
    { from: 'shut', event: 'knock', to: 'shut' },
    { from: 'open', event: 'push', to: 'shut', guarded: 'windy' },
    { from: 'open', event: 'push', to: 'shut', guarded: 'late' },
    { from: 'open', event: 'pull', to: 'shut' },
    { from: 'open', event: 'remove', to: 'gone' },
  ],
  total: 101,
  counts: { shut: 100, open: 1, jammed: 0 },
};

export function transition(given: Partial<Transition>): Transition {
  return {
    lsn: 1,
    timeMs: 0,
    kind: 'door',
    id: 'd1',
    event: 'push',
    from: 'shut',
    to: 'open',
    actor: 'a1',
    actorName: 'admin',
    operation: 'push',
    requestId: 'r1',
    causeLsn: 0,
    ...given,
  };
}

export function change(given: Partial<RecordChange>): RecordChange {
  return {
    lsn: 1,
    timeMs: 0,
    change: 'updated',
    fields: {},
    actor: 'a1',
    actorName: 'admin',
    operation: 'paint',
    requestId: 'r1',
    causeLsn: 0,
    ...given,
  };
}

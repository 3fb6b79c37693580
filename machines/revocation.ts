// The life of a revocation: it stands until the last token that it concerns is dead.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, NewFields, Timed } from './machine.ts';

/** The fields of a revocation that its machine sets. */
export interface RevocationRecord extends MachineRecord {
  /** Wall-clock ms at which no token can be good any more that it concerns. */
  readonly expiresAt: number;
}

/** Events of a revocation. */
export type RevocationEvent = Timed<
  | { readonly type: 'revoke'; readonly fields: NewFields<RevocationRecord> }
  | { readonly type: 'expire' }
  /** Its home is repaired, or it is removed with others. */
  | { readonly type: 'remove' }
>;

const machine = setup({
  types: { context: {} as RevocationRecord, events: {} as RevocationEvent },
  guards: { isOver: ({ context: { expiresAt }, event }) => expiresAt <= event.now },
}).createMachine({
  id: 'revocation',
  context: {} as RevocationRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        revoke: {
          target: 'standing',
          actions: assign(({ event }) => event.fields),
        },
      },
    },
    standing: {
      on: {
        // Revoking again restarts the time.
        revoke: {
          actions: assign(({ event }) => event.fields),
        },
        expire: [{ guard: 'isOver', target: 'ended' }, {}],
        remove: 'ended',
      },
    },
    ended: { type: 'final' },
  },
});

/** The life of a revocation (behaviour/revocations). */
export const revocation: DurableMachine<typeof machine> = {
  machine,
  meanings: { none: 'over', standing: 'good', ended: 'over' },
  guards: { isOver: 'no token that it concerns can be good any more' },
  deadline: { event: 'expire', at: ({ expiresAt }: RevocationRecord) => expiresAt },
};

// The life of a key that signs tokens: it is announced to those that verify, then it signs, and in
// the end it only verifies what it has signed.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  sendTo,
  type Timed,
} from './machine.ts';

/** The fields of a token key that its machine reads or sets. */
export interface TokenKeyRecord extends MachineRecord {
  /** Sealed, PKCS#8; absent once it signs no more. */
  readonly privateKey: string | undefined;
  /** The key that stops signing when this one begins; absent for the first key. */
  readonly replaces: string | undefined;
  /** Wall-clock ms. */
  readonly signsAt: number | undefined;
  /** Until when this key verifies, once it signs no more. Wall-clock ms. */
  readonly verifiesUntil: number | undefined;
}

/** Events of a token key. */
export type TokenKeyEvent = Timed<
  /** The first key signs at once, because nobody relies on another key yet. */
  | { readonly type: 'adopt'; readonly fields: NewFields<TokenKeyRecord> }
  | { readonly type: 'announce'; readonly fields: NewFields<TokenKeyRecord> }
  | { readonly type: 'due' }
  | { readonly type: 'retire' }
  /** A repair removes it, or a roll that ends sessions does. */
  | { readonly type: 'remove' }
>;

/**
 * Longer than any token is good, in ms: session tokens are for 365 days, and refresh tokens for 366
 * at most (behaviour/token-keys#roll). @bound
 */
const longestTokenMs = 367 * 24 * 3600 * 1000;

const machine = setup({
  types: { context: {} as TokenKeyRecord, events: {} as TokenKeyEvent },
  guards: {
    isAnnounced: ({ context: { signsAt = 0 }, event }) => signsAt <= event.now,
    isOver: ({ context: { verifiesUntil = 0 }, event }) => verifiesUntil <= event.now,
  },
  actions: { retireFormer: () => undefined },
}).createMachine({
  id: 'tokenKey',
  context: {} as TokenKeyRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        adopt: { target: 'signing', actions: assign(({ event }) => event.fields) },
        announce: { target: 'announced', actions: assign(({ event }) => event.fields) },
        // A repair may have removed it before its successor signs.
        retire: {},
      },
    },
    announced: {
      on: {
        due: [
          {
            guard: 'isAnnounced',
            target: 'signing',
            actions: [assign(({ event }) => ({ signsAt: event.now })), 'retireFormer'],
          },
          {},
        ],
        remove: 'ended',
      },
    },
    signing: {
      on: {
        retire: {
          target: 'verifying',
          actions: assign(({ event: { now } }) => ({
            verifiesUntil: now + longestTokenMs,
            privateKey: undefined,
          })),
        },
        remove: 'ended',
      },
    },
    verifying: {
      on: {
        due: [{ guard: 'isOver', target: 'ended' }, {}],
        remove: 'ended',
      },
    },
    ended: { type: 'final' },
  },
});

/** The life of a token key (behaviour/token-keys). */
export const tokenKey: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    announced: 'waiting',
    signing: 'good',
    verifying: 'good',
    ended: 'over',
  },
  guards: {
    isAnnounced: 'those that verify have had the time to learn of it',
    isOver: 'no token that it has signed can be good any more',
  },
  effects: {
    retireFormer({ replaces }: TokenKeyRecord, { now }) {
      return replaces === undefined ? [] : [sendTo('tokenKey', replaces, { type: 'retire', now })];
    },
  },
  deadline: {
    event: 'due',
    at: ({ state, signsAt, verifiesUntil }: TokenKeyRecord) =>
      state === 'announced' ? signsAt : verifiesUntil,
  },
};

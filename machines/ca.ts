// The life of a third-party certificate authority, which has no effect until it is verified. What
// an administrator sets, who confirmed it, and its enrollment JWT are written without an event,
// because they do not change the state.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** The fields of a CA that its machine reads or sets. */
export interface CaRecord extends MachineRecord {
  readonly verificationToken: string;
}

/** Events of a CA. */
export type CaEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<CaRecord> }
  | {
      readonly type: 'verify';
      /** Why no certificate could be read from the submission; undefined when one was. */
      readonly unreadable: (typeof unreadableCodes)[number] | undefined;
      /** Common name of the submitted certificate's subject. */
      readonly commonName: string;
      /** Whether the CA itself signed that certificate (behaviour/cas#verification). */
      readonly signedByCa: boolean;
    }
  | { readonly type: 'remove' }
>;

const unreadableCodes = [
  'COULD_NOT_PARSE_BODY',
  'EXPECTED_PEM_CERTIFICATE',
  'COULD_NOT_PARSE_DER_BLOCK',
] as const;

const machine = setup({
  types: { context: {} as CaRecord, events: {} as CaEvent },
  guards: {
    unreadable: ({ event }, params: { readonly as: string }) =>
      event.type === 'verify' && event.unreadable === params.as,
    otherName: ({ context, event }) =>
      event.type === 'verify' && event.commonName !== context.verificationToken,
    signedByCa: ({ event }) => event.type === 'verify' && event.signedByCa,
  },
  actions: { refuse: refuseAction },
}).createMachine({
  id: 'ca',
  context: {} as CaRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: { target: 'unverified', actions: assign(({ event }) => ({ ...event.fields })) },
      },
    },
    unverified: {
      on: {
        verify: [
          ...unreadableCodes.map(
            (as) => ({ guard: { type: 'unreadable', params: { as } }, ...refuse(as) }) as const,
          ),
          { guard: 'otherName', ...refuse('INVALID_COMMON_NAME') },
          { guard: 'signedByCa', target: 'verified' },
          refuse('CERTIFICATE_FAILED_VALIDATION'),
        ],
        remove: 'removed',
      },
    },
    verified: { on: { verify: refuse('CA_ALREADY_VERIFIED'), remove: 'removed' } },
    removed: { type: 'final' },
  },
});

/** The life of a CA (behaviour/cas). */
export const ca: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    unverified: 'waiting',
    verified: 'good',
    removed: 'over',
  },
  guards: {
    unreadable: 'no certificate can be read from what was sent; the word after `as` is the reason',
    otherName: 'the common name of the certificate is not the verification token',
    signedByCa: 'the CA has signed the certificate',
  },
};

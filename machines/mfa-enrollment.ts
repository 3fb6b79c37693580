// The life of an identity's MFA enrollment: pending until a first code proves it, then verified.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/**
 * The fields of an MFA enrollment that its machine reads or sets; secrets are sealed
 * (behaviour/mfa#at-rest).
 */
export interface MfaEnrollmentRecord extends MachineRecord {
  readonly recoveryCodes: string;
  /** The last TOTP time step accepted from authenticate-MFA (behaviour/mfa); 0 for none. */
  readonly lastTimeStep: number;
  /** The last TOTP time step accepted from any operation; 0 for none. */
  readonly lastUsedStep: number;
  /** Wrong codes since the last bar or right code. */
  readonly wrongCodes: number;
  /** Bars since the last right code. */
  readonly bars: number;
  /** No code is looked at until then, in wall-clock ms; 0 if there was no bar. */
  readonly barredUntil: number;
}

/** How wrong codes bar an enrollment. */
export interface GuessBounds {
  readonly mfaWrongCodesMax: number;
  /** The first bar; each further one is twice as long. */
  readonly mfaBarMs: number;
  readonly mfaBarMsMax: number;
}

type Counted = 'lastTimeStep' | 'lastUsedStep' | keyof typeof noGuesses;

/**
 * Events of an MFA enrollment. `codeValid` is the result of comparing the code, done before the
 * event; `timeStep` is the code's, 0 for a recovery code. `spend` is authenticate-MFA, `show` reads
 * the recovery codes. `recoveryCodes` of `spend` are those left, undefined if none was used.
 */
export type MfaEnrollmentEvent = Timed<
  | {
      readonly type: 'initiate';
      readonly fields: NewFields<MfaEnrollmentRecord, Counted>;
    }
  | { readonly type: 'verify' | 'show'; readonly codeValid: boolean; readonly timeStep: number }
  | {
      readonly type: 'spend';
      readonly codeValid: boolean;
      readonly timeStep: number;
      readonly recoveryCodes: string | undefined;
    }
  | {
      readonly type: 'regenerate';
      readonly codeValid: boolean;
      readonly timeStep: number;
      readonly recoveryCodes: string;
    }
  | { readonly type: 'disable'; readonly codeValid: boolean }
  /** A code was wrong; the answer to it leaves when this is durable. */
  | { readonly type: 'noteWrongCode'; readonly bounds: GuessBounds }
  /** By an administrator, or because the identity goes. */
  | { readonly type: 'remove' }
>;

const noGuesses = { wrongCodes: 0, bars: 0, barredUntil: 0 };

const machine = setup({
  types: { context: {} as MfaEnrollmentRecord, events: {} as MfaEnrollmentEvent },
  guards: {
    codeInvalid: ({ event }) => 'codeValid' in event && !event.codeValid,
    replayed: ({ context, event }) =>
      event.type === 'spend' && event.timeStep !== 0 && event.timeStep <= context.lastTimeStep,
  },
  actions: {
    refuse: refuseAction,
    noteSpent: assign(({ context, event }) =>
      event.type === 'spend'
        ? {
            lastTimeStep: Math.max(context.lastTimeStep, event.timeStep),
            lastUsedStep: Math.max(context.lastUsedStep, event.timeStep),
            recoveryCodes: event.recoveryCodes ?? context.recoveryCodes,
            ...noGuesses,
          }
        : {},
    ),
    noteUsed: assign(({ context, event }) =>
      'timeStep' in event
        ? { lastUsedStep: Math.max(context.lastUsedStep, event.timeStep), ...noGuesses }
        : {},
    ),
    noteWrong: assign(({ context, event }) => {
      if (event.type !== 'noteWrongCode') return {};
      const { mfaWrongCodesMax, mfaBarMs, mfaBarMsMax } = event.bounds;
      const wrongCodes = context.wrongCodes + 1;
      if (wrongCodes < mfaWrongCodesMax) return { wrongCodes };
      const barMs = Math.min(mfaBarMs * 2 ** context.bars, mfaBarMsMax);
      return { wrongCodes: 0, bars: context.bars + 1, barredUntil: event.now + barMs };
    }),
    replaceCodes: assign(({ event }) =>
      event.type === 'regenerate' ? { recoveryCodes: event.recoveryCodes } : {},
    ),
  },
}).createMachine({
  id: 'mfaEnrollment',
  context: {} as MfaEnrollmentRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        initiate: {
          target: 'pending',
          actions: assign(({ event }) => ({
            ...event.fields,
            lastTimeStep: 0,
            lastUsedStep: 0,
            ...noGuesses,
          })),
        },
        verify: refuse('NOT_FOUND'),
        spend: refuse('MFA_NOT_ENROLLED'),
        regenerate: refuse('NOT_FOUND'),
        show: refuse('NOT_FOUND'),
        disable: refuse('NOT_FOUND'),
        // An administrator's removal answers 200 even without a record (behaviour/mfa#removal).
        remove: {},
      },
    },
    pending: {
      on: {
        initiate: refuse('MFA_EXISTS'),
        verify: [
          { guard: 'codeInvalid', ...refuse('MFA_INVALID_TOKEN') },
          { target: 'verified', actions: 'noteUsed' },
        ],
        // The identity has not yet proven that it holds the secret, so its codes complete nothing.
        spend: refuse('MFA_NOT_ENROLLED'),
        regenerate: refuse('NOT_FOUND'),
        show: refuse('NOT_FOUND'),
        disable: 'removed',
        noteWrongCode: { actions: 'noteWrong' },
        remove: 'removed',
      },
    },
    verified: {
      on: {
        initiate: refuse('MFA_EXISTS'),
        verify: refuse('NOT_FOUND'),
        spend: [
          { guard: 'codeInvalid', ...refuse('MFA_INVALID_TOKEN') },
          { guard: 'replayed', ...refuse('MFA_INVALID_TOKEN') },
          { actions: 'noteSpent' },
        ],
        regenerate: [
          { guard: 'codeInvalid', ...refuse('MFA_INVALID_TOKEN') },
          { actions: ['replaceCodes', 'noteUsed'] },
        ],
        show: [{ guard: 'codeInvalid', ...refuse('MFA_INVALID_TOKEN') }, { actions: 'noteUsed' }],
        disable: [{ guard: 'codeInvalid', ...refuse('MFA_INVALID_TOKEN') }, { target: 'removed' }],
        noteWrongCode: { actions: 'noteWrong' },
        remove: 'removed',
      },
    },
    removed: { type: 'final' },
  },
});

/** The life of an MFA enrollment (behaviour/mfa#states). */
export const mfaEnrollment: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    pending: 'waiting',
    verified: 'good',
    removed: 'over',
  },
  guards: {
    codeInvalid: 'the code is wrong',
    replayed: 'the code, or a later one, was used before',
  },
};

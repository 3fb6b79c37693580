// The life of an API session: partially or fully authenticated until it ends.

import { assign, setup } from 'xstate';
import type { DurableMachine, MachineRecord, NewFields, Timed } from './machine.ts';

/** The fields of an API session that its machine reads or sets. */
export interface ApiSessionRecord extends MachineRecord {
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** Wall-clock ms of the last activity that was written to the log. */
  readonly lastActivityAt: number;
  /**
   * Times of events that posture checks ask for, wall-clock ms; undefined if never
   * (behaviour/posture#data).
   */
  readonly mfaPassedAt: number | undefined;
  readonly wokenAt: number | undefined;
  readonly unlockedAt: number | undefined;
}

/**
 * Events of an API session. `secondFactorRequired` says whether one factor is still missing,
 * counting all that were given so far. Whether a code or JWT is valid was decided before the event.
 */
export type ApiSessionEvent = Timed<
  | {
      readonly type: 'authenticate';
      readonly fields: NewFields<
        ApiSessionRecord,
        | 'isMfaRequired'
        | 'isMfaComplete'
        | 'lastActivityAt'
        | 'mfaPassedAt'
        | 'wokenAt'
        | 'unlockedAt'
      >;
      readonly secondFactorRequired: boolean;
      /** Whether the identity has a verified MFA enrollment (behaviour/api-sessions#flags). */
      readonly mfaEnrolled: boolean;
    }
  | {
      readonly type: 'completeSecondFactor';
      readonly factor: 'totp' | 'jwt';
      readonly secondFactorRequired: boolean;
    }
  /** The identity verified its MFA enrollment from within this session (behaviour/mfa). */
  | { readonly type: 'verifyMfa'; readonly secondFactorRequired: boolean }
  /** The endpoint's report on itself (behaviour/posture#reports). */
  | { readonly type: 'reportEndpoint'; readonly woken: boolean; readonly unlocked: boolean }
  /** Policy, signer or MFA enrollment changed (behaviour/api-sessions#per-request). */
  | { readonly type: 'factorsChanged'; readonly secondFactorRequired: boolean }
  /** `lastActivityAt` is the stamp in memory, which is newer than the record's. */
  | {
      readonly type: 'timeout';
      readonly lastActivityAt: number;
      readonly timeoutMs: number;
      /** Wall-clock ms of the end of its life, however busy it is; absent when there is no end. */
      readonly lifetimeEndsAt?: number;
    }
  | { readonly type: 'logOut' }
  /** Removed by an administrator or with its identity (behaviour/api-sessions#endings). */
  | { readonly type: 'remove' }
>;

/** The fields of a new API session. */
function begun(
  { fields, now }: Extract<ApiSessionEvent, { type: 'authenticate' }>,
  isMfaRequired: boolean,
) {
  return {
    ...fields,
    isMfaRequired,
    isMfaComplete: false,
    lastActivityAt: now,
    mfaPassedAt: undefined,
    wokenAt: undefined,
    unlockedAt: undefined,
  };
}

// A time-out that comes too early is accepted and changes nothing: the deadline is checked again
// later.
const ending = {
  timeout: [{ guard: 'overdue', target: 'ended' }, {}],
  logOut: 'ended',
  remove: 'ended',
} as const;

/** Whether an event required a code that has not been given since. */
function isOpenPrompt(at: number | undefined, mfaPassedAt: number | undefined): boolean {
  return at !== undefined && mfaPassedAt !== undefined && at > mfaPassedAt;
}

const reporting = { reportEndpoint: { actions: 'stampEndpoint' } } as const;

const machine = setup({
  types: { context: {} as ApiSessionRecord, events: {} as ApiSessionEvent },
  guards: {
    factorMissing: ({ event }) => 'secondFactorRequired' in event && event.secondFactorRequired,
    overdue({ event }) {
      if (event.type !== 'timeout') return false;
      const { now, lastActivityAt, timeoutMs, lifetimeEndsAt } = event;
      return lastActivityAt + timeoutMs <= now || (lifetimeEndsAt ?? now + 1) <= now;
    },
  },
  actions: {
    // A JWT is required again with every request; a TOTP code is remembered
    // (behaviour/api-sessions#per-request).
    rememberFactor: assign(({ event }) =>
      event.type === 'completeSecondFactor' && event.factor === 'totp'
        ? { isMfaComplete: true, mfaPassedAt: event.now }
        : {},
    ),
    rememberEnrollment: assign(({ event }) => ({
      isMfaRequired: true,
      isMfaComplete: true,
      mfaPassedAt: event.now,
    })),
    // An open prompt keeps its time: only a code ends it (behaviour/posture#prompts).
    stampEndpoint: assign(({ context, event }) => {
      if (event.type !== 'reportEndpoint') return {};
      const { now, woken, unlocked } = event;
      const { mfaPassedAt, wokenAt, unlockedAt } = context;
      return {
        ...(woken && !isOpenPrompt(wokenAt, mfaPassedAt) ? { wokenAt: now } : {}),
        ...(unlocked && !isOpenPrompt(unlockedAt, mfaPassedAt) ? { unlockedAt: now } : {}),
      };
    }),
  },
}).createMachine({
  id: 'apiSession',
  context: {} as ApiSessionRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        authenticate: [
          {
            guard: 'factorMissing',
            target: 'partial',
            actions: assign(({ event }) => begun(event, event.mfaEnrolled)),
          },
          {
            target: 'full',
            actions: assign(({ event }) => begun(event, false)),
          },
        ],
      },
    },
    partial: {
      on: {
        ...ending,
        ...reporting,
        completeSecondFactor: [
          { guard: 'factorMissing', actions: 'rememberFactor' },
          { target: 'full', actions: 'rememberFactor' },
        ],
        verifyMfa: [
          { guard: 'factorMissing', actions: 'rememberEnrollment' },
          { target: 'full', actions: 'rememberEnrollment' },
        ],
        factorsChanged: [{ guard: 'factorMissing' }, { target: 'full' }],
      },
    },
    full: {
      on: {
        ...ending,
        ...reporting,
        // Clients repeat it to renew the time of their MFA posture (behaviour/mfa#login).
        completeSecondFactor: { actions: 'rememberFactor' },
        verifyMfa: { actions: 'rememberEnrollment' },
        factorsChanged: [{ guard: 'factorMissing', target: 'partial' }, {}],
      },
    },
    ended: { type: 'final' },
  },
});

/** The life of an API session (behaviour/api-sessions, behaviour/mfa#verification). */
export const apiSession: DurableMachine = { machine };

// The life of an API session: partially or fully authenticated until it ends. The stamp of its last
// activity is written without an event, because each request would be a transition.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** The facts about its tokens that an API session keeps when it began with a login by OIDC. */
export interface JwtSession {
  /** The client that asked for the login: claim `aud`. */
  readonly clientId: string;
  /**
   * An id made when the session began, which sorts by time. The id of the session itself is random.
   */
  readonly began: string;
  /** The factors of the login: claim `amr`. */
  readonly factors: readonly string[];
  /** Wall-clock ms of the first of them: claim `auth_time`. */
  readonly authenticatedAt: number;
  /** Wall-clock ms at which its newest refresh token expires, or its access token without one. */
  readonly until: number;
  /** Counts its refresh tokens from 0. */
  readonly generation: number;
  /**
   * Wall-clock ms at which a token of this generation was used for the first time; 0 while the
   * client may not have got it.
   */
  readonly usedAt: number;
}

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
  /**
   * Wall-clock ms at which the external JWT expires that completed the second factor; undefined if
   * none did (behaviour/api-sessions#secondary-jwts).
   */
  readonly secondFactorUntil: number | undefined;
  /** Undefined for a session with an opaque token. */
  readonly jwt: JwtSession | undefined;
}

/** The JWT among the factors that were given. */
interface ShownJwt {
  /** As in the record; undefined if none is required. */
  readonly secondFactorUntil: number | undefined;
}

/**
 * Events of an API session. `secondFactorRequired` says whether one factor is still missing,
 * counting all that were given so far. Whether a code or JWT is valid was decided before the event.
 */
export type ApiSessionEvent = Timed<
  | ({
      readonly type: 'authenticate';
      readonly fields: NewFields<
        ApiSessionRecord,
        | 'isMfaRequired'
        | 'isMfaComplete'
        | 'lastActivityAt'
        | 'mfaPassedAt'
        | 'wokenAt'
        | 'unlockedAt'
        | 'secondFactorUntil'
      >;
      readonly secondFactorRequired: boolean;
      /** When the login accepted a TOTP or recovery code; absent if it did not. */
      readonly mfaPassedAt?: number | undefined;
      /** Whether the identity has a verified MFA enrollment (behaviour/api-sessions#flags). */
      readonly mfaEnrolled: boolean;
    } & ShownJwt)
  | ({
      readonly type: 'completeSecondFactor';
      readonly factor: 'totp' | 'jwt';
      readonly secondFactorRequired: boolean;
    } & ShownJwt)
  /** The identity verified its MFA enrollment from within this session (behaviour/mfa). */
  | ({ readonly type: 'verifyMfa'; readonly secondFactorRequired: boolean } & ShownJwt)
  /** The time of its secondary JWT is over. `secondFactorRequired` is without that JWT. */
  | { readonly type: 'expireSecondaryJwt'; readonly secondFactorRequired: boolean }
  /** The endpoint's report on itself (behaviour/posture#reports). */
  | { readonly type: 'reportEndpoint'; readonly woken: boolean; readonly unlocked: boolean }
  /** Policy, signer or MFA enrollment changed (behaviour/api-sessions#per-request). */
  | { readonly type: 'factorsChanged'; readonly secondFactorRequired: boolean }
  /** `lastActivityAt` is the stamp in memory, which is newer than the record's. */
  | {
      readonly type: 'timeout';
      readonly lastActivityAt: number;
      readonly timeoutMs: number;
      /**
       * Wall-clock ms of the end of its life or of its tokens, however busy it is; absent when
       * there is no end.
       */
      readonly lifetimeEndsAt?: number;
    }
  | { readonly type: 'logOut' }
  /** A refresh token was exchanged for the next one; `until` as in the record. */
  | { readonly type: 'rotate'; readonly until: number }
  /** Tokens were issued that do not replace others; `until` as in the record. */
  | { readonly type: 'prolong'; readonly until: number }
  /** A token of the present generation was used. */
  | { readonly type: 'useTokens' }
  /** A refresh token was used whose successor is in use: one of the two users has stolen it. */
  | { readonly type: 'detectReuse' }
  /** Removed by an administrator or with its identity (behaviour/api-sessions#endings). */
  | { readonly type: 'remove' }
>;

/** The fields of a new API session. */
function begun(
  { fields, now, mfaPassedAt }: Extract<ApiSessionEvent, { type: 'authenticate' }>,
  isMfaRequired: boolean,
  secondFactorUntil?: number,
) {
  return {
    ...fields,
    isMfaRequired,
    isMfaComplete: secondFactorUntil !== undefined || mfaPassedAt !== undefined,
    lastActivityAt: now,
    mfaPassedAt,
    wokenAt: undefined,
    unlockedAt: undefined,
    secondFactorUntil,
  };
}

/**
 * The fields that a JWT sets which completes the factors, or is one of them. Of several JWTs the
 * one counts that expires last.
 */
function completed(
  { secondFactorUntil: known = 0 }: Partial<ApiSessionRecord>,
  event: ShownJwt & { readonly secondFactorRequired: boolean },
) {
  const { secondFactorUntil: shown, secondFactorRequired } = event;
  if (secondFactorRequired || shown === undefined) return {};
  return { isMfaComplete: true, secondFactorUntil: Math.max(known, shown) };
}

// A time-out that comes too early is accepted and changes nothing: the deadline is checked again
// later.
const ending = {
  timeout: [{ guard: 'overdue', target: 'ended' }, {}],
  logOut: 'ended',
  remove: 'ended',
  detectReuse: 'ended',
} as const;

const tokens = {
  rotate: [{ guard: 'isOpaque', ...refuse('INVALID_GRANT') }, { actions: 'rotateTokens' }],
  prolong: [{ guard: 'isOpaque', ...refuse('INVALID_GRANT') }, { actions: 'prolongTokens' }],
  useTokens: [{ guard: 'areUsed' }, { actions: 'noteUse' }],
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
    overdue({ context: { jwt }, event }) {
      if (event.type !== 'timeout') return false;
      const { now, lastActivityAt, timeoutMs, lifetimeEndsAt } = event;
      const isIdle = jwt === undefined && lastActivityAt + timeoutMs <= now;
      return isIdle || (lifetimeEndsAt ?? now + 1) <= now;
    },
    isOpaque: ({ context: { jwt } }) => jwt === undefined,
    areUsed: ({ context: { jwt } }) => jwt === undefined || jwt.usedAt !== 0,
    jwtHolds: ({ context: { secondFactorUntil: at }, event }) => at === undefined || at > event.now,
  },
  actions: {
    refuse: refuseAction,
    rotateTokens: assign(({ context: { jwt }, event }) => {
      if (event.type !== 'rotate' || jwt === undefined) return {};
      const { until } = event;
      return { jwt: { ...jwt, until, generation: jwt.generation + 1, usedAt: 0 } };
    }),
    prolongTokens: assign(({ context: { jwt }, event }) => {
      if (event.type !== 'prolong' || jwt === undefined || event.until <= jwt.until) return {};
      return { jwt: { ...jwt, until: event.until } };
    }),
    noteUse: assign(({ context: { jwt }, event }) =>
      jwt === undefined ? {} : { jwt: { ...jwt, usedAt: event.now } },
    ),
    // A TOTP code is remembered; of a JWT only its end is, because it is required again with every
    // request (behaviour/api-sessions#per-request).
    rememberFactor: assign(({ context, event }) => {
      if (event.type !== 'completeSecondFactor') return {};
      const ofJwt = completed(context, event);
      return event.factor === 'totp'
        ? { ...ofJwt, isMfaComplete: true, mfaPassedAt: event.now }
        : ofJwt;
    }),
    rememberEnrollment: assign(({ context, event }) => {
      if (event.type !== 'verifyMfa') return {};
      const ofJwt = completed(context, event);
      return { ...ofJwt, isMfaRequired: true, isMfaComplete: true, mfaPassedAt: event.now };
    }),
    // An accepted code outlives the JWT.
    forgetJwt: assign(({ context: { mfaPassedAt } }) => ({
      isMfaComplete: mfaPassedAt !== undefined,
      secondFactorUntil: undefined,
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
            actions: assign(({ event }) => begun(event, false, event.secondFactorUntil)),
          },
        ],
      },
    },
    partial: {
      on: {
        ...ending,
        ...tokens,
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
        expireSecondaryJwt: [{ guard: 'jwtHolds' }, { actions: 'forgetJwt' }],
      },
    },
    full: {
      on: {
        ...ending,
        ...tokens,
        ...reporting,
        // Clients repeat it to renew the time of their MFA posture (behaviour/mfa#login).
        completeSecondFactor: { actions: 'rememberFactor' },
        verifyMfa: { actions: 'rememberEnrollment' },
        factorsChanged: [{ guard: 'factorMissing', target: 'partial' }, {}],
        expireSecondaryJwt: [
          { guard: 'jwtHolds' },
          { guard: 'factorMissing', target: 'partial', actions: 'forgetJwt' },
          { actions: 'forgetJwt' },
        ],
      },
    },
    ended: { type: 'final' },
  },
});

/** The life of an API session (behaviour/api-sessions, behaviour/mfa#verification). */
export const apiSession: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    partial: 'waiting',
    full: 'good',
    ended: 'over',
  },
  guards: {
    factorMissing: 'another factor is required that was not given',
    overdue: 'the session was idle for too long, or its lifetime or that of its tokens is over',
    jwtHolds: 'the secondary JWT has not expired',
    isOpaque: 'it has an opaque token',
    areUsed: 'its tokens were used before, or it has an opaque one',
  },
};

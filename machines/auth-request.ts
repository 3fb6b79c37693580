// The life of an authorization request of the OIDC provider: from the client's first call through
// the login, with each factor that is owed, to the exchange of its code for tokens. It lives for
// minutes and in memory, so its kind is volatile. What the client asked for is in other fields of
// the record, which decide nothing here.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** The fields of an authorization request that its machine reads or sets. */
export interface AuthRequestRecord extends MachineRecord {
  /** Wall-clock ms at which it ends, whatever was done by then. */
  readonly expiresAt: number;
  /** The identity that logged in first, which never changes; empty before. */
  readonly identityId: string;
  /** Wall-clock ms of the first factor; undefined before. */
  readonly authenticatedAt: number | undefined;
  /** Factors that were given, as claim `amr` names them (RFC 8176 and the peer's own). */
  readonly factors: readonly string[];
  /** Factors that are still owed: `totp`, or `ejs:` and the id of a signer. */
  readonly owed: readonly string[];
  /** Wrong logins and codes. */
  readonly failures: number;
  /** Hash of the code that the client was sent last; empty for none. */
  readonly codeHash: string;
  /** Wall-clock ms until which that code can be exchanged. */
  readonly codeUntil: number;
}

type Governed = Exclude<keyof AuthRequestRecord, 'expiresAt' | keyof MachineRecord>;

/**
 * Events of an authorization request. Whether a password, a certificate, a JWT or a code is right
 * was decided before the event.
 */
export type AuthRequestEvent = Timed<
  | { readonly type: 'authorize'; readonly fields: NewFields<AuthRequestRecord, Governed> }
  /** A first factor was right. The fields are those that the client names at its login. */
  | {
      readonly type: 'logIn';
      readonly identityId: string;
      /** Those that the login gave: mostly one. */
      readonly factors: readonly string[];
      /** All further factors that the auth policy demands, including those already given. */
      readonly demanded: readonly string[];
      readonly fields: Readonly<Record<string, unknown>>;
    }
  /** Another factor was right. */
  | { readonly type: 'passFactor'; readonly factor: string }
  /** A factor was wrong. */
  | { readonly type: 'failFactor'; readonly failuresMax: number }
  /** The client is sent back with a code. */
  | { readonly type: 'issueCode'; readonly codeHash: string; readonly codeUntil: number }
  /** The client has brought a code. */
  | {
      readonly type: 'exchange';
      readonly codeHash: string;
      /** Whether client, redirect URI and verifier are those of the request. */
      readonly isOfRequest: boolean;
    }
  | { readonly type: 'expire' }
  /** Its identity is gone, disabled or locked out. */
  | { readonly type: 'revoke' }
>;

const begun = {
  identityId: '',
  authenticatedAt: undefined,
  factors: [],
  owed: [],
  failures: 0,
  codeHash: '',
  codeUntil: 0,
} as const satisfies Pick<AuthRequestRecord, Governed>;

/** The fields after a login: the factors that were given, and those that are still owed. */
function loggedIn(
  { factors: before, authenticatedAt }: AuthRequestRecord,
  {
    factors: given,
    identityId,
    demanded,
    fields,
    now,
  }: Extract<AuthRequestEvent, { type: 'logIn' }>,
) {
  const factors = given.reduce(withFactor, before);
  const owed = demanded.filter((name) => !factors.includes(name));
  // The time of the login is that of its first factor, which a repetition does not renew.
  return { ...fields, identityId, factors, owed, authenticatedAt: authenticatedAt ?? now };
}

function withFactor(factors: readonly string[], factor: string): readonly string[] {
  return factors.includes(factor) ? factors : [...factors, factor];
}

const logIn = [
  // Nobody's factors count for somebody else.
  { guard: 'isOfAnother', target: 'failed' },
  { guard: 'owesMore', target: 'factorOwed', actions: 'takeLogin' },
  { target: 'complete', actions: 'takeLogin' },
] as const;

const failFactor = [
  { guard: 'isLastFailure', target: 'failed' },
  { actions: 'countFailure' },
] as const;

const ending = {
  expire: [{ guard: 'isOver', target: 'expired' }, {}],
  revoke: 'failed',
} as const;

const machine = setup({
  types: { context: {} as AuthRequestRecord, events: {} as AuthRequestEvent },
  guards: {
    isOfAnother: ({ context: { identityId }, event }) =>
      event.type === 'logIn' && identityId !== '' && identityId !== event.identityId,
    owesMore({ context, event }) {
      if (event.type === 'logIn') return loggedIn(context, event).owed.length > 0;
      return event.type === 'passFactor' && context.owed.some((name) => name !== event.factor);
    },
    isNotOwed: ({ context: { owed }, event }) =>
      event.type === 'passFactor' && !owed.includes(event.factor),
    isLastFailure: ({ context: { failures }, event }) =>
      event.type === 'failFactor' && failures + 1 >= event.failuresMax,
    isGoodCode({ context: { codeHash, codeUntil }, event }) {
      if (event.type !== 'exchange' || codeHash === '') return false;
      return event.codeHash === codeHash && event.now < codeUntil && event.isOfRequest;
    },
    isOver: ({ context: { expiresAt }, event }) => expiresAt <= event.now,
  },
  actions: {
    refuse: refuseAction,
    takeLogin: assign(({ context, event }) =>
      event.type === 'logIn' ? loggedIn(context, event) : {},
    ),
    takeFactor: assign(({ context: { factors, owed }, event }) =>
      event.type === 'passFactor'
        ? {
            factors: withFactor(factors, event.factor),
            owed: owed.filter((name) => name !== event.factor),
          }
        : {},
    ),
    countFailure: assign(({ context: { failures } }) => ({ failures: failures + 1 })),
    takeCode: assign(({ event }) =>
      event.type === 'issueCode' ? { codeHash: event.codeHash, codeUntil: event.codeUntil } : {},
    ),
  },
}).createMachine({
  id: 'authRequest',
  context: {} as AuthRequestRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        authorize: {
          target: 'created',
          actions: assign(({ event }) => ({ ...event.fields, ...begun })),
        },
      },
    },
    created: {
      on: {
        ...ending,
        logIn,
        passFactor: refuse('UNAUTHORIZED'),
        failFactor,
        issueCode: refuse('UNAUTHORIZED'),
        exchange: 'failed',
      },
    },
    factorOwed: {
      on: {
        ...ending,
        logIn,
        passFactor: [
          { guard: 'isNotOwed', ...refuse('UNAUTHORIZED') },
          { guard: 'owesMore', actions: 'takeFactor' },
          { target: 'complete', actions: 'takeFactor' },
        ],
        failFactor,
        issueCode: refuse('UNAUTHORIZED'),
        exchange: 'failed',
      },
    },
    complete: {
      on: {
        ...ending,
        logIn,
        passFactor: {},
        failFactor,
        // The code before it can no longer be exchanged.
        issueCode: { actions: 'takeCode' },
        exchange: [{ guard: 'isGoodCode', target: 'exchanged' }, { target: 'failed' }],
      },
    },
    exchanged: { type: 'final' },
    expired: { type: 'final' },
    failed: { type: 'final' },
  },
});

/** The life of an authorization request (behaviour/oidc#requests). */
export const authRequest: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    created: 'waiting',
    factorOwed: 'waiting',
    complete: 'good',
    exchanged: 'over',
    expired: 'over',
    failed: 'over',
  },
  guards: {
    isOfAnother: 'another identity has logged in before',
    owesMore: 'a factor is still owed',
    isNotOwed: 'the factor is not owed',
    isLastFailure: 'there were too many wrong logins and codes',
    isGoodCode:
      'the code is the last one and not too old, and client, redirect URI and verifier are right',
    isOver: 'its time is over',
  },
  deadline: {
    event: 'expire',
    at: ({ expiresAt }: AuthRequestRecord) => expiresAt,
  },
};

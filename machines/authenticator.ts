// The life of an authenticator, and in parallel that of its certificate, if it has one: current, or
// with a new one pending. User name, tags, a certificate that was missing, and whether the last
// login led to a root are written without an event, because none of them changes the state. A guard
// reads the certificate: one that has come to be known can be extended.

import { assign, setup } from 'xstate';
import type { EnrollmentRecord } from './enrollment.ts';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  sendTo,
  type Timed,
} from './machine.ts';

/** The fields of an authenticator that its machine reads or sets. Fingerprints are of the leaf. */
export interface AuthenticatorRecord extends MachineRecord {
  readonly identityId: string;
  readonly method: 'updb' | 'cert';
  /** Absent for a certificate. */
  readonly username: string | undefined;
  /** A PHC string; absent for a certificate. */
  readonly passwordHash: string | undefined;
  /** Absent for a password, and while only the fingerprint is known. */
  readonly certPem: string | undefined;
  readonly fingerprint: string | undefined;
  /** Of the certificate's key. */
  readonly publicKeyPrint: string | undefined;
  /**
   * The chain that extend issued and extend-verify has not yet confirmed; absent when there is
   * none.
   */
  readonly pendingCertPem: string | undefined;
  readonly pendingFingerprint: string | undefined;
  readonly pendingPublicKeyPrint: string | undefined;
  /** Whether the certificate that last replaced another one came with another key. */
  readonly lastExtendRolledKeys: boolean;
  /** Whether the client's chain at its last login led to a root; set by the login itself. */
  readonly lastAuthResolvedToRoot: boolean;
  /** An administrator wants the certificate to be extended; absent for no. */
  readonly isExtendRequested: boolean | undefined;
  /** The extension is to be with another key; absent for no. */
  readonly isKeyRollRequested: boolean | undefined;
  /** Wall-clock ms of the last request. */
  readonly extendRequestedAt: number | undefined;
}

type Governed = Pending | Requested | 'lastExtendRolledKeys' | 'lastAuthResolvedToRoot';
type Requested = 'isExtendRequested' | 'isKeyRollRequested' | 'extendRequestedAt';
type Pending = 'pendingCertPem' | 'pendingFingerprint' | 'pendingPublicKeyPrint';

/**
 * Events of an authenticator. `create` also goes to the existing one of its identity and method.
 */
export type AuthenticatorEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<AuthenticatorRecord, Governed> }
  | { readonly type: 'changePassword'; readonly passwordHash: string }
  | {
      readonly type: 'extend';
      /** Of the connection's verified chain; empty for none (behaviour/certificates#extension). */
      readonly presentedFingerprint: string;
      readonly issuedByUs: boolean;
      readonly pendingCertPem: string;
      readonly pendingFingerprint: string;
      readonly pendingPublicKeyPrint: string;
    }
  | { readonly type: 'extendVerify'; readonly fingerprint: string }
  | { readonly type: 'requestExtend'; readonly rollKeys: boolean }
  | {
      readonly type: 'revert';
      /** The existing enrollment of that identity and method, or a new id. */
      readonly enrollmentId: string;
      /**
       * The registered CA the certificate chains to; undefined when this controller issued it
       * (behaviour/enrollment#revert).
       */
      readonly caId: string | undefined;
      readonly fields: Readonly<
        Pick<EnrollmentRecord, 'token' | 'jwt' | 'tokenHash' | 'expiresAt'>
      >;
    }
  | { readonly type: 'remove' }
>;

const nothingPending: Readonly<Record<Pending, undefined>> = {
  pendingCertPem: undefined,
  pendingFingerprint: undefined,
  pendingPublicKeyPrint: undefined,
};

/** The state of a password: it has no certificate region. */
const passwordState = 'life:existing';
const currentState = 'certificate:current,life:existing';
const pendingState = 'certificate:pending,life:existing';

const extend = [
  { guard: 'otherCertificate', ...refuse('UNAUTHORIZED') },
  { guard: 'notExtendable', ...refuse('CAN_NOT_UPDATE_AUTHENTICATOR') },
  { target: 'pending', actions: 'holdPending' },
] as const;

const machine = setup({
  types: { context: {} as AuthenticatorRecord, events: {} as AuthenticatorEvent },
  guards: {
    isNewPassword: ({ event }) => event.type === 'create' && event.fields.method === 'updb',
    isCertificate: ({ context }) => context.method === 'cert',
    otherCertificate: ({ context, event }) =>
      event.type === 'extend' && event.presentedFingerprint !== context.fingerprint,
    notExtendable: ({ context, event }) =>
      event.type === 'extend' && (!event.issuedByUs || context.certPem === undefined),
    isPending: ({ context, event }) =>
      event.type === 'extendVerify' && event.fingerprint === context.pendingFingerprint,
  },
  actions: {
    refuse: refuseAction,
    createEnrollment: () => {},
    holdPending: assign(({ event }) =>
      event.type === 'extend'
        ? {
            pendingCertPem: event.pendingCertPem,
            pendingFingerprint: event.pendingFingerprint,
            pendingPublicKeyPrint: event.pendingPublicKeyPrint,
          }
        : {},
    ),
    // Later connections use the new certificate; the old one no longer authenticates
    // (behaviour/certificates#confirmation).
    promotePending: assign(({ context }) => ({
      certPem: context.pendingCertPem,
      fingerprint: context.pendingFingerprint,
      publicKeyPrint: context.pendingPublicKeyPrint,
      lastExtendRolledKeys: context.pendingPublicKeyPrint !== context.publicKeyPrint,
      // The time of the request stays (behaviour/certificates#requests).
      isExtendRequested: undefined,
      isKeyRollRequested: undefined,
      ...nothingPending,
    })),
    noteRequest: assign(({ event }) =>
      event.type === 'requestExtend'
        ? {
            isExtendRequested: true,
            isKeyRollRequested: event.rollKeys || undefined,
            extendRequestedAt: event.now,
          }
        : {},
    ),
  },
}).createMachine({
  id: 'authenticator',
  context: {} as AuthenticatorRecord,
  type: 'parallel',
  states: {
    life: {
      initial: 'none',
      states: {
        none: {
          on: {
            create: {
              target: 'existing',
              actions: assign(({ event }) => ({
                ...event.fields,
                ...nothingPending,
                lastExtendRolledKeys: false,
                lastAuthResolvedToRoot: false,
              })),
            },
          },
        },
        existing: {
          on: {
            create: refuse('MAX_AUTHENTICATOR_METHODS_REACHED'),
            changePassword: [
              { guard: 'isCertificate', ...refuse('CAN_NOT_UPDATE_AUTHENTICATOR') },
              { actions: assign(({ event }) => ({ passwordHash: event.passwordHash })) },
            ],
            requestExtend: [
              { guard: 'isCertificate', actions: 'noteRequest' },
              refuse('CAN_NOT_UPDATE_AUTHENTICATOR'),
            ],
            revert: { target: 'removed', actions: 'createEnrollment' },
            remove: 'removed',
          },
        },
        removed: { type: 'final' },
      },
    },
    certificate: {
      initial: 'none',
      states: {
        none: {
          on: {
            create: [{ guard: 'isNewPassword', target: 'absent' }, { target: 'current' }],
          },
        },
        /** A password has no certificate. */
        absent: { type: 'final' },
        current: {
          on: {
            extend,
            extendVerify: refuse('INVALID_CLIENT_CERT'),
            revert: 'removed',
            remove: 'removed',
          },
        },
        pending: {
          on: {
            extend,
            extendVerify: [
              { guard: 'isPending', target: 'current', actions: 'promotePending' },
              refuse('INVALID_CLIENT_CERT'),
            ],
            revert: 'removed',
            remove: 'removed',
          },
        },
        removed: { type: 'final' },
      },
    },
  },
});

/** The life of an authenticator and of its certificate (behaviour/certificates). */
export const authenticator: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    'life:none': 'over',
    'life:existing': 'good',
    'life:removed': 'over',
    'certificate:none': 'over',
    'certificate:absent': 'over',
    'certificate:current': 'good',
    'certificate:pending': 'waiting',
    'certificate:removed': 'over',
  },
  guards: {
    isNewPassword: 'the new authenticator is a password',
    isCertificate: 'the authenticator is a certificate',
    otherCertificate: 'the connection shows another certificate than the one on record',
    notExtendable: 'this controller did not issue the certificate, or does not hold all of it',
    isPending: 'the confirmed certificate is the one that was issued last',
  },
  effects: {
    createEnrollment(record: AuthenticatorRecord, event: AuthenticatorEvent) {
      if (event.type !== 'revert') return [];
      const { method: from, identityId, username } = record;
      const method = from === 'updb' ? 'updb' : event.caId === undefined ? 'ott' : 'ottca';
      const fields = { ...event.fields, method, identityId, username, caId: event.caId };
      return [sendTo('enrollment', event.enrollmentId, { type: 'create', now: event.now, fields })];
    },
  },
  faultOf({ state, method, pendingFingerprint, pendingCertPem }: AuthenticatorRecord) {
    const isPassword = method === 'updb';
    if (isPassword !== (state === passwordState)) {
      const patch = { state: isPassword ? passwordState : currentState, ...nothingPending };
      return { description: `is in the state ${state}, which is not one of ${method}`, patch };
    }
    const isPending = pendingFingerprint !== undefined;
    if (state === pendingState) {
      if (isPending) return undefined;
      const patch = { state: currentState, ...nothingPending };
      return { description: 'waits for a certificate that it does not have', patch };
    }
    if (!isPending && pendingCertPem === undefined) return undefined;
    const description = 'has a pending certificate, and does not wait for one';
    return { description, patch: nothingPending };
  },
};

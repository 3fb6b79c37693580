// The durable life of a router: unverified or verified. Its connection is live state and is not
// part of it. What an administrator sets is written without an event, because it does not change
// the state.

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

/** The fields of a router that its machine reads or sets. */
export interface RouterRecord extends MachineRecord {
  /** Fingerprint of the client certificate; absent until enrolled. */
  readonly fingerprint: string | undefined;
  readonly certPem: string | undefined;
  /** A certificate that was issued and does not count until the router has confirmed it. */
  readonly unverifiedFingerprint: string | undefined;
  readonly unverifiedCertPem: string | undefined;
}

type CertificateField = 'fingerprint' | 'certPem' | 'unverifiedFingerprint' | 'unverifiedCertPem';

/**
 * Events of an edge router or router. Re-enrollment drops the connection too: the operation's part.
 */
export type RouterEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<RouterRecord, CertificateField> }
  /**
   * The one-time token was valid; the operation completes the enrollment in the same transaction.
   */
  | { readonly type: 'enroll'; readonly fingerprint: string; readonly certPem: string }
  | {
      readonly type: 'extend';
      /** Fingerprint of the connection's certificate, its chain verified; empty for none. */
      readonly presentedFingerprint: string;
      readonly fingerprint: string;
      readonly certPem: string;
    }
  /** As `extend`, for a router that confirms its certificate before it counts. */
  | {
      readonly type: 'extendUnverified';
      readonly presentedFingerprint: string;
      readonly fingerprint: string;
      readonly certPem: string;
    }
  /** The router has received the unverified certificate of this fingerprint. */
  | { readonly type: 'extendVerify'; readonly fingerprint: string }
  /** An administrator names the certificate that counts from now on, by its fingerprint. */
  | { readonly type: 'trust'; readonly fingerprint: string }
  | {
      readonly type: 'reEnroll';
      readonly oldEnrollmentIds: readonly string[];
      readonly enrollmentId: string;
      readonly fields: NewFields<EnrollmentRecord>;
    }
  | { readonly type: 'remove' }
>;

const noUnverified = { unverifiedFingerprint: undefined, unverifiedCertPem: undefined };
const noCertificate = { fingerprint: undefined, certPem: undefined, ...noUnverified };

const machine = setup({
  types: { context: {} as RouterRecord, events: {} as RouterEvent },
  guards: {
    presentsItsOwn: ({ context, event }) =>
      'presentedFingerprint' in event && event.presentedFingerprint === context.fingerprint,
    confirmsUnverified: ({ context, event }) =>
      event.type === 'extendVerify' && event.fingerprint === context.unverifiedFingerprint,
  },
  actions: {
    refuse: refuseAction,
    replaceEnrollment: () => {},
    // The previous certificate is invalid at once: only the stored fingerprint is ever trusted.
    takeCertificate: assign(({ event }) =>
      'certPem' in event
        ? { ...noCertificate, fingerprint: event.fingerprint, certPem: event.certPem }
        : {},
    ),
    keepUnverified: assign(({ event }) =>
      'certPem' in event
        ? { unverifiedFingerprint: event.fingerprint, unverifiedCertPem: event.certPem }
        : {},
    ),
    takeUnverified: assign(({ context }) => ({
      ...noCertificate,
      fingerprint: context.unverifiedFingerprint,
      certPem: context.unverifiedCertPem,
    })),
    takeFingerprint: assign(({ event }) =>
      event.type === 'trust' ? { ...noCertificate, fingerprint: event.fingerprint } : {},
    ),
    dropCertificate: assign(noCertificate),
  },
}).createMachine({
  id: 'router',
  context: {} as RouterRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: {
          target: 'unverified',
          actions: [assign(({ event }) => ({ ...event.fields })), 'dropCertificate'],
        },
      },
    },
    unverified: {
      on: {
        enroll: { target: 'verified', actions: 'takeCertificate' },
        extend: refuse('UNAUTHORIZED'),
        extendUnverified: refuse('UNAUTHORIZED'),
        extendVerify: refuse('UNAUTHORIZED'),
        trust: { target: 'verified', actions: 'takeFingerprint' },
        reEnroll: { actions: 'replaceEnrollment' },
        remove: 'removed',
      },
    },
    verified: {
      on: {
        enroll: refuse('INVALID_ENROLLMENT_TOKEN'),
        extend: [{ guard: 'presentsItsOwn', actions: 'takeCertificate' }, refuse('UNAUTHORIZED')],
        extendUnverified: [
          { guard: 'presentsItsOwn', actions: 'keepUnverified' },
          refuse('UNAUTHORIZED'),
        ],
        extendVerify: [
          { guard: 'confirmsUnverified', actions: 'takeUnverified' },
          refuse('INVALID_CLIENT_CERT'),
        ],
        trust: { actions: 'takeFingerprint' },
        reEnroll: { target: 'unverified', actions: ['dropCertificate', 'replaceEnrollment'] },
        remove: 'removed',
      },
    },
    removed: { type: 'final' },
  },
});

/**
 * The life of a router (behaviour/routers, behaviour/certificates#routers).
 */
export const router: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    unverified: 'waiting',
    verified: 'good',
    removed: 'over',
  },
  guards: {
    presentsItsOwn: 'the connection shows the certificate on record',
    confirmsUnverified: 'the confirmed certificate is the one that was issued last',
  },
  effects: {
    replaceEnrollment(_: RouterRecord, event: RouterEvent) {
      if (event.type !== 'reEnroll') return [];
      const { now, enrollmentId, fields } = event;
      return [
        ...event.oldEnrollmentIds.map((id) => sendTo('enrollment', id, { type: 'remove', now })),
        sendTo('enrollment', enrollmentId, { type: 'create', now, fields }),
      ];
    },
  },
  faultOf(record: RouterRecord) {
    const { state, fingerprint, certPem, unverifiedFingerprint, unverifiedCertPem } = record;
    if (state === 'verified') {
      if (fingerprint === undefined) {
        const patch = { ...noCertificate, state: 'unverified' };
        return { description: 'is verified, and has no certificate', patch };
      }
      if ((unverifiedFingerprint === undefined) === (unverifiedCertPem === undefined)) {
        return undefined;
      }
      return { description: 'has half of an unverified certificate', patch: noUnverified };
    }
    const fields = [fingerprint, certPem, unverifiedFingerprint, unverifiedCertPem];
    if (fields.every((field) => field === undefined)) return undefined;
    return { description: 'is unverified, and has a certificate', patch: noCertificate };
  },
};

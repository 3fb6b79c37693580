// The durable life of a router: unverified or verified. Its connection is live state and is not
// part of it.

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
}

/**
 * Events of an edge router or router. Re-enrollment drops the connection too: the operation's part.
 */
export type RouterEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<RouterRecord, 'fingerprint' | 'certPem'> }
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
  | {
      readonly type: 'reEnroll';
      readonly oldEnrollmentIds: readonly string[];
      readonly enrollmentId: string;
      readonly fields: NewFields<EnrollmentRecord>;
    }
  | { readonly type: 'remove' }
>;

const machine = setup({
  types: { context: {} as RouterRecord, events: {} as RouterEvent },
  guards: {
    presentsItsOwn: ({ context, event }) =>
      event.type === 'extend' && event.presentedFingerprint === context.fingerprint,
  },
  actions: {
    refuse: refuseAction,
    replaceEnrollment: () => {},
    // The previous certificate is invalid at once: only the stored fingerprint is ever trusted.
    takeCertificate: assign(({ event }) =>
      'certPem' in event ? { fingerprint: event.fingerprint, certPem: event.certPem } : {},
    ),
    dropCertificate: assign({ fingerprint: undefined, certPem: undefined }),
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
        reEnroll: { actions: 'replaceEnrollment' },
        remove: 'removed',
      },
    },
    verified: {
      on: {
        enroll: refuse('INVALID_ENROLLMENT_TOKEN'),
        extend: [{ guard: 'presentsItsOwn', actions: 'takeCertificate' }, refuse('UNAUTHORIZED')],
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
export const router: DurableMachine = {
  machine,
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
  faultOf({ state, fingerprint, certPem }: RouterRecord) {
    if (state === 'verified') {
      if (fingerprint !== undefined) return undefined;
      const patch = { state: 'unverified', certPem: undefined };
      return { description: 'is verified, and has no certificate', patch };
    }
    if (fingerprint === undefined && certPem === undefined) return undefined;
    const patch = { fingerprint: undefined, certPem: undefined };
    return { description: 'is unverified, and has a certificate', patch };
  },
};

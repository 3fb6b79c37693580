// The life of an enrollment: outstanding or expired until it is completed, refreshed or deleted.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** `erott` and `trott` are for edge routers and routers (behaviour/enrollment#methods). */
export type EnrollmentMethod = 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';

/** The fields of an enrollment that its machine reads or sets. */
export interface EnrollmentRecord extends MachineRecord {
  readonly method: EnrollmentMethod;
  /** Sealed, like the JWT: a machine only keeps them. */
  readonly token: string;
  readonly jwt: string;
  readonly tokenHash: string;
  /** Wall-clock ms. */
  readonly expiresAt: number;
}

/**
 * Events of an enrollment. `create` also goes to the one that already has that identity and method.
 */
export type EnrollmentEvent = Timed<
  | { readonly type: 'create'; readonly fields: NewFields<EnrollmentRecord> }
  | {
      readonly type: 'refresh';
      readonly token: string;
      readonly jwt: string;
      readonly tokenHash: string;
      readonly expiresAt: number;
    }
  /** `method` is the one that the caller requested. */
  | { readonly type: 'complete'; readonly method: EnrollmentMethod }
  | { readonly type: 'lapse' }
  | { readonly type: 'remove' }
>;

// Routers re-enroll instead (behaviour/enrollment#refresh); expired enrollments may be refreshed.
const refresh = [
  { guard: 'ofRouter', ...refuse('INVALID_ENROLL_METHOD') },
  { guard: 'alreadyOver', ...refuse('COULD_NOT_VALIDATE') },
  { target: 'outstanding', actions: 'renew' },
] as const;

const machine = setup({
  types: { context: {} as EnrollmentRecord, events: {} as EnrollmentEvent },
  guards: {
    ofRouter: ({ context }) => context.method === 'erott' || context.method === 'trott',
    otherMethod: ({ context, event }) =>
      event.type === 'complete' && event.method !== context.method,
    over: ({ context, event }) => context.expiresAt <= event.now,
    alreadyOver: ({ event }) => {
      if (event.type === 'create') return event.fields.expiresAt <= event.now;
      return event.type === 'refresh' && event.expiresAt <= event.now;
    },
  },
  actions: {
    refuse: refuseAction,
    renew: assign(({ event }) => {
      if (event.type !== 'refresh') return {};
      const { token, jwt, tokenHash, expiresAt } = event;
      return { token, jwt, tokenHash, expiresAt };
    }),
  },
}).createMachine({
  id: 'enrollment',
  context: {} as EnrollmentRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: [
          { guard: 'alreadyOver', ...refuse('COULD_NOT_VALIDATE') },
          { target: 'outstanding', actions: assign(({ event }) => ({ ...event.fields })) },
        ],
      },
    },
    outstanding: {
      on: {
        create: refuse('ENROLLMENT_EXISTS'),
        refresh,
        complete: [
          { guard: 'otherMethod', ...refuse('INVALID_ENROLL_METHOD') },
          { guard: 'over', ...refuse('ENROLLMENT_EXPIRED') },
          { target: 'removed' },
        ],
        lapse: [{ guard: 'over', target: 'expired' }, {}],
        remove: 'removed',
      },
    },
    expired: {
      on: {
        create: refuse('ENROLLMENT_EXISTS'),
        refresh,
        complete: [
          { guard: 'otherMethod', ...refuse('INVALID_ENROLL_METHOD') },
          refuse('ENROLLMENT_EXPIRED'),
        ],
        lapse: {},
        remove: 'removed',
      },
    },
    removed: { type: 'final' },
  },
});

/** The life of an enrollment (behaviour/enrollment). */
export const enrollment: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    outstanding: 'waiting',
    expired: 'over',
    removed: 'over',
  },
  guards: {
    ofRouter: 'the enrollment is that of a router',
    otherMethod: 'the client uses another method than the one of this enrollment',
    over: 'its time is over',
    alreadyOver: 'the new end of its time has passed already',
  },
  deadline: {
    event: 'lapse',
    at: (record: EnrollmentRecord) => (record.state === 'expired' ? undefined : record.expiresAt),
  },
  faultOf({ expiresAt }: EnrollmentRecord) {
    if (Number.isFinite(expiresAt)) return undefined;
    return { description: 'never expires', patch: undefined };
  },
};

// The life of an identity: enabled, or disabled for a period or until it is enabled again.
// Everything else about it is written without an event, such as its name, roles, auth policy and
// service configs, and the addresses and clients of its logins, because it does not change the
// state. Guards read whether it is an administrator.

import { assign, setup } from 'xstate';
import {
  type DurableMachine,
  type MachineRecord,
  type NewFields,
  refuse,
  refuseAction,
  type Timed,
} from './machine.ts';

/** The fields of an identity that its machine reads or sets. */
export interface IdentityRecord extends MachineRecord {
  readonly isAdmin: boolean;
  readonly isDefaultAdmin: boolean;
  /** Wall-clock ms; absent while enabled. */
  readonly disabledAt: number | undefined;
  /** Wall-clock ms; absent while enabled, and when the period has no end. */
  readonly disabledUntil: number | undefined;
  /**
   * Wall-clock ms; absent unless wrong passwords locked this administrator out. The administrator
   * stays enabled: until then, only logins from unknown addresses are refused.
   */
  readonly lockedOutUntil: number | undefined;
}

/** Events of an identity. A period of 0 minutes or less has no end (behaviour/identities). */
export type IdentityEvent = Timed<
  | {
      readonly type: 'create';
      readonly fields: NewFields<IdentityRecord, 'disabledAt' | 'disabledUntil' | 'lockedOutUntil'>;
    }
  | { readonly type: 'disable'; readonly durationMinutes: number }
  | { readonly type: 'lockOut'; readonly durationMinutes: number }
  | { readonly type: 'enable' }
  | { readonly type: 'lapse' }
  | { readonly type: 'remove' }
>;

const msPerMinute = 60_000;

/**
 * The longest lock-out of the default administrator: there may be no other administrator to end it,
 * and wrong passwords need no permission at all. @bound
 */
const defaultAdminLockoutMinutesMax = 15;

/** The time of a lock-out without an end: the latest time that a date can hold. */
const never = 8_640_000_000_000_000;

function lockoutEnd(
  { isDefaultAdmin }: IdentityRecord,
  { now, durationMinutes }: { readonly now: number; readonly durationMinutes: number },
): number {
  const minutes = durationMinutes > 0 ? durationMinutes : Number.POSITIVE_INFINITY;
  const capped = isDefaultAdmin ? Math.min(minutes, defaultAdminLockoutMinutesMax) : minutes;
  return Math.min(never, now + capped * msPerMinute);
}

const machine = setup({
  types: { context: {} as IdentityRecord, events: {} as IdentityEvent },
  guards: {
    isAdmin: ({ context }) => context.isAdmin || context.isDefaultAdmin,
    isDefaultAdmin: ({ context }) => context.isDefaultAdmin,
    isLockedOut: ({ context, event }) =>
      context.lockedOutUntil !== undefined && context.lockedOutUntil > event.now,
    wasLockedOut: ({ context }) => context.lockedOutUntil !== undefined,
    periodOver: ({ context, event }) =>
      context.disabledUntil !== undefined && context.disabledUntil <= event.now,
  },
  actions: {
    refuse: refuseAction,
    startPeriod: assign(({ event }) =>
      'durationMinutes' in event
        ? {
            disabledAt: event.now,
            disabledUntil:
              event.durationMinutes > 0
                ? event.now + event.durationMinutes * msPerMinute
                : undefined,
          }
        : {},
    ),
    lockOutElsewhere: assign(({ context, event }) =>
      event.type === 'lockOut' ? { lockedOutUntil: lockoutEnd(context, event) } : {},
    ),
    clearPeriod: assign({ disabledAt: undefined, disabledUntil: undefined }),
    clearAll: assign({
      disabledAt: undefined,
      disabledUntil: undefined,
      lockedOutUntil: undefined,
    }),
  },
}).createMachine({
  id: 'identity',
  context: {} as IdentityRecord,
  initial: 'none',
  states: {
    none: {
      on: {
        create: {
          target: 'enabled',
          actions: [assign(({ event }) => ({ ...event.fields })), 'clearAll'],
        },
      },
    },
    enabled: {
      on: {
        // The default admin cannot be disabled (behaviour/identities#default-admin).
        disable: [
          { guard: 'isDefaultAdmin', ...refuse('ENTITY_CAN_NOT_BE_UPDATED') },
          { target: 'disabled', actions: 'startPeriod' },
        ],
        // Wrong passwords must not end an administrator's sessions, nor refuse logins from known
        // addresses (behaviour/login#known-addresses). Further ones during the lock-out must not
        // move the end of the period.
        lockOut: [
          { guard: 'isLockedOut' },
          { guard: 'isAdmin', actions: 'lockOutElsewhere' },
          { target: 'disabled', actions: 'startPeriod' },
        ],
        enable: [{ guard: 'wasLockedOut', actions: 'clearAll' }, {}],
        lapse: {},
        remove: [
          { guard: 'isDefaultAdmin', ...refuse('ENTITY_CAN_NOT_BE_DELETED') },
          { target: 'deleted' },
        ],
      },
    },
    disabled: {
      on: {
        disable: [
          { guard: 'isDefaultAdmin', ...refuse('ENTITY_CAN_NOT_BE_UPDATED') },
          { actions: 'startPeriod' },
        ],
        // A login that began before the period must not move its end.
        lockOut: {},
        enable: { target: 'enabled', actions: 'clearAll' },
        lapse: [{ guard: 'periodOver', target: 'enabled', actions: 'clearPeriod' }, {}],
        remove: [
          { guard: 'isDefaultAdmin', ...refuse('ENTITY_CAN_NOT_BE_DELETED') },
          { target: 'deleted' },
        ],
      },
    },
    deleted: { type: 'final' },
  },
});

/** The life of an identity (behaviour/identities, behaviour/login#lockout). */
export const identity: DurableMachine<typeof machine> = {
  machine,
  meanings: {
    none: 'over',
    enabled: 'good',
    disabled: 'waiting',
    deleted: 'over',
  },
  guards: {
    isAdmin: 'the identity is an administrator',
    isDefaultAdmin: 'the identity is the default administrator',
    isLockedOut: 'wrong passwords keep it locked out already',
    wasLockedOut: 'wrong passwords have locked it out before',
    periodOver: 'the period for which it was disabled is over',
  },
  deadline: {
    event: 'lapse',
    at: (record: IdentityRecord) => record.disabledUntil,
  },
  faultOf({ state, disabledAt, disabledUntil }: IdentityRecord) {
    if (state === 'disabled') {
      if (disabledAt !== undefined) return undefined;
      return { description: 'is disabled, and does not say since when', patch: undefined };
    }
    if (disabledAt === undefined && disabledUntil === undefined) return undefined;
    const patch = { disabledAt: undefined, disabledUntil: undefined };
    return { description: 'is enabled, and has the times of a disabled one', patch };
  },
};

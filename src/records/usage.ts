// How many bytes circuits carried, summed by the hour (behaviour/usage#sums-by-the-hour).

import Type from 'typebox';
import { field, optional } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

/** `2026-11-27T08`, in UTC. */
const hour = () => field(Type.String(), { required: true, write: 'never', grouped: true });
const groupedId = () => field(Type.String(), { required: true, write: 'never', grouped: true });
const ownerId = () => optional(Type.String(), { write: 'never' });
const bytes = () => field(Type.Integer(), { fallback: 0, write: 'never' });

/** The four sums of a record. */
const sums = {
  clientSentBytes: bytes(),
  clientReceivedBytes: bytes(),
  hostSentBytes: bytes(),
  hostReceivedBytes: bytes(),
};

/**
 * The sums of one hour for a service or for an identity: one of the two ids is set. They are plain
 * texts, because what was carried stays true when its service or its identity is deleted.
 */
export const usageKind = defineKind({
  kind: 'usage',
  version: 1,
  fields: { hour: hour(), serviceId: ownerId(), identityId: ownerId(), ...sums },
  many: [],
  calledBy: ['hour', 'serviceId', 'identityId'],
});

/** The sums of one hour for a service and an identity together. */
export const usagePairKind = defineKind({
  kind: 'usagePair',
  version: 1,
  fields: { hour: hour(), serviceId: groupedId(), identityId: groupedId(), ...sums },
  many: [],
  calledBy: ['hour', 'serviceId', 'identityId'],
});

/** What was carried in an hour for a service or an identity. */
export type UsageRecord = RecordOf<typeof usageKind.fields>;

/** What was carried in an hour for a service and an identity. */
export type UsagePairRecord = RecordOf<typeof usagePairKind.fields>;

/** The sums that both kinds hold. */
export type UsageSums = Readonly<Record<keyof typeof sums, number>>;

// Circuits: the ways that clients' traffic takes from a router to the host of a service
// (behaviour/control-channel#circuits).

import Type from 'typebox';
import { circuit } from '../../machines/circuit.ts';
import { field, optional } from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';

const id = () => field(Type.String(), { required: true, write: 'never' });
const groupedId = () => field(Type.String(), { required: true, write: 'never', grouped: true });
const optionalId = () => optional(Type.String(), { write: 'never', grouped: true });
const ids = () => field(Type.Array(Type.String()), { fallback: [], write: 'never' });
const count = () => field(Type.Integer(), { fallback: 0, write: 'never' });

/**
 * Circuits while this process knows them, those that are still being created included. The owners
 * of a circuit are plain texts, because it ends by more than their deletion, and it never ends
 * within the transaction that takes its right: its routers are told first.
 */
export const circuitKind = defineKind({
  kind: 'circuit',
  version: 1,
  volatile: true,
  fields: {
    state: field(Type.String(), { fallback: 'routing', write: 'never' }),
    sessionId: optionalId(),
    apiSessionId: optionalId(),
    identityId: groupedId(),
    serviceId: groupedId(),
    terminatorId: groupedId(),
    hostId: groupedId(),
    routers: ids(),
    links: ids(),
    ingressId: id(),
    egressId: id(),
    attempt: count(),
    reroutes: count(),
  },
  many: [],
  calledBy: ['serviceId', 'identityId'],
  machine: { declaration: circuit, creates: 'create', removes: 'end' },
});

/** A circuit. */
export type CircuitRecord = RecordOf<typeof circuitKind.fields>;

/**
 * The circuits that carry traffic, as they are kept on disk: their paths and the rights that they
 * rest on. A circuit has the same id in both kinds.
 */
export const circuitPathKind = defineKind({
  kind: 'circuitPath',
  version: 1,
  fields: {
    sessionId: optional(Type.String(), { write: 'never' }),
    apiSessionId: optional(Type.String(), { write: 'never' }),
    identityId: id(),
    serviceId: id(),
    terminatorId: id(),
    hostId: id(),
    routers: ids(),
    links: ids(),
    ingressId: id(),
    egressId: id(),
  },
  many: [],
  calledBy: ['serviceId', 'identityId'],
});

/** A circuit as it is kept on disk. */
export type CircuitPathRecord = RecordOf<typeof circuitPathKind.fields>;

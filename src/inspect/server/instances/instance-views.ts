// One instance of a machine as inspectors see it: a row of a list, or all its details.

import { shownValue, timeText } from '../../../declare/kinds/masking.ts';
import { routerPresenceKind } from '../../../records/router-presence.ts';
import type { RecordBase, Row } from '../../../store/record.ts';
import type { InstanceDetail, InstanceRow } from '../../messages.ts';
import type { InspectEnvironment } from '../context.ts';
import type { LiveInstance, LiveMachine } from '../machines/live-machines.ts';
import { checkExpiries } from './instance-expiries.ts';
import { referrersOf, relationsOf } from './relations.ts';
import { sessionClient } from './session-client.ts';
import { sessionWords } from './session-words.ts';

/** A durable instance in a list. */
export function instanceRow(env: InspectEnvironment, kind: string, row: Row): InstanceRow {
  const { inspection } = env;
  const { record, lsn } = row;
  const client = sessionClient(env, kind, row);
  const wait = inspection.waitOf(kind, row);
  return {
    id: record.id,
    name: inspection.names.of(kind, record),
    state: stateOf(record),
    ...sessionWords(env, kind, record.id),
    createdAt: momentText(record.createdAt),
    updatedAt: momentText(record.updatedAt),
    lsn,
    ...(wait === undefined ? {} : { deadline: momentText(wait.at) }),
    ...(client === undefined ? {} : { client }),
  };
}

/** A live instance in a list. */
export function liveRow({ id, name, state, sinceMs }: LiveInstance): InstanceRow {
  const at = momentText(sinceMs);
  return { id, name, state, createdAt: at, updatedAt: at, lsn: 0 };
}

/** A durable instance with all its details. */
export function instanceDetail(env: InspectEnvironment, kind: string, row: Row): InstanceDetail {
  const { inspection } = env;
  const { record, lsn } = row;
  const state = stateOf(record);
  const wait = inspection.waitOf(kind, row);
  const expiries = checkExpiries(env, kind, record);
  const client = sessionClient(env, kind, row);
  return {
    id: record.id,
    kind,
    name: inspection.names.of(kind, record),
    state,
    ...sessionWords(env, kind, record.id),
    isLive: false,
    lsn,
    record: { ...shownRecord(env, kind, record), ...modelOf(env, kind, record) },
    ...(wait === undefined ? {} : { deadline: { at: momentText(wait.at), event: wait.event } }),
    ...(expiries.length === 0
      ? {}
      : { lapses: expiries.map(({ at, id, name }) => ({ at: momentText(at), id, name })) }),
    events: inspection.chartOf(kind)?.eventsOf(state) ?? [],
    relations: relationsOf(env, kind, record),
    referrers: referrersOf(env, kind, record.id),
    ...(client === undefined ? {} : { client }),
  };
}

/** A live instance with all its details. */
export function liveDetail(
  { inspection }: InspectEnvironment,
  { id: kind }: LiveMachine,
  { id, name, state, sinceMs, record = {} }: LiveInstance,
): InstanceDetail {
  return {
    id,
    kind,
    name,
    state,
    isLive: true,
    lsn: 0,
    record: { ...record, since: momentText(sinceMs) },
    events: inspection.chartOf(kind)?.eventsOf(state) ?? [],
    relations: [],
    referrers: [],
  };
}

/** In declared order; absent fields are null. */
function shownRecord({ registry }: InspectEnvironment, kind: string, record: RecordBase) {
  const declared = registry.kinds.get(kind);
  if (declared === undefined) return {};
  const values: Readonly<Record<string, unknown>> = record;
  const names = ['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', ...declared.fieldNames];
  return Object.fromEntries(names.map((name) => [name, shownValue(declared, name, values[name])]));
}

/** With the presence of a router, how far it knows the model of the network. */
function modelOf({ routerModels }: InspectEnvironment, kind: string, { id }: RecordBase) {
  const standing = kind === routerPresenceKind.kind ? routerModels.standingOf(id) : undefined;
  if (standing === undefined) return {};
  return { modelIndex: standing.index, modelLag: standing.lag ?? null };
}

function stateOf(record: RecordBase): string {
  const { state = '' }: RecordBase & { readonly state?: unknown } = record;
  return String(state);
}

/** Values that are not times are returned unchanged. */
function momentText(ms: number): string {
  return String(timeText(ms));
}

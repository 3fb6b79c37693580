// What was created, updated and deleted, with the state before and after
// (behaviour/events#entity-changes).

import type { Kind } from '../../declare/kinds/kind.ts';
import { shownValue } from '../../declare/kinds/masking.ts';
import type { EventFields } from '../../observe/events.ts';
import { version } from '../../platform/version.ts';
import { identityKind } from '../../records/identity.ts';
import { routerKind } from '../../records/router.ts';
import { kinds } from '../../resources/index.ts';
import type { RecordBase } from '../../store/record.ts';
import type { Store } from '../../store/store.ts';
import type { ChangeSet, CommittedChange } from '../../store/transaction.ts';
import type { CommitSurroundings, LateFields } from './commit-source.ts';

/** The name of each kind in events; kinds without one have events of their own, or are internal. */
const entityTypes: Readonly<Record<string, string>> = {
  authenticator: 'authenticators',
  authPolicy: 'authPolicies',
  ca: 'cas',
  config: 'configs',
  configType: 'configTypes',
  edgeRouterPolicy: 'edgeRouterPolicies',
  enrollment: 'enrollments',
  externalJwtSigner: 'externalJwtSigners',
  identity: 'identities',
  identityType: 'identityTypes',
  mfaEnrollment: 'mfas',
  postureCheck: 'postureChecks',
  postureCheckType: 'postureCheckTypes',
  router: 'routers',
  service: 'services',
  serviceEdgeRouterPolicy: 'serviceEdgeRouterPolicies',
  servicePolicy: 'servicePolicies',
  sessionCertificate: 'apiSessionCertificates',
  terminator: 'terminators',
};

const shownKinds = new Map<string, Kind>(kinds.map((kind) => [kind.kind, kind]));

/**
 * The changes of a frame, and after them one `committed` for each: OpenZiti tells of changes before
 * they are committed, and its readers wait for that.
 */
export function entityChangeEvents(set: ChangeSet, { store }: CommitSurroundings): LateFields[] {
  const events: LateFields[] = [];
  const ids: string[] = [];
  for (const change of set.changes) {
    if (entityTypes[change.table.kind] === undefined) continue;
    const eventId = `${set.lsn}.${ids.length}`;
    ids.push(eventId);
    events.push(() => changeFields(eventId, change, set, store));
  }
  for (const eventId of ids) events.push({ eventId, eventType: 'committed' });
  return events;
}

function changeFields(
  eventId: string,
  { table, before, after }: CommittedChange,
  { cause, lsn }: Pick<ChangeSet, 'cause' | 'lsn'>,
  store: Store,
): EventFields {
  const isRest = cause.requestId !== '';
  return {
    eventId,
    eventType: before === undefined ? 'created' : after === undefined ? 'deleted' : 'updated',
    metadata: {
      author: authorOf(cause.actor, lsn, store),
      source: { type: isRest ? 'rest' : 'ctrl.channel', auth: 'edge', method: cause.operation },
      version: `v${version}`,
    },
    entityType: entityTypeOf(table.kind, after ?? before),
    isParentEvent: false,
    ...(before === undefined ? {} : { initialState: stateOf(table.kind, before) }),
    ...(after === undefined ? {} : { finalState: stateOf(table.kind, after) }),
  };
}

function entityTypeOf(kind: string, record: RecordBase | undefined): string | undefined {
  const isEdgeRouter = kind === routerKind.kind && record !== undefined && 'isEdge' in record;
  return isEdgeRouter && record.isEdge === true ? 'edgeRouters' : entityTypes[kind];
}

/** A name that a later frame has set is not shown, because that frame may not be durable. */
function authorOf(id: string, lsn: number, store: Store) {
  const identity = store.table(identityKind).peek(id);
  if (identity !== undefined) {
    return { type: 'identity', id, name: identity.lsn <= lsn ? identity.record.name : '' };
  }
  const router = store.table(routerKind).peek(id);
  if (router !== undefined) {
    return { type: 'router', id, name: router.lsn <= lsn ? router.record.name : '' };
  }
  return { type: id === 'anonymous' ? 'unattributed' : 'controller', id, name: id };
}

/** The stored record without its secrets. */
function stateOf(kindName: string, record: RecordBase): EventFields {
  const kind = shownKinds.get(kindName) ?? { fields: {} };
  const state: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || value === null) continue;
    state[name] = name === 'id' ? value : shownValue(kind, name, value);
  }
  return state;
}

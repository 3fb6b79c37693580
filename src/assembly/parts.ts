// Builds the environment: the parts of a controller that operations use.

import type { AccessPart } from '../access/access-part.ts';
import { createRequestedSnapshots } from '../actors/requested-snapshots.ts';
import type { Snapshotter } from '../actors/snapshotter.ts';
import { type AuthPart, createAuth, type HashingQueue } from '../auth/auth-part.ts';
import { signaturesRunningMax } from '../auth/passwords/shared-hasher.ts';
import type { ApiSessionEndings } from '../auth/sessions/endings.ts';
import type { ApiSessionLife } from '../auth/sessions/life.ts';
import { controlAddresses } from '../cluster/node/control-addresses.ts';
import type { Cascades } from '../declare/kinds/cascades.ts';
import { ListBuilds } from '../declare/lists/builds.ts';
import type { Addresses, Environment } from '../declare/operations/environment.ts';
import { Registry } from '../declare/resources/registry.ts';
import { scopesOf } from '../declare/resources/scopes.ts';
import { ApiError } from '../errors/errors.ts';
import type { InspectPart } from '../inspect/server/inspect-part.ts';
import { Inspection } from '../inspect/server/instances/inspection.ts';
import { instanceResources } from '../inspect/server/instances/instance-resources.ts';
import type { MachineStates } from '../inspect/server/machines/machine-states.ts';
import { Tickets } from '../inspect/server/stream/tickets.ts';
import type { IntegrityPart } from '../integrity/integrity-part.ts';
import type { MonitoringPart } from '../monitoring/monitoring-part.ts';
import type { Log } from '../observe/logs.ts';
import { Traces } from '../observe/traces.ts';
import { createOidc } from '../oidc/oidc-part.ts';
import type { Serving } from '../pki/authority/serving.ts';
import { createPki } from '../pki/pki-part.ts';
import { FailedRequests } from '../posture/failed-requests.ts';
import type { PosturePart } from '../posture/posture-part.ts';
import { clientCas } from '../resources/cas/client-cas.ts';
import { fabricResources, kinds, resources } from '../resources/index.ts';
import { createRoutersPart, type RoutersPart } from '../routers/routers-part.ts';
import type { BoundValues } from '../settings/bounds.ts';
import type { Store } from '../store/store.ts';
import { Admission, FifoQueue } from '../turns/admission.ts';
import type { ControllerEnvironment } from './controller-environment.ts';
import type { CoreOptions, Opened } from './core-options.ts';
import { operations } from './operations.ts';

/** The parts of a core that are created before its environment. */
export interface CoreParts
  extends AccessPart,
    Pick<PosturePart, 'posture'>,
    Pick<AuthPart, 'activity'>,
    Pick<InspectPart, 'logReader' | 'audit'>,
    Pick<RoutersPart, 'cluster' | 'usage'>,
    IntegrityPart,
    MonitoringPart {
  readonly serving: Serving;
  readonly cascades: Cascades;
  readonly states: MachineStates;
  readonly send: Environment['send'];
  readonly events: Environment['events'];
  readonly snapshotter: Snapshotter;
  readonly hashing: HashingQueue;
  readonly apiSessionEndings: ApiSessionEndings;
  /** Tells which timed event a record will receive, and when. */
  readonly waitOf: ApiSessionLife['waitOf'];
  /** On a node of a cluster, both change with each leadership. */
  readonly began: Pick<Addresses, 'startedAt' | 'instanceId'>;
}

/** Builds the environment of a controller. */
export function createEnvironment(
  options: CoreOptions,
  opened: Opened,
  parts: CoreParts,
): ControllerEnvironment {
  const { config, clock, random, bounds, addresses } = options;
  const { store, ids } = opened;
  const { limits } = config;
  const { access, posture, integrity, observation, logReader, audit, serving, send } = parts;
  // The queue needs no bound: its entries are requests, which are bounded on arrival.
  const signatures = new Admission({
    runningMax: signaturesRunningMax,
    queue: new FifoQueue(Number.POSITIVE_INFINITY),
  });
  const failedRequests = new FailedRequests(bounds);
  failedRequests.follow(store);
  return {
    ...createAuth({ ...options, ...opened, ...parts, cas: clientCas(store), signatures }),
    ...createPki({
      ...opened,
      serving,
      clock,
      random,
      addresses,
      signatures,
      controlAddresses: () => controlAddresses(addresses.control, parts.cluster()),
    }),
    ...createOidc({ store, random, log: options.log }),
    ...createRoutersPart({ ...parts, store, clock, bounds }),
    ...shown(options, opened, parts),
    store,
    send,
    access,
    posture,
    failedRequests,
    integrity,
    observation,
    logReader,
    audit,
    tickets: new Tickets({ clock, random, bounds }),
    builds: new ListBuilds(clock, limits, bounds),
    snapshots: createRequestedSnapshots(parts.snapshotter, clock, limits.snapshotIntervalMs),
    memory: roomIn(options, store, parts.cluster),
    traces: createTraces(store, bounds),
    events: parts.events,
    clock,
    ids,
    config,
    limits,
    bounds,
    get logPlan() {
      return planLogOf(options.log);
    },
    addresses: {
      ...addresses,
      get startedAt() {
        return parts.began.startedAt;
      },
      get instanceId() {
        return parts.began.instanceId;
      },
    },
    get apiKey() {
      return serving.apiKey;
    },
    get serverCertificate() {
      return serving.server.certificate;
    },
  };
}

/**
 * Creates the inspector's view of kinds, resources, and each record as an instance of its machine.
 */
function shown(
  { config, bounds }: CoreOptions,
  { store }: Opened,
  { cascades, states, waitOf }: CoreParts,
): Pick<ControllerEnvironment, 'registry' | 'inspection'> {
  const { perKind, scopes } = declared();
  return {
    registry: new Registry({
      kinds,
      resources,
      fabricResources,
      scopes,
      operations,
      cascades,
      store,
      limits: config.limits,
      bounds,
    }),
    inspection: new Inspection({ store, kinds, resources: perKind, waitOf, states, bounds }),
  };
}

let compiled: ReturnType<typeof compileDeclared> | undefined;

/** The lists of the inspector and the scopes of all resources, compiled by the first controller. */
function declared(): ReturnType<typeof compileDeclared> {
  compiled ??= compileDeclared();
  return compiled;
}

function compileDeclared() {
  const perKind = instanceResources(kinds, resources);
  const lists = [...perKind.values()];
  return {
    perKind,
    scopes: scopesOf({ kinds, resources, fabricResources, instanceResources: lists }),
  };
}

/** Undefined while debug lines are off; the level may change at any time. */
function planLogOf(log: Log): Environment['logPlan'] {
  return log.level === 'debug'
    ? (plan) => log.debug(plan, 'how the rows of a list were found')
    : undefined;
}

/** A trace is removed with its identity. */
function createTraces(store: Store, bounds: BoundValues | undefined): Traces {
  const traces = new Traces(bounds);
  store.follow(({ changes }) => {
    for (const { table, row, after } of changes) {
      if (table.kind === 'identity' && after === undefined) traces.end(row.id);
    }
  });
  return traces;
}

/** Where a record needs room: in memory, and on the disk or the servers that keep the log. */
function roomIn(
  { memory }: CoreOptions,
  store: Store,
  cluster: CoreParts['cluster'],
): Environment['memory'] {
  return {
    admitRecord() {
      memory.admitRecord();
      // A node that follows has no journal when its environment is created.
      const { health } = store.journal;
      const isDiskShort = health.state === 'writable' && health.isShort === true;
      if (!isDiskShort && cluster()?.isShort !== true) return;
      const headers = [['retry-after', String(roomAgainSeconds)]] as const;
      throw new ApiError('STORAGE_LIMIT_REACHED', { headers });
    },
  };
}

/** While there is too little room, a caller is told to try again after this time, in seconds. */
const roomAgainSeconds = 10;

// Whether the controller is well, for load balancers, monitoring and the people they wake.

import { lagMsMax, type WatchedCluster } from '../cluster/node/watch.ts';
import { misdirected } from '../http/application/following-reads.ts';
import type { OutsideHandler } from '../http/application/other-paths.ts';
import { failedNodeNote, shortNote } from './disk-lines.ts';
import type { Sources, WatchedCore } from './sources.ts';

/**
 * Which requests the controller can serve. `read-only`: the log takes no writes. `following`: the
 * node of a cluster that leads serves them.
 */
export type HealthState =
  | 'ready'
  | 'read-only'
  | 'recovering'
  | 'following'
  | 'draining'
  | 'failed';

/** One health check (behaviour/information#health). */
export interface HealthCheck {
  readonly id:
    | 'controller'
    | 'storage'
    | 'space'
    | 'backlog'
    | 'snapshot'
    | 'recovery'
    | 'records'
    | 'clock'
    | 'event-loop'
    | 'memory'
    | 'router-model'
    | ClusterCheckId;
  readonly healthy: boolean;
  /** Whether a failure makes the controller as a whole unhealthy. */
  readonly critical: boolean;
  /** Advice to the operator; empty if all is well. It never contains the path of the home. */
  readonly message: string;
  readonly lastCheckTime: string;
  /** As Go prints durations: `12µs`. */
  readonly lastCheckDuration: string;
}

/** Checks that exist on a node of a cluster alone. */
type ClusterCheckId =
  | 'cluster'
  | 'cluster-lag'
  | 'cluster-log'
  | 'cluster-clock'
  | 'cluster-members'
  | 'cluster-store';

/** The result of all checks. */
export interface Health {
  readonly healthy: boolean;
  readonly state: HealthState;
  readonly checks: readonly HealthCheck[];
}

/** Checks the health now. Every check reads a few fields. */
export function healthOf(sources: Sources): Health {
  const all = sources.cluster === undefined ? probes : [...probes, ...clusterProbes];
  const checks = all.map((probe) => probed(sources, probe));
  return {
    healthy: checks.every(({ healthy, critical }) => healthy || !critical),
    state: stateOf(sources),
    checks,
  };
}

/** The JSON text of the answer of `/health-checks`, and its status. */
export function healthAnswer(sources: Sources): { readonly status: number; readonly body: string } {
  const data = healthOf(sources);
  return { status: data.healthy ? 200 : 503, body: JSON.stringify({ data, meta: {} }) };
}

/**
 * `GET /health-checks` on the ordinary listeners. Needs no session, because load balancers call it.
 */
export function healthChecks(sources: Sources): OutsideHandler {
  return {
    path: '/health-checks',
    methods: ['GET'],
    answer({ query }) {
      if (query === ofLeader && sources.phase === 'following') {
        return { status: misdirected, headers: [], body: '' };
      }
      const { status, body } = healthAnswer(sources);
      const headers = [
        ['content-type', 'application/json'],
        ['cache-control', 'no-store'],
      ] as const;
      return { status, headers, body };
    },
  };
}

/** The query by which a node of a cluster is asked for the health of its leader. */
const ofLeader = 'of=leader';

interface Probe {
  readonly id: HealthCheck['id'];
  readonly critical: boolean;
  /** What the operator should do; empty if all is well. */
  message(sources: Sources): string;
}

const probes: readonly Probe[] = [
  { id: 'controller', critical: true, message: controllerMessage },
  { id: 'storage', critical: true, message: ofCore(storageMessage) },
  { id: 'space', critical: false, message: ofCore(spaceMessage) },
  { id: 'backlog', critical: false, message: ofCore(backlogMessage) },
  { id: 'snapshot', critical: false, message: ofCore(snapshotMessage) },
  { id: 'recovery', critical: false, message: ofCore(recoveryMessage) },
  { id: 'records', critical: false, message: ofCore(recordsMessage) },
  { id: 'clock', critical: false, message: ofCore(clockMessage) },
  { id: 'event-loop', critical: false, message: eventLoopMessage },
  { id: 'memory', critical: false, message: ofCore(memoryMessage) },
  { id: 'router-model', critical: false, message: ofCore(modelMessage) },
];

const clusterProbes: readonly Probe[] = [
  { id: 'cluster', critical: true, message: ofCluster(clusterMessage) },
  { id: 'cluster-lag', critical: false, message: ofCluster(lagMessage) },
  { id: 'cluster-log', critical: false, message: ofCluster(localLogMessage) },
  { id: 'cluster-clock', critical: false, message: ofCluster(skewMessage) },
  {
    id: 'cluster-members',
    critical: false,
    message: ofCluster((cluster) => cluster.membersProblem()),
  },
  {
    id: 'cluster-store',
    critical: false,
    message: ofCluster((cluster) => cluster.storeProblem()),
  },
];

function ofCluster(message: (cluster: WatchedCluster) => string): Probe['message'] {
  return ({ cluster }) => (cluster === undefined ? '' : message(cluster));
}

/** A follower is well: it relays what it is asked to the leader. */
function clusterMessage({ state: { role, trouble, leaderId } }: WatchedCluster): string {
  const why = trouble === undefined ? '' : ` (${trouble})`;
  switch (role) {
    case 'recovering':
      return `the node reads snapshot and log and does not serve yet${why}: wait`;
    case 'standing':
      return `no node leads, and this one tries to${why}: see the NATS servers and the other nodes`;
    case 'isolated':
      return `the NATS servers do not answer, and nothing is served${why}: see to them and to the network`;
    case 'halted':
      return `the node is halted and serves nothing${why}: see edge-control cluster status`;
    case 'following':
      return leaderId === undefined ? `no node leads${why}: see the other nodes` : '';
    case 'leading':
      return '';
  }
}

/** Nothing waits for the disk of a node: what its log lacks stands in the stream. */
function localLogMessage({ state: { localLog } }: WatchedCluster): string {
  return localLog === undefined
    ? ''
    : 'the log of the home lacks the newest changes, which are safe in the stream: check the disk of the home';
}

function lagMessage({ state: { role, lagMs } }: WatchedCluster): string {
  return role === 'following' && lagMs > lagMsMax
    ? `the node is ${Math.round(lagMs)} ms behind the leader: see its processor and its network`
    : '';
}

function skewMessage({ state: { clockSkewMs }, clockSkewMsMax }: WatchedCluster): string {
  return Math.abs(clockSkewMs) > clockSkewMsMax
    ? `the clock differs by ${Math.round(clockSkewMs)} ms from that of the NATS servers: see to the time service`
    : '';
}

function probed(sources: Sources, { id, critical, message }: Probe): HealthCheck {
  const { clock } = sources;
  const startedMs = clock.monotonic();
  const problem = message(sources);
  const micros = Math.round((clock.monotonic() - startedMs) * 1000);
  return {
    id,
    healthy: problem === '',
    critical,
    message: problem,
    lastCheckTime: new Date(clock.now()).toISOString(),
    lastCheckDuration: `${micros}µs`,
  };
}

/** While there is no core yet, its checks pass. */
function ofCore(message: (core: WatchedCore, sources: Sources) => string): Probe['message'] {
  return (sources) => (sources.core === undefined ? '' : message(sources.core, sources));
}

function stateOf(sources: Sources): HealthState {
  const { phase, cluster } = sources;
  if (cluster !== undefined && (phase === 'serving' || phase === 'following')) {
    if (cluster.state.role === 'halted') return 'failed';
    if (isBetween(cluster)) return 'recovering';
  }
  return ownStateOf(sources);
}

/** The state of a controller for itself. */
function ownStateOf({ phase, core }: Sources): HealthState {
  switch (phase) {
    case 'boot':
    case 'recovering':
    case 'takingOver':
      return 'recovering';
    case 'following':
      return 'following';
    case 'draining':
    case 'stopped':
      return 'draining';
    case 'failed':
      return 'failed';
    case 'serving':
      if (core?.journal.health.state === 'failed') return 'failed';
      return core?.journal.health.state === 'stalled' ? 'read-only' : 'ready';
  }
}

/** Whether a node can neither answer nor relay, until it or another one leads. */
function isBetween({ state: { role, leaderId } }: WatchedCluster): boolean {
  if (role === 'leading') return false;
  return role !== 'following' || leaderId === undefined;
}

function controllerMessage(sources: Sources): string {
  // What the node of a cluster waits for, the check of the cluster says.
  switch (ownStateOf(sources)) {
    case 'recovering':
      return 'the controller reads its home and does not serve yet: wait';
    case 'draining':
      return 'the controller is being stopped';
    case 'failed':
      return 'the controller cannot go on and ends: see its log, and start it again';
    default:
      return '';
  }
}

function storageMessage({ journal }: WatchedCore, { cluster }: Sources): string {
  switch (journal.health.state) {
    case 'stalled':
      // The log of a node is the stream, of which the check of the cluster tells.
      if (cluster !== undefined) return '';
      return 'the log does not accept writes: check the disk of the home; it recovers by itself';
    case 'failed':
      if (cluster !== undefined) return failedNodeNote;
      return 'the log has failed permanently: check the disk of the home, and start the controller again';
    case 'writable':
      return '';
  }
}

function spaceMessage({ journal: { health } }: WatchedCore): string {
  return health.state === 'writable' && health.isShort ? shortNote : '';
}

/** How long a refusal is shown: longer than most intervals between two checks. */
const crowdShownMs = 60_000;

function backlogMessage({ requests }: WatchedCore, { clock }: Sources): string {
  const { crowdedAtMs } = requests;
  const isRecent = crowdedAtMs !== undefined && clock.monotonic() - crowdedAtMs < crowdShownMs;
  return isRecent
    ? 'writes were refused as too much waited for the disk: see whether the disk of the home is slow'
    : '';
}

function snapshotMessage({ snapshotter, config }: WatchedCore): string {
  const { isFailing, behindMs } = snapshotter.figures;
  if (isFailing) {
    return 'the last snapshot could not be written: check the disk; the log has everything';
  }
  // A snapshot that is due may take a while. The check fails only if none is taken for a long time.
  return behindMs <= 2 * config.snapshot.ageMinutes * 60_000
    ? ''
    : 'the newest snapshot is too old: take one, and see the log if that fails';
}

/**
 * An operator who requests a snapshot has read the warning, and the new snapshot replaces what it
 * warns of.
 */
function recoveryMessage({ report, snapshotter }: WatchedCore): string {
  if (snapshotter.figures.keptAsked > 0) return '';
  if (report.damagedSnapshots.length > 0) {
    return 'a damaged snapshot was skipped at the start: check the disk, and take another one';
  }
  return report.tornTail === undefined
    ? ''
    : 'a crash had torn the end of the log, and what was cut off is kept beside it: nothing that was answered is lost; take a snapshot to acknowledge';
}

function recordsMessage({ store }: WatchedCore): string {
  const full = [...store.tables()].filter(({ isFull }) => isFull).map(({ kind }) => kind);
  return full.length === 0
    ? ''
    : `there are as many records of ${full.join(', ')} as the configuration permits: delete some, or raise the bound`;
}

function clockMessage({ clockWatch }: WatchedCore, { clock }: Sources): string {
  const { lastAtMs } = clockWatch.jumps;
  const isRecent = lastAtMs !== undefined && clock.monotonic() - lastAtMs < clockJumpShownMs;
  return isRecent ? 'the clock of this machine jumped: see to its time service' : '';
}

function eventLoopMessage({ eventLoop, core }: Sources): string {
  if (eventLoop === undefined || core === undefined) return '';
  return eventLoop.recentLongestMs < longPauseMs
    ? ''
    : 'the controller was held up: see whether the machine has cores and memory to spare';
}

function memoryMessage({ memory }: WatchedCore): string {
  return memory.isFull
    ? 'the heap is nearly full and no records are created: give the controller more memory, or delete what is not needed'
    : '';
}

/** What routers decide without the model is less, but nothing else fails. */
function modelMessage({ models, config }: WatchedCore): string {
  const { tooLargeBytes } = models.figures ?? {};
  if (tooLargeBytes === undefined) return '';
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000)} MB`;
  const { routerModelBytesMax } = config.limits;
  return `the model of the network takes ${megabytes(tooLargeBytes)} for a router, and routers get none of more than ${megabytes(routerModelBytesMax)}: let service policies select fewer identities, or raise limits.routerModelBytesMax`;
}

/** How long health shows that the clock jumped: checks come every few minutes. @bound */
export const clockJumpShownMs = 600_000;

/** A pause of the event loop that health shows. Nothing here takes a twentieth of it. @bound */
const longPauseMs = 1000;

// The state of a cluster as `cluster status` reads it, and what is wrong with it.

import type { OpenStream } from '../../cluster/access.ts';
import { lowestFormats, newerThan } from '../../cluster/log/formats.ts';
import {
  boundText,
  isLate,
  sharedAgeMs,
  shortBounds,
  storesOf,
} from '../../cluster/log/store-room.ts';
import type { Formats, HighWaterMark, Member } from '../../cluster/membership.ts';
import { shownNode, shownNodeId } from '../../cluster/node/node-name.ts';
import { positionObjection } from '../../cluster/node/standing.ts';
import { lagMsMax, memberAwayMs } from '../../cluster/node/watch.ts';
import type { SharedSnapshot, StoreBound, StoreState } from '../../cluster/shared-snapshots.ts';
import {
  type Generation,
  type LogPoint,
  type StreamState,
  StreamUnreachable,
} from '../../cluster/stream.ts';
import { differingKeys } from '../../pki/shared-keys.ts';
import { differingSettings } from '../../settings/cluster-wide-settings.ts';

/** Everything that the servers tell of a cluster at a moment. */
export interface ClusterFacts {
  readonly dataSetId: string;
  readonly generation: Generation;
  /** In ms since 1970, by the clock of the servers if they say it. */
  readonly atMs: number;
  readonly members: readonly Member[];
  /** Entries that were not written with the keys of the home of the command. */
  readonly uncounted: readonly Member[];
  /**
   * Why JetStream takes no message, if that is why no node was heard of: they cannot write their
   * entries then.
   */
  readonly full: string | undefined;
  /** Whether the directory of the nodes could be read; without it nothing is known of them. */
  readonly knowsMembers: boolean;
  readonly marks: readonly HighWaterMark[];
  /** The formats that all nodes write; undefined before the first one has started. */
  readonly formats: Formats | undefined;
  /** Why no node may lead. */
  readonly halt: string | undefined;
  readonly stream: Pick<StreamState, 'first' | 'last'>;
  /** The last frame in the stream, read after the marks; undefined if it is not known. */
  readonly end: LogPoint | undefined;
  readonly snapshots: readonly SharedSnapshot[];
  /** The content of the servers and the room left there, as far as they tell. */
  readonly store: StoreState | undefined;
  /** In what servers and stream differ from how they have to be. */
  readonly faults: readonly string[];
}

/** What `status` prints, and the content of its JSON. */
export interface ClusterReport extends ClusterFacts {
  /** Id of the node that leads. */
  readonly leaderId: string | undefined;
  /** All that are known of the account and the servers. */
  readonly bounds: readonly StoreBound[];
  /** As `sharedAgeMs` tells it. */
  readonly sharedAgeMs: number | undefined;
  /** Sentences; empty if all is well. */
  readonly problems: readonly string[];
  /** What an operator should know though nothing is wrong. */
  readonly notes: readonly string[];
}

/**
 * Reads the facts. A server that hangs may lead the directory or the snapshots while the log is
 * well: that is a fault like others. Rejects with StreamUnreachable if the log does not answer.
 */
export async function readFacts(
  { stream, members, snapshots, store, end: endOf, faults }: OpenStream,
  at: Pick<ClusterFacts, 'dataSetId' | 'generation' | 'atMs'>,
): Promise<ClusterFacts> {
  const unread: string[] = [];
  const told = async <T>(what: string, asked: Promise<T>): Promise<T | undefined> => {
    try {
      return await asked;
    } catch (thrown) {
      if (!(thrown instanceof StreamUnreachable)) throw thrown;
      unread.push(`${what} cannot be read: ${thrown.message}.`);
      return undefined;
    }
  };
  // One after the other: a question without an answer ends the connection, and all that wait in it.
  const { first, last, serverTimeMs = at.atMs } = await stream.state();
  const directory = await told(
    'The directory of the nodes',
    Promise.all([
      members.list(),
      members.uncounted(),
      members.marks(),
      members.formats(),
      members.halt(),
    ]),
  );
  const end = await told('The end of the log', endOf());
  const all = directory?.[0] ?? [];
  const isNobodyHeard = all.length > 0 && all.every((member) => isSilent(member, serverTimeMs));
  const full = isNobodyHeard ? await told('The room at NATS', members.probe()) : undefined;
  const kept = (await told('The list of the snapshots', snapshots.list())) ?? [];
  const room = await told('What the servers keep', store());
  const wrong = await faults();
  const [, uncounted, marks, formats, halt] = directory ?? [[], [], [], undefined, undefined];
  const sorted = [...all].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    ...at,
    atMs: serverTimeMs,
    members: sorted,
    uncounted,
    full,
    knowsMembers: directory !== undefined,
    marks,
    formats,
    halt,
    stream: { first, last },
    end,
    snapshots: kept,
    store: room,
    faults: [...unread, ...wrong],
  };
}

/** Settings of the node that asks, by which the facts are evaluated. */
export interface ReportSettings {
  readonly clockSkewMs: number;
  /** `snapshot.ageMinutes`, in ms. */
  readonly snapshotAgeMs: number;
}

/** Evaluates the facts. */
export function reportOf(facts: ClusterFacts, settings: ReportSettings): ClusterReport {
  const { clockSkewMs } = settings;
  const present = facts.members.filter((member) => !isSilent(member, facts.atMs));
  const leaders = present.filter(({ role }) => role === 'leading');
  const [leader] = leaders;
  const stores = storesOf(facts, present);
  const ageMs = ageOf(facts, stores);
  const problems = [
    ...storeProblems(stores, ageMs, settings),
    ...facts.faults,
    ...haltProblems(facts),
    ...markProblems(facts),
    ...strangerProblems(facts),
    ...fullProblems(facts),
    ...(facts.knowsMembers && facts.full === undefined ? leaderProblems(leaders) : []),
    ...snapshotProblems(facts),
    ...facts.members.flatMap((member) => [...memberProblems(member, facts, clockSkewMs)]),
    ...present.flatMap((member) => [...differences(member, leader)]),
  ];
  return {
    ...facts,
    leaderId: leader?.id,
    bounds: boundsOf(stores),
    sharedAgeMs: ageMs,
    problems,
    notes: [...notesOf(present, facts)],
  };
}

/** Whether a node is away, as far as its entry says. */
export function isSilent({ atMs }: Member, nowMs: number): boolean {
  return nowMs - atMs > memberAwayMs;
}

function ageOf(
  { store, members, atMs }: ClusterFacts,
  stores: readonly StoreState[],
): number | undefined {
  const last = Math.max(0, ...members.map((member) => member.last.lsn));
  return store && sharedAgeMs(store, stores, last, atMs);
}

/** Several nodes may see the same bound; the first one of each is taken. */
function boundsOf(stores: readonly StoreState[]): readonly StoreBound[] {
  const bounds = stores.flatMap((store) => store.bounds).toReversed();
  return [...new Map(bounds.map((bound) => [bound.of, bound])).values()].toReversed();
}

function* storeProblems(
  stores: readonly StoreState[],
  ageMs: number | undefined,
  { snapshotAgeMs }: ReportSettings,
): Generator<string> {
  const short = new Set(stores.flatMap(shortBounds).map(({ of }) => of));
  for (const bound of boundsOf(stores).filter(({ of }) => short.has(of))) {
    yield `${boundText(bound)}, which is too little: no records are created until there is room. Raise that limit, or delete records.`;
  }
  if (ageMs !== undefined && isLate(ageMs, snapshotAgeMs)) {
    yield `No node has shared a snapshot for ${Math.round(ageMs / 60_000)} minutes, so the stream grows: see the disks and the logs of the nodes.`;
  }
}

function* haltProblems({ halt }: ClusterFacts): Generator<string> {
  if (halt !== undefined) yield `No node may lead until a reseed: ${halt}.`;
}

function* fullProblems({ full }: ClusterFacts): Generator<string> {
  if (full === undefined) return;
  yield `JetStream takes no message (${full}), so the nodes cannot tell how they are, and nothing is written. Raise the limit of the account or of the NATS servers, or make room on their disks: the nodes go on by themselves.`;
}

/** A mark for which each candidate refuses to lead (behaviour/cluster#standing). */
function* markProblems({ marks, end, generation, members }: ClusterFacts): Generator<string> {
  if (end === undefined) return;
  const facts = { end: { ...end, generation }, crcAt: () => undefined };
  for (const mark of marks) {
    const node = shownNodeId(mark.id, members);
    const objection = positionObjection(facts, `the high-water mark of ${node}`, mark);
    if (objection === undefined) continue;
    yield `No other node could lead: ${objection}. If ${node} has these changes, reseed there; if it is lost or never was a node, remove it with edge-control cluster leave --node ${mark.id}.`;
  }
}

function* strangerProblems({ uncounted }: ClusterFacts): Generator<string> {
  for (const member of uncounted) {
    yield `The entry of ${shownNode(member)} was not written with the keys of this home, and does not count: its machine has another sealing key, or somebody who has only credentials for NATS wrote it.`;
  }
}

function* leaderProblems(leaders: readonly Member[]): Generator<string> {
  if (leaders.length === 0) yield 'No node leads: nothing is served.';
  if (leaders.length > 1) {
    const ids = leaders.map((leader) => `${shownNode(leader)} (term ${leader.term})`).join(', ');
    yield `Several nodes say that they lead: ${ids}. If this lasts, look at their logs.`;
  }
}

function* snapshotProblems({ snapshots, stream }: ClusterFacts): Generator<string> {
  const [newest] = snapshots;
  if (newest === undefined) {
    yield 'No snapshot is in the object store: a new node could not join.';
  } else if (newest.sequence + 1 < stream.first) {
    yield `The newest snapshot ends with message ${newest.sequence}, but the stream begins with ${stream.first}: a new node could not join.`;
  }
}

function* memberProblems(
  member: Member,
  { atMs, generation, full }: ClusterFacts,
  clockSkewMs: number,
): Generator<string> {
  const { id, role, condition } = member;
  const node = shownNode(member);
  if (isSilent(member, atMs)) {
    if (full !== undefined) return;
    yield `${node} has been silent for ${Math.round((atMs - member.atMs) / 1000)} s: start it, or remove it with edge-control cluster leave --node ${id}.`;
    return;
  }
  if (member.generation !== generation) {
    yield `${node} is of generation ${member.generation}, but the stream is of ${generation}: restart it.`;
  }
  if (role === 'halted' || role === 'isolated') {
    yield `${node} is ${role}: ${condition?.trouble ?? 'its log says why'}.`;
  }
  if (role === 'recovering') {
    // The entry that `init` and `join` write for a node says this, too, until its first start.
    const why = condition?.trouble === undefined ? '' : ` (${condition.trouble})`;
    yield `${node} is recovering, and could not take over yet${why}: start it, or wait until it follows.`;
  }
  if (condition === undefined) return;
  if (condition.localLog !== undefined) {
    yield `The log in the home of ${node} lacks the newest changes, which are safe in the stream: ${condition.localLog}. See to its disk.`;
  }
  if (role === 'following' && condition.lagMs > lagMsMax) {
    yield `${node} is ${condition.lagMs} ms behind: see its disk and its processor.`;
  }
  if (Math.abs(condition.clockSkewMs) > clockSkewMs) {
    yield `The clock of ${node} differs by ${condition.clockSkewMs} ms from that of the NATS servers: see to its time service.`;
  }
}

function* differences(member: Member, leader: Member | undefined): Generator<string> {
  if (leader === undefined || leader === member) return;
  const [node, other] = [shownNode(member), shownNode(leader)];
  const settings = differingSettings(member.settingsHash, leader.settingsHash);
  if (settings.length > 0) {
    yield `${node} has other settings than ${other}: ${settings.join(', ')}.`;
  }
  const keys = differingKeys(member.keys, leader.keys);
  if (keys.length > 0) {
    yield `${node} has other keys than ${other}: ${keys.join(', ')}.`;
  }
  const { last, generation } = member;
  if (
    generation === leader.generation &&
    last.lsn === leader.last.lsn &&
    last.crc !== leader.last.crc
  ) {
    yield `${node} and ${other} have different frames at LSN ${last.lsn}: stop both, and reseed.`;
  }
}

function* notesOf(
  present: readonly Member[],
  { members, formats = {} }: ClusterFacts,
): Generator<string> {
  const newer = newerThan(lowestFormats(members.map((member) => member.formats)), formats);
  const versions = [...new Set(present.map(({ version }) => version))].sort();
  if (versions.length > 1) {
    yield `The nodes run ${versions.join(' and ')}: when all run the same, end the upgrade with edge-control cluster finalize.`;
  } else if (newer.length > 0) {
    const names = newer.map(([name, version]) => `${name} ${version}`);
    yield `All nodes read newer formats than they write (${names.join(', ')}): end the upgrade with edge-control cluster finalize.`;
  }
  for (const member of members) {
    if (member.isUnsealed !== true) continue;
    yield `The entry of ${shownNode(member)} has no MAC, as the former release writes it: its addresses are told to nobody before it is upgraded.`;
  }
  const names = present.flatMap(({ name }) => name ?? []);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) < at))) {
    yield `Several nodes are called ${name}: give them names of their own (cluster.name).`;
  }
  if (present.length === 1) yield 'One node is there: no other one could take over.';
}

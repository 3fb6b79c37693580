// Watches the node of this process and the entries of the others: log lines when something changes,
// and what health, metrics and the inspector show.

import type { Log } from '../../observe/logs.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import { differingSettings } from '../../settings/cluster-wide-settings.ts';
import type { NodeState } from '../cluster-node.ts';
import { boundText, isLate, sharedAgeMs, shortBounds, storesOf } from '../log/store-room.ts';
import type { Member, Members } from '../membership.ts';
import type { StoreState } from '../shared-snapshots.ts';
import { StreamUnreachable } from '../stream.ts';
import { shownNode, shownNodeId } from './node-name.ts';

/** A node of a cluster, as the parts of its controller see it. */
export interface WatchedCluster {
  /** Id of this node. */
  readonly id: string;
  readonly state: NodeState;
  /** Wall-clock ms since when it has its role. */
  readonly roleSinceMs: number;
  /** The entries of all nodes that this one has read last, its own among them, sorted by id. */
  readonly members: readonly Member[];
  /** The setting `cluster.clockSkewMs`. */
  readonly clockSkewMsMax: number;
  /** Whether a node has not written its entry for a while. */
  isAway(member: Member): boolean;
  /** The keys that a machine needs to become a node, by the names of their files. */
  keyFiles(): ReadonlyMap<string, Buffer>;
  /** Whether this node is about to end. */
  readonly isLeaving: boolean;
  /**
   * Calls `listener` each time that the entries were read, and when this node is about to end. It
   * must not throw.
   */
  onMembersRead(listener: () => void): void;
  /** What is not as it should be with the others, in words; empty if all is well. */
  membersProblem(): string;
  /**
   * Whether NATS has too little room for more records: they would take what deletions, heartbeats
   * and commands need.
   */
  readonly isShort: boolean;
  /** As `sharedAgeMs` tells it, by the clock of the servers. */
  readonly sharedAgeMs: number | undefined;
  /** What is wrong with what NATS keeps, in words; empty if all is well. */
  storeProblem(): string;
  /**
   * Ends the process once `answered` has resolved, which lets another node lead at once. Only on a
   * node that leads.
   */
  stepDown(answered: Promise<void>): void;
}

/** What a watch needs. */
export interface ClusterWatchOptions {
  readonly id: string;
  /** The state at the moment of the call. */
  readonly state: () => NodeState;
  readonly members: Pick<Members, 'list'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly clockSkewMs: number;
  /** The setting `snapshot.ageMinutes`, in ms. */
  readonly snapshotAgeMs: number;
  readonly keyFiles: () => ReadonlyMap<string, Buffer>;
  /** Called with the entries whenever they were read. */
  readonly membersRead: (members: readonly Member[]) => void;
}

/** A node that has not written its entry for so long is away. */
export const memberAwayMs = 10_000;

/** A follower that is further behind than this makes a takeover long. @bound */
export const lagMsMax = 5_000;

/** How often the entries of the others are read. */
const membersEveryMs = 5_000;

/** How often the state is compared with the former one. */
const stateEveryMs = 250;

/** Between two lines about a trouble that changes its words, as that of several servers may. */
const troubleEveryMs = 10_000;

/** Watches a node from `start` to `stop`. */
export class ClusterWatch implements WatchedCluster {
  readonly #options: ClusterWatchOptions;
  #members: readonly Member[] = [];
  readonly #listeners: (() => void)[] = [];
  #known: NodeState;
  #roleSinceMs: number;
  /** Monotonic ms at which the entries were read last. */
  #membersReadAtMs: number;
  /** Why they could not be read since. */
  #unread = '';
  #toldMembersProblem = '';
  #toldTrouble: string | undefined;
  #toldTroubleAtMs = Number.NEGATIVE_INFINITY;
  #isLeaving = false;
  #isClockWrong = false;
  #isShort = false;
  #timers: Timer[] = [];
  #stepDown: WatchedCluster['stepDown'] = () => undefined;

  constructor(options: ClusterWatchOptions) {
    this.#options = options;
    this.#known = options.state();
    this.#roleSinceMs = options.clock.now();
    this.#membersReadAtMs = options.clock.monotonic();
  }

  /** Orders to step down go to `stepDown` from now on. */
  stepsDown(stepDown: WatchedCluster['stepDown']): void {
    this.#stepDown = stepDown;
  }

  stepDown(answered: Promise<void>): void {
    this.#stepDown(answered);
  }

  get id(): string {
    return this.#options.id;
  }

  get state(): NodeState {
    return this.#options.state();
  }

  get roleSinceMs(): number {
    return this.#roleSinceMs;
  }

  get members(): readonly Member[] {
    return this.#members;
  }

  get clockSkewMsMax(): number {
    return this.#options.clockSkewMs;
  }

  isAway({ id, atMs }: Member): boolean {
    const nowMs = this.#options.clock.now() - this.state.clockSkewMs;
    return id !== this.id && nowMs - atMs > memberAwayMs;
  }

  keyFiles(): ReadonlyMap<string, Buffer> {
    return this.#options.keyFiles();
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** This node is about to end. */
  leave(): void {
    this.#isLeaving = true;
    for (const listener of this.#listeners) listener();
  }

  /** Whether another node has written its entry lately. */
  get hasOthers(): boolean {
    return this.#members.some((member) => member.id !== this.id && !this.isAway(member));
  }

  onMembersRead(listener: () => void): void {
    this.#listeners.push(listener);
  }

  membersProblem(): string {
    const unreadMs = this.#options.clock.monotonic() - this.#membersReadAtMs;
    // What is known of the others is too old to say anything of them.
    if (unreadMs > memberAwayMs) return 'the NATS servers do not tell how the other nodes are';
    const away = this.#members.filter((member) => this.isAway(member));
    if (away.length > 0) return `nodes are away: ${away.map(shownNode).join(', ')}`;
    const own = this.#members.find(({ id }) => id === this.id);
    const leader = this.#members.find(({ id }) => id === this.state.leaderId);
    if (own === undefined || leader === undefined) return '';
    const names = differingSettings(own.settingsHash, leader.settingsHash);
    return names.length === 0
      ? ''
      : `this node has other settings than the leader: ${names.join(', ')}`;
  }

  get isShort(): boolean {
    return this.#isShort;
  }

  get sharedAgeMs(): number | undefined {
    const { store, last, clockSkewMs } = this.state;
    const nowMs = this.#options.clock.now() - clockSkewMs;
    return store && sharedAgeMs(store, this.#stores(), last.lsn, nowMs);
  }

  storeProblem(): string {
    const { store } = this.state;
    if (store?.unsafe !== undefined) return `${store.unsafe}: until then no node begins to lead`;
    const [short] = this.#shortBounds();
    if (short !== undefined) {
      // Another node may have read the store first.
      const taken = store === undefined ? '' : `, and the stream takes ${store.streamBytes} bytes`;
      return `no records are created until there is room. ${short}${taken}: raise that limit, or delete records`;
    }
    return this.#ageProblem();
  }

  #shortBounds(): readonly string[] {
    return this.#stores().flatMap(shortBounds).map(boundText);
  }

  #stores(): readonly StoreState[] {
    // The own entry may be one from before the start.
    const isHeard = (member: Member) => member.id !== this.id && !this.isAway(member);
    return storesOf(this.state, this.#members.filter(isHeard));
  }

  #ageProblem(): string {
    const { sharedAgeMs: ageMs, state } = this;
    if (ageMs === undefined || !isLate(ageMs, this.#options.snapshotAgeMs)) return '';
    const minutes = Math.round(ageMs / 60_000);
    return `no node has shared a snapshot for ${minutes} minutes, and the stream takes ${state.store?.streamBytes} bytes: see the disks and the logs of the nodes`;
  }

  start(): void {
    this.#every(stateEveryMs, () => this.#compare());
    this.#every(membersEveryMs, () => void this.#read());
    void this.#read();
  }

  stop(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers = [];
  }

  #every(intervalMs: number, task: () => void): void {
    const { clock } = this.#options;
    const index = this.#timers.length;
    const again = (): void => {
      this.#timers[index] = clock.after(intervalMs, () => {
        again();
        task();
      });
    };
    again();
  }

  /** The last entries stay while the servers do not answer; their age shows that. */
  async #read(): Promise<void> {
    try {
      const listed = await this.#options.members.list();
      this.#members = listed.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      this.#membersReadAtMs = this.#options.clock.monotonic();
      this.#unread = '';
      this.#options.membersRead(this.#members);
      for (const listener of this.#listeners) listener();
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
      this.#unread = error.message;
    }
    this.#compareMembers();
  }

  #compareMembers(): void {
    const { log } = this.#options;
    const problem = this.membersProblem();
    const before = this.#toldMembersProblem;
    this.#toldMembersProblem = problem;
    if (problem === before) return;
    if (problem === '') log.info('all nodes of the cluster are well again');
    else log.warn({ problem, reason: this.#unread }, 'not all nodes of the cluster are well');
  }

  #compare(): void {
    const { log, clock, clockSkewMs } = this.#options;
    const [before, now] = [this.#known, this.state];
    this.#known = now;
    const { role, term, generation, leaderId, trouble } = now;
    const leader = leaderId && shownNodeId(leaderId, this.#members);
    const facts = { node: shownNodeId(this.id, this.#members), role, term, generation, leader };
    if (role !== before.role) {
      this.#roleSinceMs = clock.now();
      logRole(log, before, now, facts);
    } else if (leaderId !== before.leaderId || term !== before.term) {
      if (leaderId === undefined) log.warn(facts, 'no node leads the cluster');
      else log.info(facts, 'the leader of the cluster is another one');
    }
    // These roles are told with their reason.
    const isTold = role !== before.role && (role === 'isolated' || role === 'halted');
    if (isTold || trouble === undefined) this.#toldTrouble = trouble;
    else if (trouble !== this.#toldTrouble) this.#logTrouble(trouble, facts);
    logLocalLog(log, before, now);
    const isWrong = Math.abs(now.clockSkewMs) > clockSkewMs;
    if (isWrong && !this.#isClockWrong) {
      log.warn({ clockSkewMs: now.clockSkewMs }, 'the clock differs from that of the NATS servers');
    }
    this.#isClockWrong = isWrong;
    this.#compareRoom();
  }

  #compareRoom(): void {
    const { log } = this.#options;
    const [short] = this.#shortBounds();
    const wasShort = this.#isShort;
    this.#isShort = short !== undefined;
    if (this.#isShort === wasShort) return;
    if (short === undefined) log.info('the NATS servers have room for records again');
    else log.error({ bound: short }, 'the NATS servers have no room: no more records are created');
  }

  #logTrouble(trouble: string, facts: object): void {
    const { log, clock } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#toldTroubleAtMs < troubleEveryMs) return;
    this.#toldTroubleAtMs = nowMs;
    this.#toldTrouble = trouble;
    log.warn({ ...facts, trouble }, 'the node of the cluster has trouble');
  }
}

function logLocalLog(log: Log, before: NodeState, { localLog }: NodeState): void {
  const hadAll = before.localLog === undefined;
  if (localLog !== undefined && hadAll) {
    log.error(
      { reason: localLog },
      'the log of the home lacks the newest changes, which are safe in the stream: check the disk',
    );
  } else if (localLog === undefined && !hadAll) {
    log.info('the log of the home has all changes again');
  }
}

function logRole(log: Log, before: NodeState, { role, trouble, last }: NodeState, facts: object) {
  const { lsn } = last;
  const told = { ...facts, was: before.role, lsn };
  switch (role) {
    case 'leading':
      log.info(told, before.role === 'isolated' ? 'the node leads again' : 'the node leads');
      break;
    case 'isolated':
      log.error(
        { ...told, trouble },
        'the node has lost contact to the NATS servers and answers nothing until it is back',
      );
      break;
    case 'halted':
      log.error(
        { ...told, trouble },
        'the node is halted and serves nothing: see edge-control cluster status',
      );
      break;
    case 'recovering':
    case 'following':
    case 'standing':
      log.info(told, 'the node has another role in its cluster');
  }
}

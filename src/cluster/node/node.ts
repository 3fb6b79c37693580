// A node of a cluster: it finds its place in the stream, follows it, and leads when it may.

import type { Clock, Random, Timer } from '../../platform/ports.ts';
import type { NodeEvents, NodeState } from '../cluster-node.ts';
import type { GroupTrust } from '../log/group-message.ts';
import type { GroupWriter } from '../log/group-writer.ts';
import { Reader } from '../log/reader.ts';
import type { Member, Members, NodeRole } from '../membership.ts';
import type { SharedSnapshot } from '../shared-snapshots.ts';
import { type Group, type LogPoint, type Stream, StreamUnreachable, type Term } from '../stream.ts';
import { type AskMember, type Finding, findObjection } from './candidate.ts';
import { certainMs, EndWatch } from './end-watch.ts';
import { Leadership } from './leadership.ts';
import type { Lease } from './lease.ts';
import { type MemberDescription, OwnEntry } from './member-record.ts';
import { NodeLife, type NodeTransition } from './node-life.ts';
import { findPlace, LogFork } from './resume-point.ts';
import type { MemberPosition } from './standing.ts';

/** What a node is made of. */
export interface NodeOptions {
  readonly description: MemberDescription;
  readonly stream: Stream;
  readonly members: Members;
  /** The newest of the shared snapshots; rejects with StreamUnreachable. */
  readonly newestSnapshot: () => Promise<SharedSnapshot | undefined>;
  readonly clock: Clock;
  readonly random: Random;
  readonly lease: Lease;
  readonly trust: GroupTrust;
  /** Bytes of frames in one message; at least those of the largest frame. */
  readonly payloadBytesMax: number;
  readonly ask: AskMember;
  /** Why no node may lead a stream that is configured so; undefined if it is safe. */
  readonly configurationFault?: (
    configuration: Readonly<Record<string, unknown>>,
  ) => string | undefined;
  /** Beyond this, operators are warned; beyond ten times that, the node does not lead. */
  readonly clockSkewMs: number;
  /** Whether an operator lets it lead without a majority, unless another leads before. */
  readonly isForced: boolean;
  /** Ends all connections to the stream, so that nothing is sent any more. */
  readonly close: () => void;
  readonly events: NodeEvents;
  /** Why the log of its home lacks something that is confirmed; undefined if it does not. */
  readonly localLog: () => string | undefined;
  /** What it knows of the store, and of its own snapshots there. */
  readonly sharing?: () => Pick<NodeState, 'store' | 'sharesFailed'>;
  /** A group of frames of its own leadership is confirmed; groups come in order. */
  readonly confirmed: (group: Group) => void;
  /** Set if reads wait for the log. */
  readonly reads?: NodeReads | undefined;
}

/** Reads that wait for the log. */
export interface NodeReads {
  /** The number of the last one that was asked for. */
  readonly asked: () => number;
  /** All up to this number are confirmed; told with each message. */
  readonly confirmed: (asked: number) => void;
}

/** Why a node does not lead that only follows. */
const neverLeadsNote = 'this node never leads (cluster.leads), and no other one leads';

/** How often a node looks at its clocks. */
const tickMs = 100;
/** How often it writes its entry and looks at what the others wrote. */
const beatMs = 5000;
/** How often it repeats what was not answered. */
const retryMs = 500;
/** How often it looks for the entry of a new leader. */
const findLeaderMs = 200;
/** After such a silence of the leader, the stream itself is asked whether it answers. */
const probeAfterMs = 1500;
/** Between two attempts to lead. */
const standAgainMs = 1000;

/** The node, without threads and sockets (behaviour/cluster#roles). */
export class Node {
  readonly #options: NodeOptions;
  readonly #life: NodeLife;
  readonly #reader: Reader;
  readonly #endWatch: EndWatch;
  readonly #entry: OwnEntry;
  /** Wait for an entry that tells no address for routers. */
  readonly #leaving: (() => void)[] = [];
  /** Of this process, so that a message tells which process has sent it. */
  readonly #nonce: string;
  #home: LogPoint = { lsn: 0, crc: 0 };
  #leadership: Leadership | undefined;
  #leader: Member | undefined;
  /** Why the stream did not say where it ends when it was asked last. */
  #unanswered: string | undefined;
  /** Why no node may lead the stream as it was configured when it was asked last. */
  #unsafe: string | undefined;
  #isMissing = false;
  /** What seems to be lost, and since when, in monotonic ms. */
  #doubt: { readonly reason: string; readonly sinceMs: number } | undefined;
  #timer: Timer | undefined;
  /** Monotonic ms at which a task may run next, by its name; absent while it runs. */
  readonly #dueAtMs = new Map<Task, number>([
    ['recover', 0],
    ['beat', 0],
    ['check', 0],
    ['probe', 0],
    ['stand', 0],
    ['findLeader', 0],
  ]);

  constructor(options: NodeOptions) {
    const { clock, description, members, random, stream, trust } = options;
    this.#options = options;
    this.#life = new NodeLife(description.id, clock);
    this.#endWatch = new EndWatch(clock);
    this.#nonce = random.bytes(16).toString('hex');
    const events = {
      apply: (frames: Buffer, last: LogPoint) => options.events.apply(frames, last),
      message: (group: Group | undefined) => this.#messageCame(group),
      wrong: (error: unknown) => this.#fail(error),
      missed: () => {
        this.#isMissing = true;
      },
    };
    this.#reader = new Reader({ stream, trust, clock, events });
    this.#entry = new OwnEntry(members, description, stream.generation, clock);
  }

  /** The node at this moment. */
  get state(): NodeState {
    const { term, last, sequence, lagMs, takeovers, serverTime } = this.#reader;
    const role = this.#role;
    return {
      role,
      generation: this.#options.stream.generation,
      term,
      last: role === 'recovering' ? this.#home : last,
      sequence,
      leaderId: this.#leader?.id,
      lagMs: Math.round(lagMs),
      inFlight: this.#leadership?.writer.inFlight ?? 0,
      clockSkewMs: Math.round(serverTime.skewMs),
      takeovers,
      trouble: this.#trouble(),
      localLog: this.#options.localLog(),
      ...this.#options.sharing?.(),
    };
  }

  /** Its last transitions, the oldest first. */
  get transitions(): readonly NodeTransition[] {
    return this.#life.transitions;
  }

  /** What it answers a member that wants to lead. */
  get position(): MemberPosition {
    const last = this.#role === 'recovering' ? this.#home : this.#reader.last;
    return { ...last, generation: this.#options.stream.generation };
  }

  /** Takes frames while it leads; undefined while it does not, or has resigned. */
  get writer(): GroupWriter | undefined {
    const { role } = this.#life;
    if (role !== 'leading' && role !== 'isolated') return undefined;
    return this.#leadership?.isOpen ? this.#leadership.writer : undefined;
  }

  /** Begins to follow after this point, up to which the home was recovered and applied. */
  start(home: LogPoint): void {
    this.#home = home;
    this.#tick();
  }

  /**
   * Tells no address for routers any more, as it is about to end. Resolves once its entry was
   * written, or could not be.
   */
  leave(): Promise<void> {
    this.#entry.leave();
    this.#dueAtMs.set('beat', 0);
    return new Promise((resolve) => this.#leaving.push(resolve));
  }

  /**
   * Confirms what was published, then lets another node lead at once. Answers must have left by
   * then. Resolves when the node has ended, in any case after 5 s.
   */
  resign(): Promise<void> {
    const { role } = this.#life;
    if (role !== 'leading' && role !== 'isolated') return Promise.resolve();
    return this.#leadership?.resign() ?? Promise.resolve();
  }

  /** Ends everything without a word to the others. */
  stop(): void {
    this.#quit('it was stopped');
  }

  get #role(): NodeRole {
    const { role } = this.#life;
    return role === 'ended' ? 'recovering' : role;
  }

  /** Its operator may decide otherwise when nobody else is left. */
  get #neverLeads(): boolean {
    const { description, isForced } = this.#options;
    return description.leads === 'never' && !isForced;
  }

  #trouble(): string | undefined {
    const { clockSkewMs } = this.#options;
    const { skewMs } = this.#reader.serverTime;
    // While there is a leader, the reason for which this node does not lead is of no interest.
    const { role, reason } = this.#life;
    const isLed = role === 'following' && !this.#reader.silence.isOver;
    if (reason !== '' && !isLed) return reason;
    if (role === 'following' && !isLed && this.#neverLeads) return neverLeadsNote;
    if (this.#doubt !== undefined) return this.#doubt.reason;
    // While there is a leader, this node relays, whatever it hears from the servers itself.
    if (role === 'following' && this.#leader === undefined && this.#unanswered !== undefined) {
      return `the NATS servers do not answer: ${this.#unanswered}`;
    }
    if (Math.abs(skewMs) <= clockSkewMs) return undefined;
    return `the clock of this node differs from that of the server by ${Math.round(skewMs)} ms`;
  }

  #tick(): void {
    const { clock } = this.#options;
    if (this.#life.role === 'ended') return;
    this.#timer = clock.after(tickMs, () => this.#tick());
    switch (this.#life.role) {
      case 'recovering':
        this.#run('recover', retryMs, () => this.#recover().catch((error) => this.#doubted(error)));
        break;
      case 'following':
        this.#tickAsFollower();
        break;
      case 'leading':
      case 'isolated':
        this.#leadership?.tick();
        this.#run('check', beatMs, () => this.#compareClocks());
        break;
    }
    this.#run('beat', beatMs, () => this.#beat());
  }

  #tickAsFollower(): void {
    const { silence, term } = this.#reader;
    const { isSuspicious } = this.#endWatch;
    this.#run('check', isSuspicious ? retryMs : beatMs, () => this.#check());
    if (this.#isMissing) {
      this.#run('recover', retryMs, () => this.#loadSnapshot());
    } else if (silence.isOver) {
      if (this.#neverLeads || isSuspicious || !this.#options.lease.isMainThreadAlive) return;
      this.#run('stand', standAgainMs, () => this.#stand());
    } else {
      const isDue = !silence.isKnown || silence.lastedMs > probeAfterMs;
      if (isDue) this.#run('probe', retryMs, () => this.#probe());
      if (term === 0 || this.#leader?.term === term) return;
      this.#run('findLeader', findLeaderMs, () => this.#findLeader());
    }
  }

  /** Runs a task unless it runs, or has run lately. */
  #run(name: Task, pauseMs: number, task: () => Promise<void>): void {
    const dueAtMs = this.#dueAtMs.get(name);
    const { clock } = this.#options;
    if (dueAtMs === undefined || clock.monotonic() < dueAtMs) return;
    this.#dueAtMs.delete(name);
    task()
      .catch((error: unknown) => {
        if (!(error instanceof StreamUnreachable)) this.#fail(error);
      })
      .finally(() => {
        if (!this.#dueAtMs.has(name)) this.#dueAtMs.set(name, clock.monotonic() + pauseMs);
      });
  }

  async #recover(): Promise<void> {
    const { stream, trust } = this.#options;
    const place = await findPlace(stream, trust, this.#home);
    if (place === undefined) return this.#loadSnapshot();
    if (place.sequence === 0) await this.#checkBeginning();
    this.#doubt = undefined;
    if (this.#life.send({ type: 'follow' })) this.#reader.begin(place, this.#home);
  }

  /** What seems to be lost at the start may be an old state of a server. */
  #doubted(error: unknown): void {
    const isUnreachable = error instanceof StreamUnreachable;
    if (!isUnreachable && !(error instanceof LogFork)) throw error;
    const nowMs = this.#options.clock.monotonic();
    const sinceMs = this.#doubt?.sinceMs ?? nowMs;
    this.#doubt = { reason: error.message, sinceMs: isUnreachable ? nowMs : sinceMs };
    if (nowMs - this.#doubt.sinceMs >= certainMs) throw error;
  }

  /** An empty stream tells nothing; the snapshot that was made with it does. */
  async #checkBeginning(): Promise<void> {
    const first = await this.#options.newestSnapshot();
    const { lsn, crc } = this.#home;
    if (first?.sequence === 0 && first.lsn === lsn && first.crc === crc) return;
    throw new LogFork(`the stream is empty, and this node has LSN ${lsn}`, true);
  }

  async #loadSnapshot(): Promise<void> {
    const snapshot = await this.#options.newestSnapshot();
    const { lsn } = this.position;
    if (snapshot === undefined || snapshot.lsn <= lsn) {
      throw new LogFork(`what follows LSN ${lsn} was purged, and no snapshot has it`);
    }
    if (this.#quit('it needs a snapshot')) this.#options.events.behind(snapshot);
  }

  #messageCame(group: Group | undefined): void {
    const { role } = this.#life;
    if (role === 'standing') this.#withdraw('a message came');
    if (group?.kind !== 'resign') return;
    this.#announceLeader(undefined);
    // An attempt that failed lately says nothing about the next one.
    if (this.#dueAtMs.has('stand')) this.#dueAtMs.set('stand', 0);
  }

  /** While the leader is silent: whether that is because nobody can publish. */
  async #probe(): Promise<void> {
    const { silence } = this.#reader;
    try {
      if (await this.#isAtEnd()) silence.answered();
    } catch (error) {
      silence.unanswered();
      throw error;
    }
  }

  /** Whether nothing follows the last message; what follows is read. */
  async #isAtEnd(): Promise<boolean> {
    try {
      const isAtEnd = await this.#readToEnd();
      this.#unanswered = undefined;
      return isAtEnd;
    } catch (error) {
      if (error instanceof StreamUnreachable) this.#unanswered = error.message;
      throw error;
    }
  }

  async #readToEnd(): Promise<boolean> {
    const seen = this.#reader.sequence;
    const { last, configuration, serverTimeMs } = await this.#options.stream.state();
    if (serverTimeMs !== undefined) {
      // While nobody leads, no message tells the time.
      this.#reader.serverTime.sample(serverTimeMs, this.#options.clock.monotonic());
    }
    this.#unsafe = this.#options.configurationFault?.(configuration);
    const loss = this.#endWatch.told(last, seen);
    if (loss !== undefined) throw new LogFork(loss, true);
    if (last > seen) await this.#reader.catchUp(last);
    return last === seen && seen === this.#reader.sequence;
  }

  async #stand(): Promise<void> {
    this.#life.send({ type: 'stand' });
    this.#announceLeader(undefined);
    // A message that comes meanwhile makes it follow again, after which it may stand once more.
    const attempt = this.#life.transitions.at(-1);
    const isStanding = () => this.#life.transitions.at(-1) === attempt;
    const finding = await this.#finding();
    if (!isStanding()) return;
    if (finding.kind === 'halt') this.#halt(finding.reason);
    else if (finding.kind === 'mayNot') this.#withdraw(finding.reason);
    else this.#begin();
  }

  async #finding(): Promise<Finding> {
    try {
      if (!(await this.#isAtEnd())) return newerMessage;
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
      this.#reader.silence.unanswered();
      return { kind: 'mayNot', reason: 'the stream did not answer' };
    }
    if (this.#unsafe !== undefined) return { kind: 'mayNot', reason: this.#unsafe };
    try {
      return await this.#objection();
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
      // The log itself has answered, so the silence of its leader goes on.
      return { kind: 'mayNot', reason: 'the directory of the nodes did not answer' };
    }
  }

  #objection(): Promise<Finding> {
    const { ask, clock, clockSkewMs, description, members } = this.#options;
    const reader = this.#reader;
    // It was meant for the state in which the operator found the cluster.
    const isForced = this.#options.isForced && reader.takeovers === 0;
    return findObjection(
      { ask, clock, members },
      {
        self: description,
        end: this.position,
        crcAt: (lsn) => reader.crcAt(lsn),
        clockSkewMs: reader.serverTime.skewMs,
        clockSkewWarnMs: clockSkewMs,
        isForced,
      },
    );
  }

  #withdraw(reason: string): void {
    this.#life.send({ type: 'withdraw', reason });
  }

  /** From here on only the leadership knows what the stream has. */
  #begin(): void {
    const { clock, events, lease, payloadBytesMax, reads, stream, trust } = this.#options;
    const { sequence, last, term } = this.#reader;
    this.#reader.stop();
    const leadership = { term: term + 1, nonce: this.#nonce };
    this.#leadership = new Leadership({
      stream,
      clock,
      trust,
      payloadBytesMax,
      lease,
      leadership,
      after: last,
      sequence,
      readsRequested: reads?.asked,
      events: {
        confirmed: (group, at, readsRequested) => {
          this.#reader.advance(group, at);
          reads?.confirmed(readsRequested);
          if (group.kind === 'term') events.apply(group.frames, group.last);
          if (group.kind === 'frames') this.#options.confirmed(group);
        },
        begun: (begun) => this.#lead(begun),
        notElected: (reason) => this.#lose(reason),
        ended: (reason) => this.#end(reason),
        contact: (reason) =>
          void this.#life.send(
            reason === undefined ? { type: 'regainContact' } : { type: 'loseContact', reason },
          ),
        failed: (reason) => this.#fail(new LogFork(reason, true)),
      },
    });
  }

  #lead(term: Term): void {
    if (!this.#life.send({ type: 'lead', term })) return;
    const { last } = this.#reader;
    this.#options.events.lead(term, last);
    this.#announceLeader(this.#entry.member(this.state));
    // The fronts of other nodes wait for this entry.
    this.#dueAtMs.set('beat', 0);
    this.#run('beat', beatMs, () => this.#beat());
  }

  #lose(reason: string): void {
    this.#leadership = undefined;
    this.#withdraw(reason);
    this.#reader.follow();
  }

  async #beat(): Promise<void> {
    const told = this.#leaving.splice(0);
    try {
      const halt = await this.#entry.write(this.state);
      if (halt !== undefined) this.#halt(halt);
    } finally {
      for (const tell of told) tell();
    }
  }

  async #check(): Promise<void> {
    await this.#isAtEnd();
  }

  /** A leader does not read its own messages otherwise. */
  async #compareClocks(): Promise<void> {
    const confirmed = this.#leadership?.last;
    if (confirmed === undefined) return;
    const message = await this.#options.stream.read(confirmed.sequence);
    if (message === undefined) return;
    this.#reader.serverTime.sample(message.serverTimeMs, confirmed.atMs);
  }

  async #findLeader(): Promise<void> {
    const { term } = this.#reader;
    const leader = await this.#entry.leaderOf(term);
    const isCurrent = this.#life.role === 'following' && this.#reader.term === term;
    if (leader !== undefined && isCurrent) this.#announceLeader(leader);
  }

  #announceLeader(leader: Member | undefined): void {
    if (leader === undefined && this.#leader === undefined) return;
    this.#leader = leader;
    this.#options.events.leader(leader);
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof LogFork && error.isLoss) this.#entry.halt(reason);
    this.#halt(reason);
  }

  #halt(reason: string): void {
    const { role } = this.#life;
    if (role === 'halted' || !this.#life.send({ type: 'halt', reason })) return;
    this.#silenceAll();
    this.#announceLeader(undefined);
    this.#options.events.halted(reason);
    this.#dueAtMs.set('beat', 0);
  }

  /** Another leads, or it has resigned. */
  #end(reason: string): void {
    if (!this.#quit(reason)) return;
    this.#options.events.fenced(reason);
  }

  /** Whether it had not ended before. */
  #quit(reason: string): boolean {
    if (!this.#life.send({ type: 'end', reason })) return false;
    this.#silenceAll();
    this.#timer?.cancel();
    this.#options.close();
    return true;
  }

  #silenceAll(): void {
    this.#options.lease.end();
    this.#reader.stop();
    this.#leadership?.stop();
  }
}

const newerMessage: Finding = { kind: 'mayNot', reason: 'the stream has a newer message' };

type Task = 'recover' | 'beat' | 'check' | 'probe' | 'stand' | 'findLeader';

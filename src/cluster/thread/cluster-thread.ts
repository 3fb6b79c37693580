// The node of a process on its main thread. It runs in a thread of its own, which has the
// connections to NATS.

import { Worker } from 'node:worker_threads';
import { JournalFailed, JournalStalled } from '../../../snapshots/errors.ts';
import type { Lsn } from '../../../snapshots/journal.ts';
import { FrameRing, ringMemory } from '../../../snapshots/log/frame-ring.ts';
import type { LogWriterOptions, WriterEvents } from '../../../snapshots/log/log-writer.ts';
import type { WriterHost } from '../../../snapshots/log/writer-host.ts';
import type { Clock, Timer } from '../../platform/ports.ts';
import type { ClusterNode, NodeEvents, NodeState } from '../cluster-node.ts';
import type { Member } from '../membership.ts';
import type { AskMember } from '../node/candidate.ts';
import { LeaseReader, leaseMemory, lifeSignMs } from '../node/lease.ts';
import { confirmationMemory, RequestedReads } from '../node/read-confirmations.ts';
import type { MemberPosition } from '../node/standing.ts';
import type { SharedSnapshot } from '../shared-snapshots.ts';
import type { Generation, LogPoint } from '../stream.ts';
import {
  AppliedBytes,
  type ClusterThreadBounds,
  type ClusterWorkerData,
  type FromClusterThread,
  type NodeNews,
  type NodeSettings,
  type SyncFailure,
  type ToClusterThread,
  type WriterNews,
} from './messages.ts';

/** What the thread is given. */
export interface ClusterThreadOptions {
  /** URL of a module that exports `connect`; the one for NATS when absent. Tests pass others. */
  readonly module?: string | undefined;
  /** For that module; it can be cloned. */
  readonly settings: unknown;
  readonly node: NodeSettings;
  /** Asks a member for its last frame, over its internal listener. */
  readonly ask: AskMember;
  readonly bounds: ClusterThreadBounds;
  /** Whether reads wait for the log (`cluster.reads: confirmed`). */
  readonly confirmsReads?: boolean | undefined;
  /** Its monotonic time is that of all threads (`sharedClock`). */
  readonly clock: Clock;
  /** For tests of the local log: a module whose `nodeDisk` can be made to fail. */
  readonly diskModule?: string | undefined;
}

/** The node, and the writer of its journal: `openWriter` is an option of `openHome`. */
export class ClusterThread implements ClusterNode {
  readonly reads: RequestedReads | undefined;
  readonly #options: ClusterThreadOptions;
  readonly #ring: FrameRing;
  #data: Omit<ClusterWorkerData, 'log'>;
  readonly #lease: LeaseReader;
  readonly #applied: AppliedBytes;
  #worker: Worker | undefined;
  #exited: Promise<void> | undefined;
  #writerEvents: WriterEvents | undefined;
  #nodeEvents: NodeEvents | undefined;
  #wanted: () => void = () => undefined;
  #state: NodeState;
  #last: LogPoint = { lsn: 0, crc: 0 };
  #tickets = 0;
  readonly #syncs = new Map<number, Pending<void>>();
  readonly #shares = new Map<number, Pending<SharedSnapshot | undefined>>();
  #hasResigned = false;
  readonly #answers = new Map<Answered, () => void>();
  #failure: string | undefined;
  #isStopping = false;
  #lifeSign: Timer | undefined;

  constructor(options: ClusterThreadOptions) {
    const { module, settings, node, bounds, clock, diskModule, confirmsReads } = options;
    const ring = ringMemory(bounds.pendingBytesMax, bounds.frameBytesMax);
    const [lease, applied] = [leaseMemory(), AppliedBytes.memory()];
    this.#options = options;
    const reads = confirmsReads === true ? confirmationMemory() : undefined;
    this.#data = { module, settings, node, ring, lease, applied, reads, bounds, diskModule };
    this.reads = reads && new RequestedReads(reads, clock);
    this.#ring = new FrameRing(ring);
    this.#lease = new LeaseReader(lease, clock);
    this.#applied = new AppliedBytes(applied);
    this.#state = stateAtStart(node.generation);
  }

  get state(): NodeState {
    return this.#state;
  }

  /**
   * What this node answers a member that wants to lead: the last frame that is confirmed and, on a
   * follower, applied. Unlike that of `state`, it is of this moment.
   */
  get position(): MemberPosition {
    return { ...this.#last, generation: this.#options.node.generation };
  }

  /** Sets what the node tells the others of its addresses, before the home is opened. */
  advertise({ advertised, control }: Pick<Member, 'advertised' | 'control'>): void {
    const { node } = this.#data;
    const description = { ...node.description, advertised, control };
    this.#data = { ...this.#data, node: { ...node, description } };
  }

  /** Starts the thread, behind the recovered log of the home. */
  readonly openWriter = (log: LogWriterOptions, events: WriterEvents): WriterHost => {
    if (this.#worker !== undefined) throw new Error('the thread is started once');
    this.#writerEvents = events;
    const workerData: ClusterWorkerData = { ...this.#data, log };
    const worker = new Worker(new URL('./cluster-worker.ts', import.meta.url), {
      workerData,
      name: 'cluster',
      // Modules that the main thread preloads (as test tools do) must not run in this thread.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker = worker;
    worker.on('message', (message: FromClusterThread) => this.#hear(message));
    worker.on('error', (error) => this.#fail(`the cluster thread died: ${error.message}`));
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#lifeSign?.cancel();
        this.#fail(this.#isStopping ? 'the node was stopped' : 'the cluster thread ended');
        resolve();
      });
    });
    this.#showLife();
    return this.#writer;
  };

  readonly #writer: WriterHost = {
    append: (kind, payload) => this.#ring.append(kind, payload),
    wake: () => this.#ring.wake(),
    sync: () => this.#sync(),
    stop: () => this.#ask('closeLog', 'logClosed'),
  };

  start(after: LogPoint, events: NodeEvents): void {
    this.#nodeEvents = events;
    this.#last = after;
    this.#state = { ...this.#state, last: after };
    this.#say({ asks: 'start', after });
  }

  mayAnswer(): boolean {
    return this.#lease.mayAnswer();
  }

  /**
   * Shares a snapshot of the home that was kept, if that is this node's task. Resolves to undefined
   * if there was nothing to do, and rejects with the reason if it failed; the next one will do.
   */
  share(file: string, lsn: Lsn): Promise<SharedSnapshot | undefined> {
    // The next leader shares, and this thread is connected to nothing any more.
    if (this.#hasResigned) return Promise.resolve(undefined);
    if (this.#failure !== undefined) return Promise.reject(new Error(this.#failure));
    const ticket = ++this.#tickets;
    this.#say({ asks: 'share', ticket, file, lsn });
    return new Promise((resolve, reject) => this.#shares.set(ticket, { resolve, reject }));
  }

  /** A snapshot of the home could not be written: other nodes share theirs. */
  snapshotFailed(): void {
    if (this.#failure === undefined) this.#say({ asks: 'snapshotFailed' });
  }

  /** Sets what is called when a snapshot of the home is needed at once. */
  onSnapshotWanted(wanted: () => void): void {
    this.#wanted = wanted;
  }

  leave(): Promise<void> {
    return this.#ask('leave', 'left');
  }

  resign(): Promise<void> {
    this.#hasResigned = true;
    return this.#ask('resign', 'resigned');
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#failure === undefined) this.#say({ asks: 'stop' });
    this.#ring.requestStop();
    await this.#exited;
  }

  #say(message: ToClusterThread): void {
    if (this.#worker === undefined) throw new Error('the home is not open yet');
    this.#worker.postMessage(message);
  }

  #sync(): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(new JournalFailed(this.#failure));
    const ticket = ++this.#tickets;
    this.#say({ asks: 'sync', ticket });
    return new Promise((resolve, reject) => this.#syncs.set(ticket, { resolve, reject }));
  }

  /** Nobody waits for a thread that has ended. */
  #ask(asks: 'leave' | 'resign' | 'closeLog', answer: Answered): Promise<void> {
    if (this.#failure !== undefined) return Promise.resolve();
    this.#say({ asks });
    return new Promise((resolve) => this.#answers.set(answer, resolve));
  }

  #hear(message: FromClusterThread): void {
    switch (message.tells) {
      case 'state':
        this.#state = message.state;
        return;
      case 'readsConfirmed':
        this.reads?.confirm(message.asked);
        return;
      case 'synced':
        this.#synced(message.ticket, message.failure);
        return;
      case 'shared': {
        const share = this.#shares.get(message.ticket);
        this.#shares.delete(message.ticket);
        if (message.failure === undefined) share?.resolve(message.snapshot);
        else share?.reject(new Error(message.failure));
        return;
      }
      case 'snapshotWanted':
        this.#wanted();
        return;
      case 'ask':
        void this.#askMember(message.ticket, message.member);
        return;
      case 'left':
      case 'resigned':
      case 'logClosed':
        this.#answers.get(message.tells)?.();
        this.#answers.delete(message.tells);
        return;
      case 'progress':
      case 'stalled':
      case 'resumed':
        if (message.tells === 'progress') this.#last = message.last;
        if (this.#writerEvents !== undefined) this.#tellWriter(message, this.#writerEvents);
        return;
      default:
        if (this.#nodeEvents !== undefined) this.#tellNode(message, this.#nodeEvents);
    }
  }

  async #askMember(ticket: number, member: Member): Promise<void> {
    const position = await this.#options.ask(member).catch(() => undefined);
    if (this.#failure === undefined) this.#say({ asks: 'hear', ticket, position });
  }

  #synced(ticket: number, failure: SyncFailure | undefined): void {
    const sync = this.#syncs.get(ticket);
    this.#syncs.delete(ticket);
    if (failure === undefined) sync?.resolve();
    else if (failure.isForGood) sync?.reject(new JournalFailed(failure.reason));
    else sync?.reject(new JournalStalled(failure.reason));
  }

  #tellWriter(news: WriterNews, events: WriterEvents): void {
    switch (news.tells) {
      case 'progress':
        events.progress(this.#ring.progress());
        return;
      case 'stalled':
        events.stalled(news.reason);
        return;
      case 'resumed':
        events.resumed();
        return;
    }
  }

  #tellNode(news: NodeNews, events: NodeEvents): void {
    switch (news.tells) {
      case 'apply':
        events.apply(Buffer.from(news.frames.buffer), news.last);
        this.#last = news.last;
        this.#applied.add(news.frames.length);
        return;
      case 'lead':
        events.lead(news.term, news.after);
        return;
      case 'leader':
        events.leader(news.member);
        return;
      case 'behind':
        events.behind(news.snapshot);
        return;
      case 'fenced':
        events.fenced(news.reason);
        return;
      case 'halted':
        events.halted(news.reason);
        return;
    }
  }

  #showLife(): void {
    this.#lease.showLife();
    this.#lifeSign = this.#options.clock.after(lifeSignMs, () => this.#showLife());
  }

  #fail(reason: string): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    if (!this.#isStopping) this.#writerEvents?.failed(reason);
    for (const waiting of [this.#syncs, this.#shares]) {
      for (const { reject } of waiting.values()) reject(new JournalFailed(reason));
      waiting.clear();
    }
    for (const resolve of this.#answers.values()) resolve();
    this.#answers.clear();
  }
}

/** Messages that answer one. */
type Answered = 'left' | 'resigned' | 'logClosed';

interface Pending<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

function stateAtStart(generation: Generation): NodeState {
  return {
    role: 'recovering',
    generation,
    term: 0,
    last: { lsn: 0, crc: 0 },
    sequence: 0,
    leaderId: undefined,
    lagMs: 0,
    inFlight: 0,
    clockSkewMs: 0,
    takeovers: 0,
    trouble: undefined,
    localLog: undefined,
  };
}

// Inside of the cluster thread: passes frames and news between main thread, node and local log.

import { JournalFailed, JournalStalled, reasonOf } from '../../../snapshots/errors.ts';
import type { Lsn } from '../../../snapshots/journal.ts';
import type { FrameRing, WriterProgress } from '../../../snapshots/log/frame-ring.ts';
import type { WriterEvents } from '../../../snapshots/log/log-writer.ts';
import type { StampedHost } from '../../../snapshots/log/writer-host.ts';
import type { Clock } from '../../platform/ports.ts';
import type { NodeEvents, NodeState } from '../cluster-node.ts';
import { type GroupTrust, readGroup } from '../log/group-message.ts';
import type { Member, NodeRole } from '../membership.ts';
import type { Node, NodeReads } from '../node/node.ts';
import type { ReadsToConfirm } from '../node/read-confirmations.ts';
import type { MemberPosition } from '../node/standing.ts';
import {
  type Group,
  type LogPoint,
  type Stream,
  type StreamMessage,
  StreamUnreachable,
} from '../stream.ts';
import { LocalLog } from './local-log.ts';
import type { AppliedBytes, FromClusterThread, SyncFailure, ToClusterThread } from './messages.ts';
import type { SnapshotSharing } from './snapshot-sharing.ts';
import { StreamFrames } from './stream-frames.ts';

/** What a driver works with. */
export interface NodeDriverOptions {
  readonly ring: FrameRing;
  readonly applied: AppliedBytes;
  /** Set if reads wait for the log. */
  readonly reads: ReadsToConfirm | undefined;
  readonly clock: Clock;
  readonly tell: (message: FromClusterThread, transfer?: ArrayBuffer[]) => void;
  readonly openLog: (events: WriterEvents) => StampedHost;
  /** Where the local log ends. */
  readonly logEnd: LogPoint;
  readonly localBytesMax: number;
  readonly unappliedBytesMax: number;
  /** Ends the thread. */
  readonly exit: () => void;
}

/** A node, and what it works with. */
export interface DrivenNode {
  readonly node: Pick<Node, 'state' | 'writer' | 'start' | 'leave' | 'resign' | 'stop'>;
  readonly stream: Stream;
  readonly trust: GroupTrust;
  readonly sharing: Pick<SnapshotSharing, 'share' | 'failed' | 'makeRoom'>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** How often the main thread is told of the node's state, if it has changed, in ms. */
const stateMs = 250;

/** How often it is looked whether NATS has room, in ms. */
const makeRoomMs = 2000;

/**
 * Rest after reads were confirmed, in ms. A message takes some 500 bytes of the stream, so readers
 * fill at most 100 kB per second; a lone read does not wait. @bound
 */
const readsRestMs = 5;

/** Drives the node of one process. */
export class NodeDriver {
  readonly #options: NodeDriverOptions;
  readonly #log: LocalLog;
  #driven: DrivenNode | undefined;
  #toldState = '';
  #toldRole: NodeRole = 'recovering';
  #progress: WriterProgress = { lsn: 0, bytes: 0, groups: 0 };
  #takenBytes = 0;
  #postedBytes = 0;
  #syncs: { readonly bytes: number; readonly resolve: () => void }[] = [];
  /** Why nothing more will be confirmed. */
  #ended: string | undefined;
  #takesFrames = true;
  #tickets = 0;
  #readsConfirmed = 0;
  readonly #asked = new Map<number, (position: MemberPosition | undefined) => void>();

  constructor(options: NodeDriverOptions) {
    const { openLog: open, logEnd: after, localBytesMax: bytesMax, clock } = options;
    this.#options = options;
    this.#log = new LocalLog({
      after,
      open,
      bytesMax,
      clock,
      source: () => {
        const { stream, trust, node } = this.#opened;
        const decode = (message: StreamMessage) => readGroup(message, trust);
        return new StreamFrames(stream, decode, node.state.sequence);
      },
      changed: () => this.#reportState(),
    });
  }

  /** What the node calls. */
  get events(): NodeEvents {
    const { tell } = this.#options;
    return {
      apply: (frames, last) => this.#apply(frames, last),
      lead: (term, after) => {
        this.#progress = { ...this.#progress, lsn: after.lsn };
        this.#reportState();
        tell({ tells: 'lead', term, after });
      },
      leader: (member) => tell({ tells: 'leader', member }),
      fenced: (reason) => this.#end(reason, { tells: 'fenced', reason }),
      halted: (reason) => this.#end(reason, { tells: 'halted', reason }),
      behind: (snapshot) => this.#end('a snapshot is needed', { tells: 'behind', snapshot }),
    };
  }

  /** Why the log of the home lacks something that is confirmed; undefined if it does not. */
  get localLog(): string | undefined {
    return this.#log.trouble;
  }

  /** The node's own frames are confirmed; groups come in order, each once. */
  confirm({ frames, last }: Group): void {
    const { lsn } = last;
    const bytes = this.#progress.bytes + frames.length;
    this.#progress = { lsn, bytes, groups: this.#progress.groups + 1 };
    this.#options.ring.release([], this.#progress);
    this.#options.tell({ tells: 'progress', last });
    this.#log.take({ frames, last });
    const due = this.#syncs.filter((sync) => sync.bytes <= bytes);
    this.#syncs = this.#syncs.filter((sync) => sync.bytes > bytes);
    for (const { resolve } of due) resolve();
  }

  /** What the node is told of reads that wait for it; undefined if none do. */
  get reads(): NodeReads | undefined {
    const { reads, tell } = this.#options;
    if (reads === undefined) return undefined;
    return {
      asked: () => reads.asked,
      confirmed: (asked) => {
        if (asked === this.#readsConfirmed) return;
        this.#readsConfirmed = asked;
        tell({ tells: 'readsConfirmed', asked });
      },
    };
  }

  /**
   * Asks a member for its last frame, by the main thread, which has the keys of the node.
   * @throws when it does not answer
   */
  async ask(member: Member): Promise<MemberPosition> {
    const ticket = ++this.#tickets;
    this.#options.tell({ tells: 'ask', ticket, member });
    const position = await new Promise<MemberPosition | undefined>((resolve) => {
      this.#asked.set(ticket, resolve);
    });
    if (position === undefined) throw new Error(`node ${member.id} did not answer`);
    return position;
  }

  /** Whether a follower's main thread may be handed more. */
  hasCapacity(): boolean {
    const { applied, unappliedBytesMax } = this.#options;
    return this.#postedBytes - applied.bytes < unappliedBytesMax;
  }

  /** Begins to serve the main thread. */
  run(driven: DrivenNode): void {
    this.#driven = driven;
    this.#watchState();
    this.#makeRoom();
    void this.#takeFrames();
    void this.#confirmReads();
  }

  hear(message: ToClusterThread): void {
    const { tell } = this.#options;
    switch (message.asks) {
      case 'start':
        this.#opened.node.start(message.after);
        return;
      case 'sync':
        void this.#sync(message.ticket);
        return;
      case 'share':
        void this.#share(message.ticket, message.file, message.lsn);
        return;
      case 'snapshotFailed':
        this.#opened.sharing.failed();
        return;
      case 'hear':
        this.#asked.get(message.ticket)?.(message.position);
        this.#asked.delete(message.ticket);
        return;
      case 'leave':
        void this.#opened.node.leave().then(() => tell({ tells: 'left' }));
        return;
      case 'resign':
        this.#drain();
        this.#takesFrames = false;
        void this.#opened.node.resign().then(() => tell({ tells: 'resigned' }));
        return;
      case 'closeLog':
        void this.#closeLog().then(() => tell({ tells: 'logClosed' }));
        return;
      case 'stop':
        void this.#stop();
        return;
    }
  }

  get #opened(): DrivenNode {
    if (this.#driven === undefined) throw new Error('the node is not open yet');
    return this.#driven;
  }

  async #takeFrames(): Promise<void> {
    const { ring } = this.#options;
    while (!ring.stopRequested) {
      this.#drain();
      await ring.woken();
    }
  }

  async #confirmReads(): Promise<void> {
    const { clock, reads, ring } = this.#options;
    if (reads === undefined) return;
    while (!ring.stopRequested) {
      const { moment } = reads;
      // Frames that were appended confirm reads, too.
      this.#drain();
      this.#opened.node.writer?.confirmReads();
      await new Promise<void>((resolve) => clock.after(readsRestMs, resolve));
      await reads.after(moment);
    }
  }

  #drain(): void {
    const { ring } = this.#options;
    const taken = ring.take();
    if (taken.length === 0) return;
    this.#takenBytes += taken.reduce((sum, { length }) => sum + length, 0);
    // After the end they are never confirmed, and nobody waits for them.
    if (this.#takesFrames) this.#opened.node.writer?.stage(taken);
    ring.release(taken, this.#progress);
  }

  /** The frames may lie in memory of the connection, so they are copied to be handed over. */
  #apply(frames: Buffer, last: LogPoint): void {
    this.#log.take({ frames, last });
    const copy = new Uint8Array(frames);
    this.#postedBytes += copy.length;
    this.#options.tell({ tells: 'apply', frames: copy, last }, [copy.buffer]);
  }

  async #sync(ticket: number): Promise<void> {
    const failure = await this.#synced().then(
      () => undefined,
      (error: unknown) => failureOf(error),
    );
    this.#options.tell({ tells: 'synced', ticket, failure });
  }

  async #share(ticket: number, file: string, lsn: Lsn): Promise<void> {
    const { tell } = this.#options;
    try {
      const snapshot = await this.#opened.sharing.share(file, lsn);
      tell({ tells: 'shared', ticket, snapshot, failure: undefined });
    } catch (error) {
      tell({ tells: 'shared', ticket, snapshot: undefined, failure: reasonOf(error) });
    }
  }

  #makeRoom(): void {
    this.#options.clock.after(makeRoomMs, () => {
      void this.#madeRoom().then(() => this.#makeRoom());
    });
  }

  /** Makes room once. If NATS does not answer, the next call tries it again. */
  async #madeRoom(): Promise<void> {
    try {
      await this.#opened.sharing.makeRoom();
    } catch (error) {
      if (!(error instanceof StreamUnreachable)) throw error;
    }
  }

  async #synced(): Promise<void> {
    this.#drain();
    const bytes = this.#takenBytes;
    if (this.#progress.bytes < bytes && this.#ended === undefined) {
      await new Promise<void>((resolve) => this.#syncs.push({ bytes, resolve }));
    }
    if (this.#progress.bytes < bytes) throw new JournalFailed(this.#ended ?? 'it has ended');
    await this.#log.sync();
  }

  /** A stalled disk does not hold up the end: what it lacks comes from the stream later. */
  async #closeLog(): Promise<void> {
    await this.#log.sync().catch(() => undefined);
    await this.#log.stop();
  }

  async #stop(): Promise<void> {
    this.#end('the node was stopped');
    this.#opened.node.stop();
    await this.#opened.close();
    await this.#log.stop();
    this.#options.exit();
  }

  #end(reason: string, news?: FromClusterThread): void {
    this.#ended ??= reason;
    this.#takesFrames = false;
    for (const { resolve } of this.#syncs.splice(0)) resolve();
    this.#reportState();
    if (news !== undefined) this.#options.tell(news);
  }

  #watchState(): void {
    this.#reportState();
    this.#options.clock.after(stateMs, () => this.#watchState());
  }

  #reportState(): void {
    if (this.#driven === undefined) return;
    const { state } = this.#driven.node;
    this.#tellContact(state);
    const text = JSON.stringify(state);
    if (text === this.#toldState) return;
    this.#toldState = text;
    this.#options.tell({ tells: 'state', state });
  }

  /** A leader without contact takes no more frames. */
  #tellContact({ role, trouble }: NodeState): void {
    const { tell } = this.#options;
    const before = this.#toldRole;
    this.#toldRole = role;
    if (role === before) return;
    if (role === 'isolated') {
      tell({ tells: 'stalled', reason: trouble ?? 'the stream does not answer' });
    } else if (role === 'leading' && before === 'isolated') tell({ tells: 'resumed' });
  }
}

function failureOf(error: unknown): SyncFailure {
  return { isForGood: !(error instanceof JournalStalled), reason: reasonOf(error) };
}

// The journal on the main thread: numbers frames, checks the bounds and tells what is durable.

import type { Clock } from '../../src/platform/ports.ts';
import { positionFaults } from '../check/position-check.ts';
import { FrameTooLarge, JournalFailed, JournalStalled } from '../errors.ts';
import type { Manifest } from '../home/manifest.ts';
import type { OpenHomeOptions } from '../home/open-options.ts';
import type {
  FollowedFrames,
  FollowingJournal,
  FrameContent,
  JournalFault,
  JournalFigures,
  JournalHealth,
  KeptSnapshot,
  Lsn,
  StoredRecord,
} from '../journal.ts';
import { SnapshotInMaking, type SnapshotOrder } from '../snapshot/new-snapshot.ts';
import { SnapshotPacker } from '../snapshot/snapshot-file.ts';
import { SnapshotThread } from '../snapshot/snapshot-thread.ts';
import { packFrame, packSeal } from './codec.ts';
import { frameBytes, frameKinds } from './frame.ts';
import type { WriterProgress } from './frame-ring.ts';
import type { LogWriterOptions, WriterEvents } from './log-writer.ts';
import type { OpenWriter, WriterHost } from './writer-host.ts';
import { InlineWriter } from './writer-inline.ts';
import { WriterThread } from './writer-thread.ts';

/** The state from which a journal starts, once recovery is complete. */
export interface AppendLogStart {
  readonly manifest: Manifest;
  readonly log: LogWriterOptions;
  /** Time of the latest frame, in ms. */
  readonly lastTimeMs: number;
  /** Releases the lock of the home. */
  readonly release: () => void;
  /** For tests of the thread: a module whose `nodeDisk` can be made to fail. */
  readonly diskModule?: string | undefined;
}

/** Records that are packed between two looks at the clock: some 30 µs. */
const recordsBetweenLooks = 32;

/** The journal of an opened home. */
export class AppendLog implements FollowingJournal {
  readonly #options: OpenHomeOptions;
  readonly #clock: Clock;
  readonly #start: AppendLogStart;
  readonly #host: WriterHost;
  readonly #durableListeners: ((durableLsn: Lsn) => void)[] = [];
  readonly #healthListeners: ((health: JournalHealth) => void)[] = [];
  #manifest: Manifest;
  #flushes: Flush[] = [];
  #health: JournalHealth = writable;
  #lastLsn: Lsn;
  #durableLsn: Lsn;
  #lastTimeMs: number;
  #appendedBytes = 0;
  #progress: WriterProgress;
  #wakeArmed = false;
  /** The health while writes succeed; the writer says only once that the disk is nearly full. */
  #writable = writable;
  #isFollowing: boolean;
  /** Bytes of frames that came from the leader. */
  #followedBytes = 0;
  #closing: Promise<void> | undefined;
  #isSnapshotting = false;
  /** Unsound snapshots, which are dropped when the next one is kept. */
  readonly #unsound = new Set<string>();

  constructor(options: OpenHomeOptions, start: AppendLogStart) {
    this.#options = options;
    this.#clock = options.clock;
    this.#start = start;
    this.#manifest = start.manifest;
    this.#lastTimeMs = start.lastTimeMs;
    this.#isFollowing = options.follows ?? false;
    this.#lastLsn = this.#durableLsn = start.log.position.lsn;
    this.#progress = { lsn: this.#lastLsn, bytes: 0, groups: 0 };
    const events: WriterEvents = {
      progress: (progress) => this.#proceed(progress),
      stalled: (reason) => this.#stall(reason),
      resumed: () => this.#setHealth(this.#writable),
      failed: (reason) => this.#fail(reason),
      space: (isShort) => {
        this.#writable = isShort ? { state: 'writable', isShort } : writable;
        if (this.#health.state === 'writable') this.#setHealth(this.#writable);
      },
    };
    this.#host = openWriterOf(options, start)(start.log, events);
  }

  get lastLsn(): Lsn {
    return this.#lastLsn;
  }

  get durableLsn(): Lsn {
    return this.#durableLsn;
  }

  get lastTimeMs(): number {
    return this.#lastTimeMs;
  }

  get health(): JournalHealth {
    return this.#health;
  }

  get roomBytes(): number {
    return Math.max(0, this.#options.pendingBytesMax - this.#pendingBytes);
  }

  /** While it follows, everything that was applied. */
  get #writtenLsn(): Lsn {
    return this.#isFollowing ? this.#lastLsn : this.#progress.lsn;
  }

  get #pendingBytes(): number {
    return this.#appendedBytes - this.#progress.bytes;
  }

  get figures(): JournalFigures {
    const { bytes, groups } = this.#progress;
    const framesWritten = this.#writtenLsn - this.#start.log.position.lsn;
    return { framesWritten, bytesWritten: bytes + this.#followedBytes, groupsWritten: groups };
  }

  append(content: FrameContent): Lsn {
    this.#refuseUnlessWritable();
    const payload = packFrame(content);
    if (payload.length > this.#options.frameBytesMax) {
      throw new FrameTooLarge(payload.length, this.#options.frameBytesMax);
    }
    const lsn = this.#appendFrame(frameKinds.transaction, payload);
    this.#lastTimeMs = Math.max(this.#lastTimeMs, content.timeMs);
    if (!this.#wakeArmed) {
      this.#wakeArmed = true;
      this.#clock.soon(this.#wake);
    }
    return lsn;
  }

  followed({ lsn, timeMs, bytes }: FollowedFrames): void {
    if (!this.#isFollowing) throw new Error('the journal does not follow');
    this.#lastLsn = lsn;
    this.#lastTimeMs = Math.max(this.#lastTimeMs, timeMs);
    this.#followedBytes += bytes;
    this.#acknowledge(lsn);
  }

  lead(): void {
    this.#isFollowing = false;
    this.#progress = { ...this.#progress, lsn: this.#lastLsn };
  }

  onDurable(listener: (durableLsn: Lsn) => void): void {
    this.#durableListeners.push(listener);
  }

  onHealth(listener: (health: JournalHealth) => void): void {
    this.#healthListeners.push(listener);
  }

  flush(): Promise<void> {
    const lsn = this.#lastLsn;
    if (this.#health.state === 'failed') return Promise.reject(this.#failure());
    this.#host.wake();
    this.#acknowledgeMemory();
    if (this.#durableLsn >= lsn) return Promise.resolve();
    return new Promise((resolve, reject) => this.#flushes.push({ lsn, resolve, reject }));
  }

  async writeSnapshot(
    records: Iterable<StoredRecord>,
    sliceMs = Number.POSITIVE_INFINITY,
  ): Promise<KeptSnapshot> {
    if (this.#isSnapshotting) throw new Error('a snapshot is being written already');
    this.#isSnapshotting = true;
    const taken = records[Symbol.iterator]();
    try {
      const { snapshotsKept } = this.#options;
      const order = {
        manifest: this.#soundManifest,
        snapshotsKept,
        lsn: this.#lastLsn,
        timeMs: this.#lastTimeMs,
      };
      const durable = this.#syncUnlessStalled();
      // The promise is awaited below, unless something else fails first.
      durable.catch(() => {});
      this.#manifest = await this.#writeSnapshot(order, taken, sliceMs, durable);
      this.#unsound.clear();
    } finally {
      taken.return?.();
      this.#isSnapshotting = false;
    }
    const [newest] = this.#manifest.snapshots;
    if (newest === undefined) throw new Error('the manifest names no snapshot');
    return newest;
  }

  faults(): Iterable<JournalFault | undefined> {
    const { disk, home } = this.#options;
    return positionFaults({
      disk,
      home,
      position: () =>
        this.#isSnapshotting
          ? undefined
          : { lastLsn: this.#lastLsn, durableLsn: this.#durableLsn, manifest: this.#manifest },
      unsound: (file) => void this.#unsound.add(file),
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #writeSnapshot(
    order: SnapshotOrder,
    records: Iterator<StoredRecord>,
    sliceMs: number,
    durable: Promise<void>,
  ): Promise<Manifest> {
    // Starting a thread takes longer than a slice, so the first slice ends with it.
    let sliceEnd = this.#clock.monotonic() + sliceMs;
    const { writer, disk, home } = this.#options;
    const making =
      writer === 'inline'
        ? new SnapshotInMaking(disk, home, order)
        : new SnapshotThread(home, order, this.#start.diskModule);
    try {
      const packer = new SnapshotPacker(this.#options.snapshotBlockBytes);
      let sinceLook = 0;
      for (let next = records.next(); !next.done; next = records.next()) {
        for (const block of packer.add(next.value)) await making.write(block);
        if (++sinceLook < recordsBetweenLooks) continue;
        sinceLook = 0;
        if (this.#clock.monotonic() < sliceEnd) continue;
        await new Promise<void>((resolve) => this.#clock.soon(resolve));
        sliceEnd = this.#clock.monotonic() + sliceMs;
      }
      const { last, counts } = packer.end();
      for (const block of last) await making.write(block);
      // Without this, a snapshot could be ahead of its log, which would then end too soon.
      await durable;
      return await making.keep(counts);
    } catch (error) {
      await making.abandon();
      throw error;
    }
  }

  get #soundManifest(): Manifest {
    const { snapshots } = this.#manifest;
    const sound = snapshots.filter(({ file }) => !this.#unsound.has(file));
    return { ...this.#manifest, snapshots: sound };
  }

  /**
   * If the log takes no writes, the sync would wait for ever, along with everything that it holds.
   */
  #syncUnlessStalled(): Promise<void> {
    return new Promise((resolve, reject) => {
      const listener = (health: JournalHealth) => {
        if (health.state !== 'writable') reject(new JournalStalled(health.reason));
      };
      listener(this.#health);
      this.#healthListeners.push(listener);
      this.#host
        .sync()
        .then(resolve, reject)
        .finally(() => {
          this.#healthListeners.splice(this.#healthListeners.indexOf(listener), 1);
        });
    });
  }

  async #close(): Promise<void> {
    try {
      await this.#host.sync();
      // A seal says that one process has ended cleanly; the log of a cluster is that of many.
      if (this.#options.openWriter !== undefined) return;
      this.#appendFrame(frameKinds.seal, packSeal(Math.max(this.#lastTimeMs, this.#clock.now())));
      await this.#host.sync();
    } finally {
      await this.#host.stop();
      this.#start.release();
    }
  }

  #refuseUnlessWritable(): void {
    if (this.#closing !== undefined) throw new JournalStalled('the journal is closed');
    if (this.#isFollowing) throw new JournalStalled('this node follows another one');
    if (this.#health.state !== 'writable') throw new JournalStalled(this.#health.reason);
    const pendingBytes = this.#pendingBytes;
    if (pendingBytes >= this.#options.pendingBytesMax) {
      throw new JournalStalled(`${pendingBytes} bytes wait for the disk`);
    }
  }

  #appendFrame(kind: number, payload: Uint8Array): Lsn {
    if (!this.#host.append(kind, payload)) throw new JournalStalled('the log writer has no room');
    this.#appendedBytes += frameBytes(payload.length);
    this.#lastLsn += 1;
    return this.#lastLsn;
  }

  readonly #wake = (): void => {
    this.#wakeArmed = false;
    this.#host.wake();
    this.#acknowledgeMemory();
  };

  /** Level `memory` waits for no disk, only for the end of the turn. */
  #acknowledgeMemory(): void {
    if (this.#options.level === 'memory') this.#acknowledge(this.#lastLsn);
  }

  #proceed(progress: WriterProgress): void {
    this.#progress = progress;
    this.#acknowledge(progress.lsn);
  }

  #acknowledge(lsn: Lsn): void {
    if (lsn <= this.#durableLsn) return;
    this.#durableLsn = lsn;
    for (const listener of this.#durableListeners) listener(lsn);
    const due = this.#flushes.filter((flush) => flush.lsn <= lsn);
    if (due.length === 0) return;
    this.#flushes = this.#flushes.filter((flush) => flush.lsn > lsn);
    for (const { resolve } of due) resolve();
  }

  /**
   * A writer may report a stall with each retry: it is passed on once, and again only if the reason
   * changes.
   */
  #stall(reason: string): void {
    const before = this.#health;
    if (before.state === 'stalled' && before.reason === reason) return;
    const sinceMs = before.state === 'stalled' ? before.sinceMs : this.#clock.now();
    this.#setHealth({ state: 'stalled', reason, sinceMs });
  }

  #setHealth(health: JournalHealth): void {
    if (this.#health.state === 'failed' || this.#health === health) return;
    this.#health = health;
    for (const listener of this.#healthListeners) listener(health);
  }

  #fail(reason: string): void {
    this.#setHealth({ state: 'failed', reason });
    for (const { reject } of this.#flushes.splice(0)) reject(this.#failure());
  }

  #failure(): JournalFailed {
    return new JournalFailed(this.#health.state === 'failed' ? this.#health.reason : 'failed');
  }
}

const writable: JournalHealth = { state: 'writable' };

function openWriterOf(options: OpenHomeOptions, { diskModule }: AppendLogStart): OpenWriter {
  const { openWriter, writer, disk, clock } = options;
  if (openWriter !== undefined) return openWriter;
  return (start, events) =>
    writer === 'inline'
      ? new InlineWriter(disk, clock, start, events)
      : new WriterThread({ ...options, diskModule }, start, events);
}

interface Flush {
  readonly lsn: Lsn;
  readonly resolve: () => void;
  readonly reject: (error: JournalFailed) => void;
}

// The snapshots that all nodes share: objects of an object store.

import { createHash } from 'node:crypto';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import type { Clock, Disk, DiskFile } from '../../platform/ports.ts';
import { type SharedSnapshot, type SharedSnapshots, SnapshotGone } from '../shared-snapshots.ts';
import { StreamUnreachable } from '../stream.ts';
import { apiErrors, isApiError, unreachable } from './failure.ts';
import type { NatsLink } from './link.ts';
import {
  type DataSet,
  objectContent,
  objectContents,
  objectEntries,
  objectEntry,
  objectStream,
  snapshotsBucket,
} from './names.ts';
import { pause } from './pause.ts';
import {
  type EntrySeal,
  entryOf,
  entrySeal,
  isEqual,
  isSnapshotName,
  type KnownSnapshot,
  readEntry,
  type SealedFacts,
  snapshotName,
} from './snapshot-entry.ts';

/** One message of an object. */
const chunkBytes = 128 * 1024;

/** A download in which nothing comes for so long is looked into, and given up after some looks. */
const lookMs = 2000;
const looks = 10;

/**
 * Objects that are looked at. There are two or three; whoever puts more in there cannot keep the
 * newest from being found, as names begin with the LSN.
 * @bound
 */
const objectsMax = 50;

/**
 * Content without an entry belongs to an upload that is under way, unless nothing was added to it
 * for so long: an upload adds a chunk at least every 2 s, or fails. In ms.
 */
const defaultAbandonedAfterMs = 60_000;

/** What is needed to keep snapshots. */
export interface SnapshotParts {
  readonly link: NatsLink;
  readonly dataSet: DataSet;
  /** Shared by all nodes, and unknown to NATS: the key of the MACs is derived from it. */
  readonly sealingKey: Buffer;
  readonly disk: Disk;
  readonly clock: Clock;
  /** For tests: after how many ms content without an entry is removed; a minute when absent. */
  readonly abandonedAfterMs?: number;
}

/** An object with a right entry. */
interface StoredSnapshot extends KnownSnapshot {
  readonly info: ObjectInfo;
}

/** `SharedSnapshots` on the object store of JetStream (behaviour/cluster#shared-snapshots). */
export class NatsSnapshots implements SharedSnapshots {
  readonly #parts: SnapshotParts;
  readonly #bucket: string;
  readonly #seal: EntrySeal;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
    this.#bucket = snapshotsBucket(parts.dataSet);
    this.#seal = entrySeal(this.#bucket, parts.sealingKey);
  }

  async list(): Promise<readonly SharedSnapshot[]> {
    return await this.#withStore(async (store) => {
      const names = (await this.#names()).sort().reverse().slice(0, objectsMax);
      const stored: StoredSnapshot[] = [];
      for (const name of names) {
        const known = await this.#stored(store, name);
        if (known !== undefined) stored.push(known);
      }
      // After the entries: an entry is written when its content is whole.
      const counts = await this.#counts(objectContents(this.#bucket));
      const isWhole = ({ info }: StoredSnapshot) => this.#isWhole(info, counts);
      return stored.filter(isWhole).map(({ snapshot }) => snapshot);
    });
  }

  async upload(
    file: string,
    snapshot: Omit<SharedSnapshot, 'name' | 'bytes'>,
    bytesPerSecond: number,
  ): Promise<SharedSnapshot> {
    const name = snapshotName(snapshot);
    const { bytes, digest } = await this.#digestOf(file);
    const { generation, lsn, crc, sequence } = snapshot;
    const sealed = { generation, lsn, crc, sequence, bytes, digest };
    return await this.#withStore(async (store) => {
      const before = await this.#stored(store, name);
      // Another node has made the same one: both end with the same frame.
      if (before !== undefined && (await this.#isStillWhole(before.info))) return before.snapshot;
      if (before !== undefined) await this.#remove(before.info);
      const put = await this.#put(store, name, file, sealed, bytesPerSecond);
      if ('snapshot' in put) return put.snapshot;
      await this.#readBack(store, put, digest);
      await this.#removeRemains(store);
      const after = await this.#stored(store, name);
      return after?.snapshot ?? { name, generation, lsn, crc, sequence, bytes };
    });
  }

  async download(snapshot: SharedSnapshot, file: string): Promise<void> {
    const { disk } = this.#parts;
    await this.#withStore(async (store) => {
      const known = await this.#stored(store, snapshot.name);
      if (known === undefined) throw new SnapshotGone(`${snapshot.name} is not there any more`);
      const opened = disk.open(file, 'create');
      try {
        let position = 0;
        const digest = await this.#receive(store, snapshot.name, known.snapshot.bytes, (chunk) => {
          opened.write([chunk], position);
          position += chunk.length;
        });
        opened.sync();
        if (!isEqual(digest, known.digest)) throw damaged(snapshot.name);
        opened.close();
      } catch (thrown) {
        opened.close();
        disk.remove(file);
        throw thrown;
      }
    });
  }

  async remove(snapshot: SharedSnapshot): Promise<void> {
    await this.#withStore(async (store) => {
      const info = await store.info(snapshot.name);
      if (info !== null) await this.#remove(info);
    });
  }

  async removeRemains(): Promise<void> {
    await this.#withStore((store) => this.#removeRemains(store));
  }

  /**
   * Removes entry and content, and leaves an entry alone that was written under this name since.
   * The store itself would keep an entry that says so, for good.
   */
  async #remove({ name, nuid, revision }: ObjectInfo): Promise<void> {
    await this.#purge(objectEntry(this.#bucket, name), revision + 1);
    await this.#purge(objectContent(this.#bucket, nuid));
  }

  /** The names of all objects. */
  async #names(): Promise<string[]> {
    const subjects = await this.#counts(objectEntries(this.#bucket));
    return [...subjects.keys()]
      .map((subject) => Buffer.from(lastToken(subject), 'base64url').toString())
      .filter((name) => isSnapshotName(name));
  }

  /**
   * Removes what is of no use: content without an entry that an upload has left, and entries whose
   * content is not whole. Such content never becomes whole.
   */
  async #removeRemains(store: ObjectStore): Promise<void> {
    const contents = await this.#counts(objectContents(this.#bucket));
    const owned = new Set<string>();
    for (const name of await this.#names()) {
      const known = await this.#stored(store, name);
      if (known !== undefined && !(await this.#isStillWhole(known.info))) {
        await this.#remove(known.info);
        continue;
      }
      const info = known?.info ?? (await store.info(name));
      if (info !== null) owned.add(objectContent(this.#bucket, info.nuid));
    }
    for (const subject of contents.keys()) {
      if (!owned.has(subject) && (await this.#isAbandoned(subject))) await this.#purge(subject);
    }
  }

  /** Whether nothing was added to this content lately, by the clock of the servers. */
  async #isAbandoned(subject: string): Promise<boolean> {
    const stream = objectStream(this.#bucket);
    const { abandonedAfterMs = defaultAbandonedAfterMs } = this.#parts;
    return await this.#parts.link.ask(async ({ api }) => {
      const last = await api.streams.getMessage(stream, { last_by_subj: subject });
      const { ts = '' } = await api.streams.info(stream);
      return last !== null && Date.parse(ts) - last.time.getTime() >= abandonedAfterMs;
    });
  }

  /** How many messages each subject has. */
  async #counts(filter: string): Promise<ReadonlyMap<string, number>> {
    const { state } = await this.#parts.link.ask(({ api }) =>
      api.streams.info(objectStream(this.#bucket), { subjects_filter: filter }),
    );
    return new Map(Object.entries(state.subjects ?? {}));
  }

  /** @param before only messages before this one are removed; all without it */
  async #purge(filter: string, before?: number): Promise<void> {
    const which = before === undefined ? { filter } : { filter, seq: before };
    await this.#parts.link.ask(({ api }) => api.streams.purge(objectStream(this.#bucket), which));
  }

  /** A snapshot whose entry is whole and has the right MAC. */
  async #stored(store: ObjectStore, name: string): Promise<StoredSnapshot | undefined> {
    const info = await store.info(name);
    if (info === null || info.deleted) return undefined;
    const known = readEntry(this.#seal, name, info.size, info.metadata ?? {});
    if (known?.snapshot.generation !== this.#parts.dataSet.generation) return undefined;
    const atMs = Date.parse(info.mtime);
    return { ...known, snapshot: { ...known.snapshot, ...(atMs > 0 ? { atMs } : {}) }, info };
  }

  /** @returns what was written, or what another node has written under this name meanwhile */
  async #put(
    store: ObjectStore,
    name: string,
    file: string,
    sealed: SealedFacts,
    bytesPerSecond: number,
  ): Promise<ObjectInfo | StoredSnapshot> {
    const metadata = entryOf(this.#seal, sealed);
    const meta = { name, metadata, options: { max_chunk_size: chunkBytes } };
    // An entry of this name that is not ours may be there, and stays: ours is refused then.
    const previous = await store.info(name);
    const previousRevision = previous === null || !previous.deleted ? 0 : previous.revision;
    const opened = this.#parts.disk.open(file, 'read');
    try {
      return await store.put(meta, this.#throttled(opened, bytesPerSecond), { previousRevision });
    } catch (thrown) {
      const other = isWrongLast(thrown) ? await this.#stored(store, name) : undefined;
      if (other === undefined) throw thrown;
      return other;
    } finally {
      opened.close();
    }
  }

  /** A file as a stream that is not read faster than this. */
  #throttled(file: DiskFile, bytesPerSecond: number): ReadableStream<Uint8Array> {
    const { clock } = this.#parts;
    const beganAtMs = clock.monotonic();
    let position = 0;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const dueMs = beganAtMs + (position / bytesPerSecond) * 1000 - clock.monotonic();
          if (dueMs > 0) await pause(clock, dueMs);
          const chunk = file.read(position, chunkBytes);
          position += chunk.length;
          if (chunk.length === 0) controller.close();
          else controller.enqueue(chunk);
        },
      },
      { highWaterMark: 1 },
    );
  }

  /** An entry must not stay whose content is not whole or another one. */
  async #readBack(store: ObjectStore, info: ObjectInfo, digest: string): Promise<void> {
    const { name } = info;
    try {
      const stored = await this.#receive(store, name, Number.MAX_SAFE_INTEGER, () => undefined);
      if (isEqual(stored, digest)) return;
    } catch (thrown) {
      if (!(thrown instanceof SnapshotGone)) throw thrown;
    }
    await this.#remove(info);
    throw new StreamUnreachable(`${name} reads back otherwise than it was written`);
  }

  /**
   * Reads an object. @returns the SHA-256 of what came, in hex
   * @throws SnapshotGone if it is not there, or not whole
   */
  async #receive(
    store: ObjectStore,
    name: string,
    bytesMax: number,
    take: (chunk: Uint8Array) => void,
  ): Promise<string> {
    await this.#checkWhole(store, name);
    const result = await store.get(name);
    if (result === null) throw new SnapshotGone(`${name} is not there any more`);
    // The same failure comes with the data.
    result.error.catch(() => undefined);
    const hash = createHash('sha256');
    const reader = result.data.getReader();
    let bytes = 0;
    try {
      for (;;) {
        const { done, value } = await this.#within(reader.read(), store, name);
        if (done) return hash.digest('hex');
        bytes += value.length;
        if (bytes > bytesMax) throw damaged(name);
        hash.update(value);
        take(value);
      }
    } finally {
      reader.cancel().catch(() => undefined);
    }
  }

  /** Waits for a chunk. Those of an object that was removed never come. */
  async #within<T>(chunk: Promise<T>, store: ObjectStore, name: string): Promise<T> {
    for (let look = 0; look < looks; look += 1) {
      const { promise: late, resolve } = Promise.withResolvers<'late'>();
      const timer = this.#parts.clock.after(lookMs, () => resolve('late'));
      try {
        const first = await Promise.race([chunk, late]);
        if (first !== 'late') return first;
      } catch (thrown) {
        if (thrown instanceof Error && /corrupt/.test(thrown.message)) throw damaged(name);
        throw thrown;
      } finally {
        timer.cancel();
      }
      await this.#checkWhole(store, name);
    }
    throw new StreamUnreachable(`no more of ${name} came in time`);
  }

  /** @throws SnapshotGone if the object was removed, or if some of its content is missing */
  async #checkWhole(store: ObjectStore, name: string): Promise<void> {
    const info = await store.info(name);
    if (info === null || info.deleted) throw new SnapshotGone(`${name} was removed`);
    if (!(await this.#isStillWhole(info))) throw damaged(name);
  }

  async #isStillWhole(info: ObjectInfo): Promise<boolean> {
    const content = objectContent(this.#bucket, info.nuid);
    return this.#isWhole(info, await this.#counts(content));
  }

  #isWhole({ nuid, chunks }: ObjectInfo, counts: ReadonlyMap<string, number>): boolean {
    return (counts.get(objectContent(this.#bucket, nuid)) ?? 0) === chunks;
  }

  async #digestOf(file: string): Promise<{ readonly bytes: number; readonly digest: string }> {
    const { disk, clock } = this.#parts;
    const opened = disk.open(file, 'read');
    try {
      const hash = createHash('sha256');
      let bytes = 0;
      for (;;) {
        const chunk = opened.read(bytes, chunkBytes);
        if (chunk.length === 0) return { bytes, digest: hash.digest('hex') };
        hash.update(chunk);
        bytes += chunk.length;
        // Acknowledgements of published groups come in between.
        await new Promise<void>((resolve) => clock.soon(resolve));
      }
    } finally {
      opened.close();
    }
  }

  /** @throws SnapshotGone, or else StreamUnreachable; errors of the disk as they are */
  async #withStore<T>(work: (store: ObjectStore) => Promise<T>): Promise<T> {
    const { link } = this.#parts;
    const connected = await link.connected();
    try {
      const store = await new Objm(connected.api.jetstream()).open(this.#bucket, false);
      return await work(store);
    } catch (thrown) {
      if (thrown instanceof SnapshotGone || isOfDisk(thrown)) throw thrown;
      link.drop(connected);
      throw unreachable(thrown);
    }
  }
}

function lastToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1);
}

function isWrongLast(thrown: unknown): boolean {
  const { wrongLastSequence, wrongLastSequenceUnknown } = apiErrors;
  return isApiError(thrown, wrongLastSequence) || isApiError(thrown, wrongLastSequenceUnknown);
}

function damaged(name: string): SnapshotGone {
  return new SnapshotGone(`${name} does not have the content that its entry tells`);
}

function isOfDisk(thrown: unknown): boolean {
  return thrown instanceof Error && 'syscall' in thrown && 'path' in thrown;
}

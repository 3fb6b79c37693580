// A cluster's servers in memory: streams, members and snapshots, which a test can make unreachable.

import { readWhole, withFile } from '../../snapshots/home/file-access.ts';
import type { ClusterAccess, OpenStream, StreamName } from '../../src/cluster/access.ts';
import type { Formats, HighWaterMark, Member } from '../../src/cluster/membership.ts';
import {
  type SharedSnapshot,
  SnapshotGone,
  type StoreState,
} from '../../src/cluster/shared-snapshots.ts';
import {
  type LogPoint,
  StoreFull,
  type StreamState,
  StreamUnreachable,
} from '../../src/cluster/stream.ts';
import type { Disk } from '../../src/platform/ports.ts';

/** What belongs to one stream. */
export class KeptStream {
  readonly name: StreamName;
  readonly replicas: number;
  readonly members = new Map<string, Member>();
  uncounted: readonly Member[] = [];
  /** Why it takes nothing more. */
  full: string | undefined;
  readonly marks = new Map<string, HighWaterMark>();
  readonly removed = new Set<string>();
  readonly snapshots = new Map<string, SharedSnapshot & { readonly content: Buffer }>();
  halt: string | undefined;
  isSealed = false;
  formats: Formats | undefined;
  state: Pick<StreamState, 'first' | 'last' | 'serverTimeMs'> = { first: 1, last: 0 };
  /** The last frame of the log. */
  end: LogPoint | undefined;
  faults: readonly string[] = [];
  store: StoreState = { streamBytes: 0, shared: undefined, bounds: [] };

  constructor(name: StreamName, replicas: number) {
    this.name = name;
    this.replicas = replicas;
  }
}

/** The servers. */
export class SimulatedServers implements ClusterAccess {
  readonly kept: KeptStream[] = [];
  faults: readonly string[] = [];
  /** Why nothing can be asked. */
  unreachable: string | undefined;
  /** Nothing can be written until the log was purged. */
  isFull = false;
  /** Calls that change something fail from this one on, as if the process had been killed. */
  changesLeft = Number.POSITIVE_INFINITY;
  /** Snapshots that disappear while they are downloaded. */
  readonly vanishing = new Set<string>();
  openConnections = 0;
  /** Where files are uploaded from and downloaded to. */
  disk: Disk;

  constructor(disk: Disk) {
    this.disk = disk;
  }

  connect(): ClusterAccess {
    this.openConnections += 1;
    return this;
  }

  async streams(): Promise<readonly StreamName[]> {
    this.#reach();
    return this.kept.map(({ name }) => name);
  }

  async serverFaults(): Promise<readonly string[]> {
    this.#reach();
    return this.faults;
  }

  async create(name: StreamName, replicas: number): Promise<void> {
    this.#change();
    if (this.#find(name) !== undefined) throw new Error('the stream exists');
    this.kept.push(new KeptStream(name, replicas));
  }

  async seal(name: StreamName): Promise<void> {
    this.#change();
    const found = this.#find(name);
    if (found !== undefined) found.isSealed = true;
  }

  async remove(name: StreamName): Promise<void> {
    this.#change();
    const found = this.#find(name);
    if (found !== undefined) this.kept.splice(this.kept.indexOf(found), 1);
  }

  async open(name: StreamName): Promise<OpenStream> {
    this.#reach();
    const kept = this.#find(name);
    if (kept === undefined) throw new StreamUnreachable('there is no such stream');
    return this.#opened(kept);
  }

  async close(): Promise<void> {
    this.openConnections -= 1;
  }

  #opened(kept: KeptStream): OpenStream {
    return {
      stream: {
        generation: kept.name.generation,
        publish: async () => ({ outcome: 'unknown', reason: 'commands publish nothing' }),
        read: () => this.#reached(undefined),
        state: () => this.#reached({ ...kept.state, configuration: {} }),
        follow: () => ({ stop: () => undefined }),
        purge: () => this.#purge(),
      },
      members: this.#membersOf(kept),
      snapshots: {
        list: () => this.#reached([...kept.snapshots.values()].toSorted((a, b) => b.lsn - a.lsn)),
        upload: async (file, facts) => {
          this.#change();
          const content = Buffer.from(readWhole(this.disk, file));
          const name = `${facts.lsn}-${facts.crc}`;
          const snapshot = { ...facts, name, bytes: content.length, content };
          kept.snapshots.set(name, snapshot);
          return snapshot;
        },
        download: async ({ name }, file) => {
          this.#reach();
          const found = kept.snapshots.get(name);
          if (found === undefined || this.vanishing.delete(name)) throw new SnapshotGone(name);
          withFile(this.disk, file, 'create', (open) => open.write([found.content], 0));
        },
        remove: ({ name }) => this.#changed(() => void kept.snapshots.delete(name)),
        removeRemains: () => this.#reached(undefined),
      },
      store: () => this.#reached(kept.store),
      end: () => this.#reached(kept.end),
      faults: () => this.#reached(kept.faults),
    };
  }

  #membersOf(kept: KeptStream): OpenStream['members'] {
    return {
      put: (member) => this.#changed(() => void kept.members.set(member.id, member)),
      list: () => this.#reached([...kept.members.values()]),
      uncounted: () => this.#reached(kept.uncounted),
      probe: () => this.#reached(kept.full),
      raiseMark: (mark) => this.#changed(() => void kept.marks.set(mark.id, mark)),
      marks: () => this.#reached([...kept.marks.values()]),
      halt: () => this.#reached(kept.halt),
      writeHalt: (reason) =>
        this.#changed(() => {
          kept.halt = reason;
        }),
      formats: () => this.#reached(kept.formats),
      beginFormats: async (formats) => {
        this.#change();
        return (kept.formats ??= formats);
      },
      finalizeFormats: (formats) =>
        this.#changed(() => {
          kept.formats = formats;
        }),
      remove: (id) =>
        this.#changed(() => {
          kept.removed.add(id);
          kept.members.delete(id);
          kept.marks.delete(id);
        }),
      removed: () => this.#reached([...kept.removed]),
    };
  }

  async #reached<T>(value: T): Promise<T> {
    this.#reach();
    return value;
  }

  async #changed(work: () => void): Promise<void> {
    this.#change();
    work();
  }

  #find({ dataSetId, generation }: StreamName): KeptStream | undefined {
    return this.kept.find(
      ({ name }) => name.dataSetId === dataSetId && name.generation === generation,
    );
  }

  async #purge(): Promise<void> {
    this.#reach();
    this.isFull = false;
  }

  #reach(): void {
    if (this.unreachable !== undefined) throw new StreamUnreachable(this.unreachable);
  }

  #change(): void {
    this.#reach();
    if (this.isFull) throw new StoreFull('resource limits exceeded for account');
    if (this.changesLeft <= 0) throw new StreamUnreachable('the connection is lost');
    this.changesLeft -= 1;
  }
}

/** A node that follows and is well; `but` replaces what a test is about. */
export function memberOf(id: string, but: Partial<Member> = {}): Member {
  return {
    id,
    version: '1.0.0',
    formats: { log: 2 },
    advertised: `${id}.example:1280`,
    internal: `${id}.example:1290`,
    role: 'following',
    generation: 1,
    term: 3,
    last: { lsn: 100, crc: 7 },
    keys: {},
    settingsHash: '',
    condition: {
      lagMs: 4,
      clockSkewMs: 2,
      inFlight: 0,
      takeovers: 1,
      trouble: undefined,
      localLog: undefined,
    },
    atMs: 1_000_000,
    ...but,
  };
}

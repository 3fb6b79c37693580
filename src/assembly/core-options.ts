// What a core is opened with, and what is open before anything else can be built.

import type { OpenHome } from '../../snapshots/home/open.ts';
import type { FollowingJournal, KeptSnapshot, RecoveryReport } from '../../snapshots/journal.ts';
import type { OpenWriter } from '../../snapshots/log/writer-host.ts';
import type { Sealing } from '../auth/sealing/sealing.ts';
import type { StoredTokenKeys } from '../auth/token-keys/stored-keys.ts';
import type { AnswerGate } from '../cluster/log/answer-gate.ts';
import type { EventStream } from '../cluster/nats/event-stream.ts';
import type { ReadIndexOptions } from '../cluster/node/read-index.ts';
import type { SessionUsesOptions } from '../cluster/node/session-uses.ts';
import type { Addresses } from '../declare/operations/environment.ts';
import type { OutsideHandler } from '../http/application/other-paths.ts';
import type { Sources } from '../monitoring/sources.ts';
import type { HeapWatch } from '../observe/heap-watch.ts';
import type { Log } from '../observe/logs.ts';
import type { Authority } from '../pki/authority/authority.ts';
import type { Ids } from '../platform/ids.ts';
import type { Clock, Disk, Fetch, Hasher, Random } from '../platform/ports.ts';
import type { TrafficParts } from '../routers/control-plane.ts';
import type { RecoveredChanges } from '../routers/model/recovered-changes.ts';
import type { BoundValues } from '../settings/bounds.ts';
import type { Config } from '../settings/config.ts';
import type { DurableFrames } from '../store/durable-frames.ts';
import type { Store } from '../store/store.ts';

/** The environment of a core: real ports, or their simulated counterparts. */
export interface CoreOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly random: Random;
  readonly disk: Disk;
  readonly hasher: Hasher;
  /** Asks the JWKS endpoints of external JWT signers. */
  readonly fetch: Fetch;
  /** Tells whether there is room for more records. The creator starts and stops it. */
  readonly memory: HeapWatch;
  readonly log: Log;
  /** Where the log writer runs; `inline` for simulated disks. */
  readonly writer: 'worker' | 'inline';
  /**
   * Set on a node of a cluster: the core follows until `lead` is called, and then appends through
   * this writer.
   */
  readonly openWriter?: OpenWriter | undefined;
  /** Of the same node: opens the home, with what the other nodes have. */
  readonly openHome?: OpenHome | undefined;
  /** Of the same node: told of each snapshot of the home that was kept. */
  readonly snapshotKept?: ((kept: KeptSnapshot) => void) | undefined;
  /** Of the same node: told of each snapshot of the home that could not be written. */
  readonly snapshotFailed?: (() => void) | undefined;
  /** Of the same node: what may leave it, and when. */
  readonly gate?: AnswerGate | undefined;
  /** Of the same node: how it asks its leader. While it follows, it answers nothing without. */
  readonly leader?: LeaderPort | undefined;
  /** Of the same node: the generation of its cluster. */
  readonly generation?: number | undefined;
  /** Replacements for bounds of the code, by name; for tests. */
  readonly bounds?: BoundValues;
  /** Freezes records deeply: tests and development. */
  readonly freeze: boolean;
  /** Ends the process at once, like `StoreOptions.fatal`. */
  readonly fatal: (error: unknown) => never;
  /** The observed parts of the controller, given when its listeners are observed too. */
  readonly sources?: Sources;
  /** Serves the web console, if there is one. */
  readonly console?: OutsideHandler | undefined;
  /** Keeps events for other programs, if there is one. */
  readonly eventStream?: EventStream | undefined;
  /** In place of the parts of the control plane for traffic; for tests. */
  readonly traffic?: TrafficParts | undefined;
  /** As advertised; the ports are known by then. */
  readonly addresses: Pick<Addresses, 'url' | 'authority' | 'control'>;
}

/** The leader, as a node that follows asks it and reports to it. */
export type LeaderPort = Pick<ReadIndexOptions, 'ask'> & Pick<SessionUsesOptions, 'report'>;

/** The parts that are opened or read before anything else can be built. */
export interface Opened {
  readonly ids: Ids;
  readonly store: Store;
  readonly journal: FollowingJournal;
  readonly durable: DurableFrames;
  readonly report: RecoveryReport;
  /** The changes of the routers' model that the log holds. */
  readonly recoveredModel: RecoveredChanges;
  readonly authority: Authority;
  readonly sealing: Sealing;
  readonly tokenKeys: StoredTokenKeys;
  /** Lets ids sort after those of the frames so far, even if the clock was set back since. */
  readonly renewIds: () => void;
  /** Monotonic ms at which opening began. */
  readonly beganMs: number;
}

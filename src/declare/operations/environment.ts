// The parts of the controller that every operation may use; each request passes them in.

import type { MachineEvent } from '../../../machines/machine.ts';
import type { RequestedSnapshots } from '../../actors/requested-snapshots.ts';
import type { Sent } from '../../actors/runtime.ts';
import type { EventSink } from '../../observe/events.ts';
import type { HeapWatch } from '../../observe/heap-watch.ts';
import type { LogFields } from '../../observe/logs.ts';
import type { Traces } from '../../observe/traces.ts';
import type { Ids } from '../../platform/ids.ts';
import type { Clock } from '../../platform/ports.ts';
import type { BoundValues } from '../../settings/bounds.ts';
import type { Config } from '../../settings/config.ts';
import type { Limits } from '../../settings/limits.ts';
import type { Transaction } from '../../store/transaction.ts';
import type { ListBuilds } from '../lists/builds.ts';
import type { Registry } from '../resources/registry.ts';
import type { Lookups } from '../symbols/symbol-sources.ts';

/** Names of this process and its API. */
export interface Addresses {
  /** `https://host:port`, as advertised. */
  readonly url: string;
  /** `host:port`. */
  readonly authority: string;
  /** `tls:host:port` of the control channel, as routers are told (behaviour/control-channel). */
  readonly control: string;
  /** Wall-clock ms of the start; in a cluster, of the leadership. */
  readonly startedAt: number;
  /**
   * Id of this process; in a cluster, of the leadership. SDKs refresh their state when it changes.
   */
  readonly instanceId: string;
}

/** The claims of a new enrollment's JWT besides the address of this controller. */
export interface EnrollmentSubject {
  readonly subject: string;
  readonly method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * The running controller as declarations see it. Each layer above adds the parts that it may use,
 * in its `context.ts`; only `assembly/` knows all of them.
 */
export interface Environment extends Lookups {
  readonly registry: Registry;
  /** Builds orders and matches for lists of large tables, step by step. */
  readonly builds: ListBuilds;
  /** Tells whether there is room for more records, in memory and where the log is kept. */
  readonly memory: Pick<HeapWatch, 'admitRecord'>;
  readonly snapshots: RequestedSnapshots;
  /** The identities whose traffic is traced. */
  readonly traces: Traces;
  /** Tells programs that watch the network of what happens in it. */
  readonly events: EventSink;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly limits: Limits;
  /** Replacements for bounds of the code, for tests only. */
  readonly bounds: BoundValues | undefined;
  /** Logs how each list found its rows; undefined while debug lines are off. */
  readonly logPlan: ((plan: LogFields) => void) | undefined;
  readonly addresses: Addresses;
  /**
   * Sends an event to a record's machine within `tx`. @throws ApiError when the machine refuses it.
   */
  send<E extends MachineEvent>(tx: Transaction, kind: string, id: string, event: E): Sent;
}

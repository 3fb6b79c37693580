// The identities whose clients are connected to routers at present, as the routers report it
// (behaviour/control-channel#presence).

import type { MessageSteps } from '../channel/channel-api.ts';
import type { EventSink } from '../observe/events.ts';
import type { Clock } from '../platform/ports.ts';

/** Whether clients of an identity are connected, as the API says it. */
export type ConnectionStatus = 'online' | 'offline' | 'unknown';

/** Bounds of what routers report. */
export const connectionBounds = {
  /**
   * Identities that one router may report as connected; further ones are not noted. A router serves
   * some thousand clients. The texts are ids of records, so a router takes 6 MB at most.
   * @bound per entity
   */
  identitiesPerRouterMax: 50_000,
};

/** Identities between two looks at the clock. */
const identitiesAStep = 256;
/** Routers say every minute which API sessions are in use. */
const heardMs = 60_000;

/** What one router has reported. */
interface Reported {
  /** False while the router is not connected, so that nobody knows what it would report now. */
  isCurrent: boolean;
  readonly identities: Set<string>;
}

/** The reports of all routers. */
export class IdentityConnections {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #bounds: typeof connectionBounds;
  readonly #events: EventSink;
  readonly #routers = new Map<string, Reported>();
  /** How many connected routers report an identity, and how many that are away have done so. */
  readonly #current = new Map<string, number>();
  readonly #past = new Map<string, number>();

  /** Identities that were heard of, in the present minute and in the one before. */
  #heard = new Set<string>();
  #heardBefore = new Set<string>();
  #minuteBeganMs = 0;

  constructor(clock: Pick<Clock, 'monotonic'>, bounds: typeof connectionBounds, events: EventSink) {
    this.#clock = clock;
    this.#bounds = bounds;
    this.#events = events;
  }

  /** How many routers have reported something. */
  get size(): number {
    return this.#routers.size;
  }

  /** `unknown` when only routers that have lost their control channel since have reported it. */
  statusOf(identityId: string): ConnectionStatus {
    if (this.#current.has(identityId)) return 'online';
    this.#forgetHeard();
    if (this.#heard.has(identityId) || this.#heardBefore.has(identityId)) return 'online';
    return this.#past.has(identityId) ? 'unknown' : 'offline';
  }

  /** A router has said that a client with an API session of the identity is connected to it. */
  heard(identityId: string): void {
    this.#forgetHeard();
    this.#heard.add(identityId);
  }

  /** Whether the router has reported that clients of the identity are connected to it. */
  isReported(routerId: string, identityId: string): boolean {
    return this.#routers.get(routerId)?.identities.has(identityId) ?? false;
  }

  /**
   * A connected router says which of its connections have changed, or all that it has.
   * @param changes whether an identity is connected, by its id
   */
  *report(
    routerId: string,
    changes: ReadonlyMap<string, boolean>,
    isFullState: boolean,
  ): MessageSteps {
    const reported = this.#reportedBy(routerId);
    const { identities } = reported;
    let seen = 0;
    if (isFullState) {
      for (const identityId of identities) {
        if (changes.get(identityId) !== true) this.#left(reported, identityId);
        if (++seen % identitiesAStep === 0) yield;
      }
    }
    for (const [identityId, isConnected] of changes) {
      if (!isConnected) this.#left(reported, identityId);
      else if (identities.size < this.#bounds.identitiesPerRouterMax) {
        if (!identities.has(identityId) && add(this.#current, identityId, 1) === 1) {
          this.#tell(identityId);
        }
        identities.add(identityId);
      }
      if (++seen % identitiesAStep === 0) yield;
    }
  }

  #left({ identities }: Reported, identityId: string): void {
    if (identities.delete(identityId) && add(this.#current, identityId, -1) === 0) {
      this.#tell(identityId);
    }
  }

  /** An identity is connected to its first router, or to none any more. */
  #tell(identityId: string): void {
    if (!this.#events.wants('sdk')) return;
    const status = this.statusOf(identityId);
    const kind = status === 'unknown' ? 'sdk-status-unknown' : `sdk-${status}`;
    this.#events.tell('sdk', { event_type: kind, identity_id: identityId });
  }

  /** The router has connected or disconnected; what it reported counts accordingly. */
  setConnected(routerId: string, isConnected: boolean): void {
    const reported = this.#routers.get(routerId);
    if (reported === undefined || reported.isCurrent === isConnected) return;
    reported.isCurrent = isConnected;
    const [from, to] = isConnected ? [this.#past, this.#current] : [this.#current, this.#past];
    for (const identityId of reported.identities) {
      const [left, entered] = [add(from, identityId, -1), add(to, identityId, 1)];
      if (isConnected ? entered === 1 : left === 0) this.#tell(identityId);
    }
  }

  /** Forgets everything that a router has reported. */
  forget(routerId: string): void {
    const reported = this.#routers.get(routerId);
    if (reported === undefined) return;
    this.#routers.delete(routerId);
    const counts = reported.isCurrent ? this.#current : this.#past;
    for (const identityId of reported.identities) add(counts, identityId, -1);
  }

  #forgetHeard(): void {
    const nowMs = this.#clock.monotonic();
    const passedMs = nowMs - this.#minuteBeganMs;
    if (passedMs < heardMs) return;
    this.#heardBefore = passedMs < 2 * heardMs ? this.#heard : new Set();
    this.#heard = new Set();
    this.#minuteBeganMs = nowMs;
  }

  #reportedBy(routerId: string): Reported {
    let reported = this.#routers.get(routerId);
    if (reported === undefined) {
      reported = { isCurrent: true, identities: new Set() };
      this.#routers.set(routerId, reported);
    }
    return reported;
  }
}

/** Returns the new count. */
function add(counts: Map<string, number>, key: string, difference: number): number {
  const count = (counts.get(key) ?? 0) + difference;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return count;
}

// The full states of groups: one after the other, each built once for all routers of its group that
// wait for it, and kept for a while for those that come next.

import type { Clock } from '../../platform/ports.ts';
import { Slices } from '../../turns/slices.ts';
import type { CommonEvents } from './common-events.ts';
import { type ModelEvent, type ModelEvents, stateFields, statePlace } from './events.ts';
import { FullState } from './full-state.ts';
import type { ModelGroup, Subscriber } from './groups.ts';
import type { ViewEnvironment } from './view.ts';

/** Bounds of full states. */
export const stateBounds = {
  /**
   * Full states that are kept for routers that come next, together, without what all groups see;
   * the one that is being sent is kept in any case. @bound per controller
   */
  modelStatesBytesMax: 16 * 1024 * 1024,
  /**
   * How often a state is begun anew because the model has changed, before it is built in one turn.
   * @bound per controller
   */
  modelStateTriesMax: 3,
  /** How long a state is kept, in ms: a fleet returns within seconds. @bound per controller */
  modelStateKeptMs: 60_000,
};

/** A state that can be sent. */
export interface ReadyState {
  readonly group: ModelGroup;
  /** The changes after this index have to follow. */
  readonly index: number;
  /** Its first bytes, which states of other groups share, and those that follow. */
  readonly common: Buffer;
  readonly own: Buffer;
  /** Monotonic ms. */
  readonly builtMs: number;
  /** Routers that have not been sent it yet. */
  pending: number;
}

/** What the builds work with. */
export interface StateBuildsOptions {
  readonly env: ViewEnvironment & { readonly clock: Clock };
  readonly events: ModelEvents;
  readonly common: CommonEvents;
  readonly bounds: typeof stateBounds;
  readonly bytesMax: number;
  readonly timelineId: string;
  /** The present index. */
  readonly index: () => number;
  /** The events of all public keys. */
  readonly keys: () => Iterable<ModelEvent>;
  /** A router is to be sent a state; its `delivered` has to be called then. */
  readonly deliver: (subscriber: Subscriber, state: ReadyState) => void;
  readonly failed: (error: unknown) => void;
}

/** How long a slice of building takes, in ms. */
const sliceMs = 2;

/** One per controller. */
export class StateBuilds {
  readonly #options: StateBuildsOptions;
  readonly #slices: Slices;
  readonly #waiting = new Map<ModelGroup, Set<Subscriber>>();
  /** Oldest first. */
  readonly #kept = new Map<ModelGroup, ReadyState>();
  #building: { readonly group: ModelGroup; readonly state: FullState } | undefined;
  /** How often the state that is being built was begun anew, as the model had changed. */
  #triesInVain = 0;
  /** How large a state was that was not sent because of its size; undefined for none. */
  tooLargeBytes: number | undefined;

  constructor(options: StateBuildsOptions) {
    this.#options = options;
    const { clock } = options.env;
    this.#slices = new Slices({
      clock,
      sliceMs,
      failed: (error) => {
        this.#building = undefined;
        options.failed(error);
      },
    });
  }

  /** The router gets the state of its group, once there is one. */
  request(subscriber: Subscriber): void {
    const { group } = subscriber;
    const ready = this.#kept.get(group);
    if (ready !== undefined) {
      this.#deliver(subscriber, ready);
      return;
    }
    const others = this.#waiting.get(group);
    if (others === undefined) this.#waiting.set(group, new Set([subscriber]));
    else others.add(subscriber);
    this.#next();
  }

  /** The router does not wait for the state of that group any more. */
  cancel(subscriber: Subscriber, group: ModelGroup): void {
    const others = this.#waiting.get(group);
    if (others?.delete(subscriber) && others.size === 0) this.#waiting.delete(group);
    subscriber.delivered?.();
  }

  /** Whether a state holds with the changes that follow. */
  isValid(state: ReadyState): boolean {
    return this.#kept.get(state.group) === state;
  }

  /** A commit has changed the model: what is being built is begun anew. */
  changed(): void {
    if (this.#building === undefined) return;
    this.#building = undefined;
    this.#triesInVain += 1;
    this.#next();
  }

  /** The states of a group do not hold any more, not even with the changes that follow. */
  drop(group: ModelGroup): void {
    this.#kept.delete(group);
    if (this.#building?.group === group) this.#building = undefined;
    this.#next();
  }

  /** The same of all groups. */
  dropAll(): void {
    this.#kept.clear();
    this.#building = undefined;
    this.#next();
  }

  /** Forgets states that nobody has asked for. @returns whether none is left */
  sweep(): boolean {
    const { clock } = this.#options.env;
    const { modelStateKeptMs } = this.#options.bounds;
    for (const [group, { builtMs, pending }] of this.#kept) {
      const isOld = clock.monotonic() - builtMs >= modelStateKeptMs || group.routers.size === 0;
      if (isOld && pending === 0) this.#kept.delete(group);
    }
    return this.#kept.size === 0 && this.#building === undefined && this.#waiting.size === 0;
  }

  #next(): void {
    if (this.#building !== undefined || !this.#makeRoom()) return;
    const { env, events, common, bytesMax, index } = this.#options;
    const [group] = this.#waiting.keys();
    if (group === undefined) return;
    const state = new FullState({ env, events, common, view: group.view, bytesMax }, index());
    const building = { group, state };
    this.#building = building;
    this.#slices.add(this.#build(building));
  }

  /** Forgets kept states. @returns whether another one may be built */
  #makeRoom(): boolean {
    let bytes = 0;
    for (const { own } of this.#kept.values()) bytes += own.length;
    for (const [group, { own, pending }] of this.#kept) {
      if (bytes <= this.#options.bounds.modelStatesBytesMax) return true;
      if (pending > 0) continue;
      this.#kept.delete(group);
      bytes -= own.length;
    }
    return bytes <= this.#options.bounds.modelStatesBytesMax;
  }

  *#build(building: { group: ModelGroup; state: FullState }): Generator<undefined, void> {
    const { group, state } = building;
    // While changes come faster than it can be built in slices, it is built at once.
    const isHurried = this.#triesInVain >= this.#options.bounds.modelStateTriesMax;
    for (const _ of state.steps()) {
      // It was dropped: another one takes its place.
      if (this.#building !== building) return;
      if (!isHurried) yield;
    }
    if (this.#building !== building) return;
    this.#building = undefined;
    this.#triesInVain = 0;
    const waiting = this.#waiting.get(group) ?? new Set<Subscriber>();
    this.#waiting.delete(group);
    if (state.isTooLarge) {
      this.tooLargeBytes = state.bytes;
      for (const subscriber of waiting) subscriber.awaits = undefined;
    } else {
      this.tooLargeBytes = undefined;
      const ready = this.#readyOf(group, state);
      this.#forgetOlder(ready);
      this.#kept.set(group, ready);
      for (const subscriber of waiting) this.#deliver(subscriber, ready);
    }
    this.#next();
  }

  /** Keeps no other bytes that all groups see than the present ones, unless they are due. */
  #forgetOlder({ common }: ReadyState): void {
    for (const [group, kept] of this.#kept) {
      if (kept.common !== common && kept.pending === 0) this.#kept.delete(group);
    }
  }

  #readyOf(group: ModelGroup, { index, events, common }: FullState): ReadyState {
    const { timelineId, keys, env } = this.#options;
    const place = statePlace({ endIndex: index, timelineId });
    const own = Buffer.concat([stateFields([...events, ...keys()]), place]);
    return { group, index, common, own, builtMs: env.clock.monotonic(), pending: 0 };
  }

  #deliver(subscriber: Subscriber, ready: ReadyState): void {
    ready.pending += 1;
    subscriber.delivered = () => {
      subscriber.delivered = undefined;
      ready.pending -= 1;
      this.#next();
    };
    this.#options.deliver(subscriber, ready);
  }
}

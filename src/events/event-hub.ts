// Gathers events from commits and from parts of the controller, and hands them to all readers once
// they may leave.

import type { EventFields, EventSink, EventType } from '../observe/events.ts';
import type { Log } from '../observe/logs.ts';
import type { Clock } from '../platform/ports.ts';
import { type BoundValues, boundsOf } from '../settings/bounds.ts';
import type { DurableFrames } from '../store/durable-frames.ts';
import type { ChangeSet } from '../store/transaction.ts';
import { type NextRun, onceATurn } from '../turns/once-a-turn.ts';
import type { EventReader } from './event-reader.ts';
import type { CommitSource, CommitSurroundings } from './sources/commit-source.ts';
import { commitSources } from './sources/commit-sources.ts';
import { ServiceCounts } from './sources/service-counts.ts';
import { TerminatorCounts } from './sources/terminator-counts.ts';
import { ToldEvent } from './told-event.ts';

/** Dependencies of `EventHub`. */
export interface EventHubOptions extends Omit<CommitSurroundings, 'terminatorCounts'> {
  readonly durable: DurableFrames;
  readonly clock: Clock;
  readonly log: Log;
  readonly bounds?: BoundValues | undefined;
}

/**
 * The events of one controller. Without a reader a commit costs one branch. Otherwise what a frame
 * brings waits until the frame is durable, in a cluster until it is confirmed.
 */
export class EventHub implements EventSink {
  readonly #options: EventHubOptions;
  readonly #bounds: typeof eventBounds;
  readonly #readers = new Set<EventReader>();
  readonly #leaving: NextRun;
  readonly #listeners: (() => void)[] = [];
  readonly #terminatorCounts: TerminatorCounts;
  readonly #around: CommitSurroundings;
  readonly #watches: ((changes: ChangeSet) => void)[] = [];
  #isOn = false;
  #wanted: ReadonlySet<EventType> = new Set();
  /** Those whose events some reader wants. */
  #sources: readonly CommitSource[] = [];
  #kept: ToldEvent[] = [];
  #lost = 0;
  /** When events left last, in monotonic ms. */
  #leftMs = Number.NEGATIVE_INFINITY;
  /** Whether it is told when the frames of kept events are durable. */
  #isWaiting = false;

  constructor(options: EventHubOptions) {
    this.#options = options;
    this.#bounds = boundsOf(eventBounds, options.bounds);
    this.#terminatorCounts = new TerminatorCounts(options.store);
    this.#around = { ...options, terminatorCounts: this.#terminatorCounts };
    this.#leaving = onceATurn(options.clock, () => this.#leave());
    options.store.follow((changes) => {
      if (this.#isOn) this.#follow(changes);
    });
    this.#readers.add(new ServiceCounts(this, options.clock));
  }

  wants(type: EventType): boolean {
    return this.#wanted.has(type);
  }

  tell(type: EventType, fields: EventFields): void {
    if (this.#wanted.has(type)) this.#keep(this.eventOf(type, fields));
  }

  /** An event of this moment, for whoever sends it. */
  eventOf(type: EventType, fields: EventFields): ToldEvent {
    const timeMs = this.#options.clock.now();
    return new ToldEvent({ type, timeMs, lsn: 0, fields }, this.sourceId);
  }

  /** Hands events to a reader from now on. @returns a function that ends this */
  add(reader: EventReader): () => void {
    this.#readers.add(reader);
    this.changed();
    return () => {
      this.#readers.delete(reader);
      this.changed();
    };
  }

  /** Calls `watch` within each commit while somebody reads; it must neither throw nor write. */
  onCommit(watch: (changes: ChangeSet) => void): void {
    this.#watches.push(watch);
  }

  /** Calls `listener` when other types are wanted than before. */
  onChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Readers read other types than before. */
  changed(): void {
    const types = new Set<EventType>();
    for (const reader of this.#readers) for (const type of reader.types) types.add(type);
    // Counts of services are made of these.
    if (types.has('service')) types.add('circuit');
    // Terminators are counted only while each commit is followed.
    const counts = [types, this.#wanted].every((wanted) => wanted.has('terminator'));
    if (!counts) this.#terminatorCounts.forget();
    this.#wanted = types;
    this.#sources = commitSources.filter((source) => types.has(source.type));
    this.#isOn = types.size > 0;
    for (const listener of this.#listeners) listener();
    if (this.#isOn) return;
    this.#kept = [];
    this.#lost = 0;
  }

  /** Hands over at once what is durable by now. */
  flush(): void {
    this.#leaving.cancel();
    this.#leave();
  }

  /** Id of the controller, or of the node of a cluster. */
  get sourceId(): string {
    return this.#options.sourceId();
  }

  /** Called within a commit: it only notes what readers need later. */
  #follow(changes: ChangeSet): void {
    for (const watch of this.#watches) watch(changes);
    this.#terminatorCounts.follow(changes);
    if (this.#options.store.isAttached) {
      for (const event of this.#eventsOf(changes)) this.#keep(event);
      return;
    }
    // The leader tells; here they are kept for the time when this node leads.
    const keepers = [...this.#readers].filter((reader) => reader.followed !== undefined);
    if (keepers.length === 0) return;
    const events = this.#eventsOf(changes);
    for (const reader of keepers) reader.followed?.(events);
  }

  #eventsOf(changes: ChangeSet): ToldEvent[] {
    const { lsn, timeMs, hasFrame } = changes;
    const events: ToldEvent[] = [];
    for (const { type, eventsOf } of this.#sources) {
      for (const [number, fields] of eventsOf(changes, this.#around).entries()) {
        const place = hasFrame ? { place: `${type}.${lsn}.${number}` } : {};
        events.push(new ToldEvent({ type, timeMs, lsn, ...place, fields }, this.sourceId));
      }
    }
    return events;
  }

  #keep(event: ToldEvent): void {
    if (this.#kept.length >= this.#bounds.eventsKeptMax) {
      this.#lost += 1;
      return;
    }
    this.#kept.push(event);
    if (!this.#isWaiting || event.lsn <= this.#options.durable.lsn) this.#leaveSoon();
  }

  /** The first event leaves at once, and those that soon follow leave together. */
  #leaveSoon(): void {
    const restMs = this.#leftMs + this.#bounds.eventGatherMs - this.#options.clock.monotonic();
    if (restMs > 0) this.#leaving.requestIn(restMs);
    else this.#leaving.request();
  }

  /** Lets go what is durable, and waits for the newest frame of the rest. */
  #leave(): void {
    const { durable } = this.#options;
    const { lsn } = durable;
    const isReady = (event: ToldEvent) => event.lsn <= lsn;
    const ready = this.#kept.filter(isReady);
    if (ready.length > 0) {
      this.#kept = this.#kept.filter((event) => !isReady(event));
      const lost = this.#lost;
      this.#lost = 0;
      this.#leftMs = this.#options.clock.monotonic();
      // On a node of a cluster it waits until the node may answer.
      durable.when(0, () => this.#deliver(ready, lost));
    }
    const last = this.#kept.at(-1);
    if (last === undefined || this.#isWaiting) return;
    this.#isWaiting = true;
    durable.when(last.lsn, () => {
      this.#isWaiting = false;
      this.#leaveSoon();
    });
  }

  #deliver(events: readonly ToldEvent[], lost: number): void {
    for (const reader of this.#readers) {
      try {
        if (lost > 0) reader.missed(lost);
        reader.take(events);
      } catch (err) {
        this.#options.log.error({ err }, 'a reader of events failed');
      }
    }
  }
}

/** Bounds of events that have not left. */
const eventBounds = {
  /**
   * Events that wait until their frames are durable; further ones are dropped and counted. Those of
   * five seconds of 4,000 writes. @bound per controller
   */
  eventsKeptMax: 20_000,
  /**
   * Between two times at which events leave, in ms. Each time costs each reader an encryption, a
   * write and a read. @bound per controller
   */
  eventGatherMs: 5,
};

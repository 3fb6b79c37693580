// A reader of events, as the hub sees it.

import type { EventType } from '../observe/events.ts';
import type { ToldEvent } from './told-event.ts';

/** A reader of events. Its methods must not throw. */
export interface EventReader {
  /** The types that it reads; `EventHub.changed` is called when they change. */
  readonly types: ReadonlySet<EventType>;
  /** Takes events in the order in which they may leave, of any type. */
  take(events: readonly ToldEvent[]): void;
  /** Takes events of frames that another node has decided, while this one follows. */
  followed?(events: readonly ToldEvent[]): void;
  /** So many events were dropped for all readers, because the log was stalled for long. */
  missed(count: number): void;
}

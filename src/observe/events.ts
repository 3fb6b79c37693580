// Events for programs that watch the network: their types, and how a part of the controller tells
// of what no frame of the log holds (behaviour/events).

import type { eventTypes } from '../settings/event-types.ts';

/** A type of events. */
export type EventType = (typeof eventTypes)[number];

/** The fields of an event besides those that all have, under their names on the wire. */
export type EventFields = Readonly<Record<string, unknown>>;

/** Where parts of the controller tell of what has happened. */
export interface EventSink {
  /** Whether anybody reads events of a type. A part asks before it makes one. */
  wants(type: EventType): boolean;
  /**
   * Tells of an event, which leaves at the end of the turn. `fields` must hold no token, password
   * or key, and must not be changed afterwards. It neither throws nor writes, so it may be called
   * within a commit.
   */
  tell(type: EventType, fields: EventFields): void;
}

// The data that the inspector shows of a running controller. Page, operations, stream and audit
// feed share only these types.

import type { Lsn } from '../../snapshots/journal.ts';

/** One transition of one machine, as its frame contains it. Nothing in it is secret. */
export interface Transition {
  /** Of the frame. */
  readonly lsn: Lsn;
  /** Wall-clock ms. */
  readonly timeMs: number;
  readonly kind: string;
  readonly id: string;
  /** Type of the event that was sent. */
  readonly event: string;
  /** State before; `none` if there was no instance. */
  readonly from: string;
  /** State after; a final state of its machine (`deleted`) if the instance is gone. */
  readonly to: string;
  /** Id of the identity that caused it, or the name of the part of the controller that did. */
  readonly actor: string;
  /** Name of that identity if it still exists; empty otherwise. */
  readonly actorName: string;
  /** Id of the operation within which it happened. */
  readonly operation: string;
  readonly requestId: string;
  /** LSN of the frame whose consequence it is; 0 for an original cause. */
  readonly causeLsn: Lsn;
}

/** Which frames are wanted. */
export interface FrameOrder {
  /** The first frame to read; if it is gone, reading begins with the oldest kept frame. */
  readonly fromLsn: Lsn;
  /** The last frame to read, at most the last durable one. */
  readonly toLsn: Lsn;
  /** Only frames that touch a record of this kind. */
  readonly kind?: string | undefined;
  /** Only frames that touch a record with this id. */
  readonly id?: string | undefined;
  /** A page ends with the frame that takes it over this number of bytes of text. */
  readonly bytesMax: number;
}

/** Frames of the log as text. */
export interface FramePage {
  /** A JSON object each, as `edge-control log` shows them: secrets masked, names of the actors. */
  readonly lines: readonly string[];
  /** Where the next page begins: after the last frame that was read. */
  readonly nextLsn: Lsn;
  /** The oldest frame in the kept segments. */
  readonly oldestLsn: Lsn;
}

/** Transitions of one instance, newest first. */
export interface TransitionPage {
  readonly transitions: readonly Transition[];
  /** The oldest frame in the kept segments; earlier frames are gone. */
  readonly oldestLsn: Lsn;
  /** Whether older ones may exist in the log: ask again with `nextBeforeLsn`. */
  readonly hasMore: boolean;
  /**
   * Where the next page begins. It is below the last transition if frames without any were read.
   */
  readonly nextBeforeLsn: Lsn;
}

/** A part of the controller that runs beside the requests: log writer, snapshotter, listener. */
export interface ProcessView {
  /** `log writer`, `snapshotter`, `integrity run`, `listener 127.0.0.1:1280`, `controller`. */
  readonly name: string;
  /** The state of its machine. */
  readonly state: string;
  /** Wall-clock ms since when it is in this state. */
  readonly sinceMs: number;
  /** One sentence for people, or an empty text. */
  readonly detail: string;
  /** Its rates per second, by name: `frames`, `bytes`, `requests`, `connections`. */
  readonly rates: Readonly<Record<string, number>>;
}

/** How the controller is doing: levels as of `timeMs`, rates over the second before. */
export interface Figures {
  /** Wall-clock ms. */
  readonly timeMs: number;
  readonly requestsASecond: number;
  readonly framesASecond: number;
  /** Mean number of frames that one sync of the log made durable; 0 if there was no sync. */
  readonly framesAGroup: number;
  readonly logBytesASecond: number;
  readonly lastLsn: Lsn;
  readonly durableLsn: Lsn;
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** The longest time that the event loop was held up, ms. */
  readonly longestPauseMs: number;
  readonly requestsInFlight: number;
  readonly connections: number;
  /** Attached inspectors. */
  readonly inspectors: number;
}

/** A message of the stream. Each is one JSON text of this type. */
export type StreamMessage =
  | {
      readonly type: 'attached';
      /** Transitions after this frame will be sent. */
      readonly lsn: Lsn;
      /** Wall-clock ms of the controller. */
      readonly timeMs: number;
    }
  | {
      readonly type: 'transitions';
      /** Oldest first. */
      readonly transitions: readonly Transition[];
      /**
       * Transitions that this inspector missed since the last message, because it reads too slowly.
       */
      readonly dropped: number;
      /** Everything up to this frame was sent, dropped or filtered. */
      readonly lsn: Lsn;
    }
  | { readonly type: 'figures'; readonly figures: Figures }
  | { readonly type: 'processes'; readonly processes: readonly ProcessView[] }
  /** From here on, `transitions` and `dropped` hold only those that match this filter. */
  | { readonly type: 'filtered'; readonly filter: string }
  /** A message of the inspector was invalid. The connection and its filter are kept. */
  | {
      readonly type: 'refused';
      readonly reason: string;
      /** The refused filter, if the message was a filter. */
      readonly filter?: string;
    };

/** A message that an inspector may send over the stream. */
export type StreamRequest =
  /**
   * A filter over `kind id event fromState toState actor actorName operation`, empty for all:
   * `from` is a word of the filter language, `to` is `toState`.
   */
  | { readonly type: 'filter'; readonly filter: string }
  /** No transitions until `resume`; those in between are neither sent nor counted as dropped. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' };

/**
 * A machine with the number of its instances. If it has parallel regions, drawn states are named
 * `region:state`, and the state of an instance names one of each region, sorted and joined by `,`.
 */
export interface MachineView {
  /** The kind of its records, or the name of a live machine. */
  readonly id: string;
  /** A description in words. */
  readonly name: string;
  /** Its instances are parts of the running controller, not records. */
  readonly isLive: boolean;
  /** States as they are drawn; one within another is `outer.inner`. */
  readonly states: readonly string[];
  /** The states without outgoing transitions. */
  readonly finals: readonly string[];
  /** The initial state; for a record it is the state in which it does not exist. */
  readonly initial: string;
  /** One region with an empty name, except in a machine with parallel regions. */
  readonly regions: readonly {
    readonly name: string;
    readonly initial: string;
    readonly states: readonly string[];
  }[];
  readonly transitions: readonly MachineTransition[];
  readonly total: number;
  /** By state of instances, including states without instances. */
  readonly counts: Readonly<Record<string, number>>;
}

/** The effect of an event in a state, as it is drawn. */
export interface MachineTransition {
  readonly from: string;
  readonly event: string;
  /** The same as `from` if the state does not change. */
  readonly to: string;
  /** Name of the condition under which the transition is taken. */
  readonly guarded?: string;
  /** Error code with which the event is refused there. */
  readonly refused?: string;
}

/** One instance in a list. Times are RFC 3339 in UTC. */
export interface InstanceRow {
  readonly id: string;
  /** Its name, or the name of the record that identifies it; empty if there is neither. */
  readonly name: string;
  readonly state: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Of the frame that wrote its record; 0 for a live one. */
  readonly lsn: Lsn;
  /** The time at which it changes by itself, unless something happens before. */
  readonly deadline?: string;
}

/** One instance with all its details. */
export interface InstanceDetail {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly isLive: boolean;
  readonly lsn: Lsn;
  /** Every field; secrets are masked, times RFC 3339 in UTC. */
  readonly record: Readonly<Record<string, unknown>>;
  /** The event that will be sent by itself and its time, unless something happens before. */
  readonly deadline?: { readonly at: string; readonly event: string };
  /** Posture checks that an API session passes and that will fail by themselves, nearest first. */
  readonly lapses?: readonly { readonly at: string; readonly id: string; readonly name: string }[];
  /** Events that its present state accepts, at least under some condition. */
  readonly events: readonly string[];
  /** The records that its fields refer to; the name is empty if the record does not exist. */
  readonly relations: readonly InstanceRelation[];
  /** The records that refer to it. */
  readonly referrers: readonly InstanceReferrer[];
}

/** A record that a field refers to. */
export interface InstanceRelation {
  readonly field: string;
  readonly kind: string;
  readonly id: string;
  readonly name: string;
}

/** The records of a kind that refer to an instance by one of their fields. */
export interface InstanceReferrer {
  readonly kind: string;
  readonly field: string;
  readonly count: number;
  /** The first few. */
  readonly some: readonly { readonly id: string; readonly name: string }[];
}

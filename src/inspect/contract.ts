// What the inspector is told of a running controller, and by whom. Page, operations, stream and
// audit feed know each other by these shapes only.

import type { Lsn } from '../../snapshots/journal.ts';

/** One step of one machine, as its frame tells it. Nothing in it is secret. */
export interface Transition {
  /** Of the frame. */
  readonly lsn: Lsn;
  /** Wall-clock ms. */
  readonly timeMs: number;
  readonly kind: string;
  readonly id: string;
  /** Type of the event that was sent. */
  readonly event: string;
  /** State before; `none` where there was no instance. */
  readonly from: string;
  /** State after; a final one of its machine (`deleted`) where the instance is gone. */
  readonly to: string;
  /** Id of the identity that did it, or the name of the part of the controller that did. */
  readonly actor: string;
  /** Name of that identity where it is still there; empty otherwise. */
  readonly actorName: string;
  /** Id of the operation within which it happened. */
  readonly operation: string;
  readonly requestId: string;
  /** LSN of the frame whose consequence it is; 0 for an original cause. */
  readonly causeLsn: Lsn;
}

/** Which frames are wanted. */
export interface FrameOrder {
  /** The first one that is looked at; where it is gone, the oldest that is there. */
  readonly fromLsn: Lsn;
  /** The last one that is looked at, at most the durable one. */
  readonly toLsn: Lsn;
  /** Only frames that touch a record of this kind. */
  readonly kind?: string | undefined;
  /** Only frames that touch a record with this id. */
  readonly id?: string | undefined;
  /** A page ends behind the frame that takes it over so many bytes of text. */
  readonly bytesMax: number;
}

/** Frames of the log as text. */
export interface FramePage {
  /** A JSON object each, as `edge-control log` shows them: secrets masked, names of the actors. */
  readonly lines: readonly string[];
  /** Where to go on: behind the last frame that was looked at. */
  readonly nextLsn: Lsn;
  /** The oldest frame that the kept segments hold. */
  readonly oldestLsn: Lsn;
}

/** Transitions of one instance, newest first. */
export interface TransitionPage {
  readonly transitions: readonly Transition[];
  /** The oldest frame that the kept segments hold: what was before it is gone. */
  readonly oldestLsn: Lsn;
  /** Whether more of them may be older and still there: ask again with `nextBeforeLsn`. */
  readonly hasMore: boolean;
  /** Where to go on. Below the last transition where frames without any were looked at in vain. */
  readonly nextBeforeLsn: Lsn;
}

/**
 * Reads the kept segments in a thread of its own, one request at a time; a bounded number waits.
 * What is not durable is not there.
 */
export interface LogReader {
  /** Whether a thread holds memory for it just now. */
  readonly isRunning: boolean;
  /** @throws ApiError RATE_LIMITED when too many wait. */
  frames(order: FrameOrder, signal?: AbortSignal): Promise<FramePage>;
  /**
   * Where a record is gone, a bounded part of the log is searched for its last change: a page
   * without transitions may have more behind it.
   * @throws ApiError RATE_LIMITED when too many wait; the reason of `signal`, which ends a wait.
   */
  transitionsOf(
    kind: string,
    id: string,
    order: { readonly beforeLsn: Lsn; readonly limit: number },
    signal?: AbortSignal,
  ): Promise<TransitionPage>;
  /** Ends the thread. */
  stop(): Promise<void>;
}

/** A part of the controller that lives beside the requests: log writer, snapshotter, listener. */
export interface ProcessView {
  /** `log writer`, `snapshotter`, `integrity run`, `listener 127.0.0.1:1280`, `controller`. */
  readonly name: string;
  /** The state of its machine. */
  readonly state: string;
  /** Wall-clock ms since when it is in it. */
  readonly sinceMs: number;
  /** One sentence for people, where there is something to say; empty otherwise. */
  readonly detail: string;
  /** What it does a second, by name: `frames`, `bytes`, `requests`, `connections`. */
  readonly rates: Readonly<Record<string, number>>;
}

/** How the controller is doing: levels as of `timeMs`, rates over the second before. */
export interface Figures {
  /** Wall-clock ms. */
  readonly timeMs: number;
  readonly requestsASecond: number;
  readonly framesASecond: number;
  /** Mean frames that one sync of the log made durable; 0 where there was none. */
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

/** What the stream tells. Each message is one JSON text of this shape. */
export type StreamMessage =
  | {
      readonly type: 'attached';
      /** Transitions behind this frame will be told. */
      readonly lsn: Lsn;
      /** Wall-clock ms of the controller. */
      readonly timeMs: number;
    }
  | {
      readonly type: 'transitions';
      /** Oldest first. */
      readonly transitions: readonly Transition[];
      /** Transitions that this inspector was not told since the last message, for its slowness. */
      readonly dropped: number;
      /** All up to this frame was told, dropped or filtered. */
      readonly lsn: Lsn;
    }
  | { readonly type: 'figures'; readonly figures: Figures }
  | { readonly type: 'processes'; readonly processes: readonly ProcessView[] }
  /** From here on transitions are those that this filter takes, and `dropped` counts those. */
  | { readonly type: 'filtered'; readonly filter: string }
  /** Something the inspector sent was wrong; the connection stays, and so does its filter. */
  | {
      readonly type: 'refused';
      readonly reason: string;
      /** The filter that was refused, where it was one. */
      readonly filter?: string;
    };

/** What an inspector may send over the stream. */
export type StreamRequest =
  /**
   * A filter over `kind id event fromState toState actor actorName operation`, empty for all:
   * `from` is a word of the filter language, `to` is `toState`.
   */
  | { readonly type: 'filter'; readonly filter: string }
  /** No transitions until `resume`; those meanwhile are not told and not counted as dropped. */
  | { readonly type: 'pause' }
  | { readonly type: 'resume' };

/**
 * A machine with the number of its instances. Where it has parallel regions, what is drawn is named
 * `region:state`, and the state of an instance names one of each region, sorted and joined by `,`.
 */
export interface MachineView {
  /** The kind of its records, or the name of a live machine. */
  readonly id: string;
  /** In words. */
  readonly name: string;
  /** Its instances are parts of the running controller and no records. */
  readonly isLive: boolean;
  /** States as they are drawn; one within another is `outer.inner`. */
  readonly states: readonly string[];
  /** Those of them from which nothing leads away. */
  readonly finals: readonly string[];
  /** Where it begins: for a record that there is none. */
  readonly initial: string;
  /** One with an empty name, but in a machine of parallel regions. */
  readonly regions: readonly {
    readonly name: string;
    readonly initial: string;
    readonly states: readonly string[];
  }[];
  readonly transitions: readonly MachineTransition[];
  readonly total: number;
  /** By state of instances, those without any included. */
  readonly counts: Readonly<Record<string, number>>;
}

/** What an event does in a state, as it is drawn. */
export interface MachineTransition {
  readonly from: string;
  readonly event: string;
  /** The same as `from` where it stays. */
  readonly to: string;
  /** Name of the condition under which it does. */
  readonly guarded?: string;
  /** Error code with which the event is refused there. */
  readonly refused?: string;
}

/** One instance in a list. Times are RFC 3339 in UTC. */
export interface InstanceRow {
  readonly id: string;
  /** Of what it is known by, where it has no name of its own; empty where nothing gives it one. */
  readonly name: string;
  readonly state: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Of the frame that wrote its record; 0 for a live one. */
  readonly lsn: Lsn;
  /** When it changes by itself, unless something happens before. */
  readonly deadline?: string;
}

/** One instance with all that is known of it. */
export interface InstanceDetail {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly isLive: boolean;
  readonly lsn: Lsn;
  /** Every field; secrets are masked, times RFC 3339 in UTC. */
  readonly record: Readonly<Record<string, unknown>>;
  /** When which event will come by itself, unless something happens before. */
  readonly deadline?: { readonly at: string; readonly event: string };
  /** Posture checks that an API session passes and that will fail by themselves, nearest first. */
  readonly lapses?: readonly { readonly at: string; readonly id: string; readonly name: string }[];
  /** Events that its present state takes, under some condition at least. */
  readonly events: readonly string[];
  /** The records that its fields refer to; the name is empty where one is not there. */
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

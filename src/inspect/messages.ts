// The data that the inspector shows of a running controller. Page, operations, stream and audit
// feed share only these types. Those that operations answer with are schemas.

import Type, { type Static } from 'typebox';
import type { Lsn } from '../../snapshots/journal.ts';

const text = Type.String();
const texts = Type.Array(text);
const moment = Type.String({ format: 'date-time' });
const flag = Type.Boolean();
const count = Type.Integer({ minimum: 0 });
const rate = Type.Number({ minimum: 0 });

/** The meaning of a state, as machines declare it (`machines/meaning.ts`). */
const meaning = Type.Enum(['good', 'waiting', 'bad', 'over']);

/** A value that is shown, not changed. */
type Shown<T> = T extends readonly (infer Item)[]
  ? readonly Shown<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: Shown<T[K]> }
    : T;

/** The schema of `Transition`. */
const transitionSchema = Type.Object(
  {
    // Of the frame.
    lsn: count,
    // Wall-clock ms.
    timeMs: Type.Number(),
    kind: text,
    id: text,
    // Type of the event that was sent.
    event: text,
    // State before; `none` if there was no instance.
    from: text,
    // State after; a final state of its machine (`deleted`) if the instance is gone.
    to: text,
    // Id of the identity that caused it, or the name of the part of the controller that did.
    actor: text,
    // Name of that identity if it still exists; empty otherwise.
    actorName: text,
    // Id of the operation within which it happened.
    operation: text,
    requestId: text,
    // LSN of the frame whose consequence it is; 0 for an original cause.
    causeLsn: count,
  },
  { title: 'transition' },
);

/** One transition of one machine, as its frame contains it. Nothing in it is secret. */
export type Transition = Shown<Static<typeof transitionSchema>>;

/** What a frame did to a record: `before` is absent if it did not exist, or is not known. */
const changeShape = {
  change: Type.Enum(['created', 'updated', 'deleted']),
  // The fields that differ. Secrets are masked, times RFC 3339 in UTC.
  fields: Type.Record(
    text,
    Type.Object({ before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) }),
  ),
};

/** The schema of `RecordChange`. */
const recordChangeSchema = Type.Object(
  {
    lsn: count,
    timeMs: Type.Number(),
    ...changeShape,
    actor: text,
    actorName: text,
    operation: text,
    requestId: text,
    causeLsn: count,
  },
  { title: 'recordChange' },
);

/** A change of one record, as its frame contains it. Its cause is told as in a `Transition`. */
export type RecordChange = Shown<Static<typeof recordChangeSchema>>;

/** The schema of `TransitionPage`. */
export const transitionPageSchema = Type.Object(
  {
    transitions: Type.Array(transitionSchema),
    // The changes of the record, with and without a transition; none of a record in memory only.
    changes: Type.Array(recordChangeSchema),
    // The oldest frame in the kept segments; earlier frames are gone.
    oldestLsn: count,
    // Whether older ones may exist in the log: ask again with `nextBeforeLsn`.
    hasMore: flag,
    // Where the next page begins: below the last transition if frames without any were read.
    nextBeforeLsn: count,
  },
  { title: 'transitionPage' },
);

/** Transitions and changes of one record, newest first. */
export type TransitionPage = Shown<Static<typeof transitionPageSchema>>;

/** The schema of `RecentTransitions`. */
export const recentTransitionsSchema = Type.Object(
  {
    transitions: Type.Array(transitionSchema),
    // All frames from here on were read; older ones are gone, or were not needed.
    fromLsn: count,
    // Transitions for which the filter had no steps left, as in the stream.
    dropped: count,
  },
  { title: 'recentTransitions' },
);

/** The last transitions of all instances, newest first. */
export type RecentTransitions = Shown<Static<typeof recentTransitionsSchema>>;

/** The schema of `FrameView`. */
export const frameViewSchema = Type.Object(
  {
    lsn: count,
    // Wall-clock ms.
    timeMs: Type.Number(),
    // Id of the operation; `seal` for a clean stop, `term` for the start of a leadership.
    operation: text,
    // As in a transition; empty for a frame that changes no record.
    actor: text,
    actorName: text,
    requestId: text,
    causeLsn: count,
    // The first of its transitions, in their order, and the number of all.
    transitions: Type.Array(transitionSchema),
    transitionsTotal: count,
    // The first of its changes, and the number of all.
    changes: Type.Array(Type.Object({ kind: text, id: text, name: text, ...changeShape })),
    changesTotal: count,
    // Later frames whose cause it is, oldest first.
    followers: Type.Array(
      Type.Object({
        lsn: count,
        timeMs: Type.Number(),
        operation: text,
        transitions: count,
        changes: count,
      }),
    ),
    // Frames up to here were searched for followers.
    followersUntilLsn: count,
    // Whether there are later frames: ask again with `afterLsn`, which is `followersUntilLsn`.
    hasMore: flag,
    // The oldest frame in the kept segments.
    oldestLsn: count,
    // The last durable frame.
    lastLsn: count,
  },
  { title: 'logFrame' },
);

/** One frame of the log with what followed from it. */
export type FrameView = Shown<Static<typeof frameViewSchema>>;

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

/** The schema of `ProcessView`. */
export const processSchema = Type.Object(
  {
    // `log writer`, `snapshotter`, `integrity run`, `listener 127.0.0.1:1280`, `controller`.
    name: text,
    // The state of its machine.
    state: text,
    // The meaning of that state.
    meaning,
    // Wall-clock ms since when it is in this state.
    sinceMs: count,
    // One sentence for people, or an empty text.
    detail: text,
    // Its rates per second, by name: `frames`, `bytes`, `requests`, `connections`.
    rates: Type.Record(text, Type.Number()),
  },
  { title: 'controllerProcess' },
);

/** A part of the controller that runs beside the requests: log writer, snapshotter, listener. */
export type ProcessView = Shown<Static<typeof processSchema>>;

/** The schema of `Figures`. */
export const figuresSchema = Type.Object(
  {
    // Wall-clock ms.
    timeMs: count,
    requestsASecond: rate,
    framesASecond: rate,
    // Mean number of frames that one sync of the log made durable; 0 if there was no sync.
    framesAGroup: rate,
    logBytesASecond: rate,
    lastLsn: count,
    durableLsn: count,
    heapBytes: count,
    residentBytes: count,
    // The longest time that the event loop was held up, ms.
    longestPauseMs: rate,
    requestsInFlight: count,
    connections: count,
    // Attached inspectors.
    inspectors: count,
  },
  { title: 'controllerFigures' },
);

/** How the controller is doing: levels as of `timeMs`, rates over the second before. */
export type Figures = Shown<Static<typeof figuresSchema>>;

/** A router on the map. */
export interface MapRouter {
  readonly kind: 'router';
  readonly id: string;
  readonly name: string;
  /** Of its presence; `offline` also if it has not connected since the start. */
  readonly state: string;
  readonly isEnrolled: boolean;
  readonly isDisabled: boolean;
  /** It asked for no further circuits. */
  readonly isQuiesced: boolean;
  /** Its first role attribute; empty if it has none. */
  readonly group: string;
  /** What a path pays to enter it, as an administrator has set it. */
  readonly cost: number;
  readonly noTraversal: boolean;
  /** Circuits over it. */
  readonly circuits: number;
  /** Empty if it has not connected since the start, as the next two. */
  readonly version: string;
  readonly address: string;
  /** Why its last control channel was closed. */
  readonly closeReason: string;
  /** Wall-clock ms since when it is connected or not; 0 if that is not known. */
  readonly sinceMs: number;
}

/** A link on the map. */
export interface MapLink {
  readonly kind: 'link';
  readonly id: string;
  /** The router that dialed it, and the other one. */
  readonly from: string;
  readonly to: string;
  readonly state: string;
  /** An administrator has taken it out of all paths. */
  readonly isDown: boolean;
  /** What a path pays for it, and the part of that which an administrator has set. */
  readonly cost: number;
  readonly staticCost: number;
  /** As both ends measure it, in ms; absent before that. */
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
  readonly protocol: string;
  /** Circuits over it. */
  readonly circuits: number;
  /** Wall-clock ms since when it is broken, or else since when it is known. */
  readonly sinceMs: number;
}

/** What the map shows besides circuits. */
export type MapRow = MapRouter | MapLink;

/** A circuit of the service that is chosen on the map. */
export interface MapCircuit {
  readonly id: string;
  readonly state: string;
  /** The identity that dials; its name is empty if it is gone. */
  readonly clientId: string;
  readonly clientName: string;
  /** From the router of the client to that of the host, and the links between them. */
  readonly routers: readonly string[];
  readonly links: readonly string[];
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
  | {
      readonly type: 'map';
      /** What was known before counts no more. */
      readonly isFirst: boolean;
      /** First these are gone, then those are as they are told. */
      readonly gone: readonly Pick<MapRow, 'kind' | 'id'>[];
      readonly rows: readonly MapRow[];
      /** Everything was told that there is at this time. */
      readonly isWhole: boolean;
    }
  | {
      readonly type: 'circuits';
      readonly serviceId: string;
      /** The first of them, and the number of all. */
      readonly circuits: readonly MapCircuit[];
      readonly total: number;
    }
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
  | { readonly type: 'resume' }
  /**
   * Whether routers and links are wanted: all of them, and then their changes. `serviceId` names
   * the service whose circuits are wanted as well; empty for none.
   */
  | { readonly type: 'map'; readonly isWanted: boolean; readonly serviceId: string };

/** The schema of `MachineView`. */
export const machineSchema = Type.Object(
  {
    // The kind of its records, or the name of a live machine.
    id: text,
    // A description in words.
    name: text,
    // Its instances are parts of the running controller, not records.
    isLive: flag,
    // No frame of the log contains its instances: they are kept in memory only, and the LSN of one
    // is that of the newest frame when it changed.
    isVolatile: flag,
    // States as they are drawn; one within another is `outer.inner`.
    states: texts,
    // The states without outgoing transitions.
    finals: texts,
    // The meaning of each state that is drawn.
    meanings: Type.Record(text, meaning),
    // What each condition of its transitions asks, in words.
    guards: Type.Record(text, text),
    // The initial state; for a record it is the state in which it does not exist.
    initial: text,
    // One region with an empty name, except in a machine with parallel regions.
    regions: Type.Array(Type.Object({ name: text, initial: text, states: texts })),
    transitions: Type.Array(
      Type.Object({
        from: text,
        event: text,
        // The same as `from` if the state does not change.
        to: text,
        // Name of the condition under which the transition is taken.
        guarded: Type.Optional(text),
        // Error code with which the event is refused there.
        refused: Type.Optional(text),
      }),
    ),
    total: count,
    // By state of instances, including states without instances.
    counts: Type.Record(text, count),
  },
  { title: 'inspectedMachine' },
);

/**
 * A machine with the number of its instances, or a kind of records without a machine, which has no
 * states. If it has parallel regions, drawn states are named
 * `region:state`, and the state of an instance names one of each region, sorted and joined by `,`.
 */
export type MachineView = Shown<Static<typeof machineSchema>>;

/** What a state means to an operator. */
export type StateMeaning = Static<typeof meaning>;

/** The effect of an event in a state, as it is drawn. */
export type MachineTransition = MachineView['transitions'][number];

/** What tells an API session from others of the same identity; texts may be empty. */
const clientSchema = Type.Object({
  address: text,
  sdk: text,
  version: text,
  lastActivityAt: moment,
});

/** The client of an API session. */
export type SessionClient = Shown<Static<typeof clientSchema>>;

/** The schema of `InstanceRow`. */
export const rowSchema = Type.Object(
  {
    id: text,
    // Its name, or the name of the record that identifies it; empty if there is neither.
    name: text,
    state: text,
    // As in the details.
    stateInWords: Type.Optional(text),
    createdAt: moment,
    updatedAt: moment,
    // LSN of the frame that wrote its record; 0 for a live one.
    lsn: count,
    // The time at which it changes by itself, unless something happens before.
    deadline: Type.Optional(moment),
    client: Type.Optional(clientSchema),
  },
  { title: 'inspectedInstance' },
);

/** One instance in a list. Times are RFC 3339 in UTC. */
export type InstanceRow = Shown<Static<typeof rowSchema>>;

/** The schema of `FoundRecords`. */
export const foundSchema = Type.Object(
  {
    kind: text,
    // The number of records that the text finds in this kind.
    total: count,
    // The nearest of them: first those whose name or id is the text, then names that begin with it.
    instances: Type.Array(rowSchema),
    // Whether all records were looked at, within the bound of one search.
    isWhole: flag,
  },
  { title: 'foundRecords' },
);

/** The records of one kind that a typed text finds. */
export type FoundRecords = Shown<Static<typeof foundSchema>>;

/** The schema of `AccessGroup`. */
export const accessGroupSchema = Type.Object(
  {
    // `selectedBy`: policies that select it. `dial`, `bind`, `linked`: members that policies of
    // this type link it with. `selects`: members that it selects, as it is a policy.
    way: Type.Enum(['selectedBy', 'dial', 'bind', 'linked', 'selects']),
    kind: text,
    total: count,
    // The first few of them.
    some: Type.Array(Type.Object({ id: text, name: text })),
  },
  { title: 'inspectedAccessGroup' },
);

/** Records that policies bring together with a record, of one kind and in one way. */
export type AccessGroup = Shown<Static<typeof accessGroupSchema>>;

/** The schema of `InstanceDetail`. */
export const detailSchema = Type.Object(
  {
    id: text,
    kind: text,
    name: text,
    state: text,
    isLive: flag,
    lsn: count,
    // The state of an API session, if each of its requests needs a JWT: the state does not tell it.
    stateInWords: Type.Optional(text),
    // Every field; secrets are masked, times RFC 3339 in UTC.
    record: Type.Record(text, Type.Unknown()),
    // The event that will be sent by itself and its time, unless something happens before.
    deadline: Type.Optional(Type.Object({ at: moment, event: text })),
    // Posture checks that an API session passes and that will fail by themselves, nearest first.
    lapses: Type.Optional(Type.Array(Type.Object({ at: moment, id: text, name: text }))),
    // Events that its present state accepts, at least under some condition.
    events: texts,
    // The records that its fields refer to; the name is empty if the record does not exist.
    relations: Type.Array(Type.Object({ field: text, kind: text, id: text, name: text })),
    // The records that refer to it, by kind and field; `some` are the first few.
    referrers: Type.Array(
      Type.Object({
        kind: text,
        field: text,
        count,
        some: Type.Array(
          Type.Object({ id: text, name: text, client: Type.Optional(clientSchema) }),
        ),
      }),
    ),
    client: Type.Optional(clientSchema),
  },
  { title: 'inspectedInstanceDetail' },
);

/** One instance with all its details. */
export type InstanceDetail = Shown<Static<typeof detailSchema>>;

/** A record that a field refers to. */
export type InstanceRelation = InstanceDetail['relations'][number];

/** The records of a kind that refer to an instance by one of their fields. */
export type InstanceReferrer = InstanceDetail['referrers'][number];

// A frame of the log as a JSON line for operators: actor, time and changes, without secrets.

import type {
  Change,
  Frame,
  FrameContent,
  LoggedEvent,
  Lsn,
} from '../../../../snapshots/journal.ts';
import type { LogEntry } from '../../../../snapshots/log/read-frames.ts';
import { blindSealer } from '../../../auth/sealing/sealing.ts';
import type { Kind } from '../../../declare/kinds/kind.ts';
import { shownValue, timeText } from '../../../declare/kinds/masking.ts';
import { NewerRecord, type RecordBase } from '../../../store/record.ts';
import type { RecordCodec } from '../../../store/table.ts';
import type { RecordChange, Transition } from '../../messages.ts';

/** The part of a kind that lines need. Deferred cascades have no declared fields. */
export interface ShownKind {
  readonly codec: Pick<RecordCodec<RecordBase>, 'decode'>;
  readonly fields: Kind['fields'];
  readonly formerState?: Kind['formerState'] | undefined;
}

/** A change of a record without secrets, and which record it is. */
export interface ShownChange extends Pick<RecordChange, 'change' | 'fields'> {
  readonly kind: string;
  readonly id: string;
}

/** A line in two parts. The name of its actor belongs between them, and is added by the caller. */
export interface UnnamedLine {
  /** Empty if there is no actor: then `head` is the whole line. */
  readonly actor: string;
  readonly head: string;
  readonly tail: string;
}

/** The whole line. @param name of the actor, if it is known */
export function namedLine({ head, tail }: UnnamedLine, name: string | undefined): string {
  return name === undefined ? head + tail : `${head},"name":${JSON.stringify(name)}${tail}`;
}

/** Makes the lines. */
export class LogLines {
  readonly #kinds: ReadonlyMap<string, ShownKind>;
  readonly #find: (lsn: Lsn) => Frame | undefined;

  /** @param find reads an earlier frame, for the former values of a record */
  constructor(kinds: ReadonlyMap<string, ShownKind>, find: (lsn: Lsn) => Frame | undefined) {
    this.#kinds = kinds;
    this.#find = find;
  }

  /** The line of a transaction. @throws NewerRecord */
  of(frame: Frame): UnnamedLine {
    const { lsn, timeMs, actor, requestId, operation, causeLsn, changes } = frame;
    const start = JSON.stringify({ lsn, time: timeText(timeMs), actor: { id: actor } });
    const rest = JSON.stringify({
      ...(requestId === '' ? {} : { requestId }),
      operation,
      ...(causeLsn === 0 ? {} : { causeLsn }),
      events: this.eventsOf(frame).map(([kind, id, event, from, to]) => ({
        kind,
        id,
        event,
        from,
        to,
      })),
      changes: changes.flatMap((change) => (this.#isHidden(change) ? [] : [this.shown(change)])),
    });
    return { actor, head: start.slice(0, -'}}'.length), tail: `},${rest.slice('{'.length)}` };
  }

  /** The line of a frame that changes no record: a clean stop, or the start of a leadership. */
  ofMark(entry: Exclude<LogEntry, { readonly entry: 'transaction' }>): UnnamedLine {
    const { entry: operation, lsn, timeMs } = entry;
    const term = entry.entry === 'term' ? { term: entry.term } : {};
    const head = JSON.stringify({ lsn, time: timeText(timeMs), operation, ...term });
    return { actor: '', head, tail: '' };
  }

  /** The events of a frame; states have their present names, also in frames of older versions. */
  eventsOf({ events, changes }: Frame): readonly LoggedEvent[] {
    return events.map((logged) => {
      const [kind, id, event, from, to] = logged;
      const known = this.#kinds.get(kind);
      if (known?.formerState === undefined) return logged;
      const change = changes.find((one) => one.kind === kind && one.id === id);
      const record = change && (recordOf(known, change) ?? this.#previous(known, change));
      if (record === undefined) return logged;
      const nameOf = (state: string) => known.formerState?.(state, record) ?? state;
      return [kind, id, event, nameOf(from), nameOf(to)];
    });
  }

  /** What a change did to its record. @throws NewerRecord */
  shown(change: Change): ShownChange {
    const { kind, id, previousLsn, values } = change;
    const known = this.#kinds.get(kind);
    if (known === undefined) throw new NewerRecord(`records of the unknown kind ${kind}`);
    const after = recordOf(known, change);
    const before = previousLsn === 0 ? undefined : this.#previous(known, change);
    const what = values === null ? 'deleted' : previousLsn === 0 ? 'created' : 'updated';
    return { kind, id, change: what, fields: fieldsOf(known, before, after) };
  }

  /** Whether nothing of a record is ever shown: it repeats what other changes of its frame say. */
  #isHidden({ kind }: Change): boolean {
    const fields = Object.values(this.#kinds.get(kind)?.fields ?? {});
    return fields.length > 0 && fields.every(({ show }) => show === 'never');
  }

  #previous(known: ShownKind, { kind, id, previousLsn }: Change): Values | undefined {
    const frame = this.#find(previousLsn);
    const previous = frame?.changes.find((change) => change.kind === kind && change.id === id);
    return previous && recordOf(known, previous);
  }
}

type Values = RecordBase & Readonly<Record<string, unknown>>;

function recordOf({ codec }: ShownKind, { id, version, values }: Change): Values | undefined {
  if (values === null) return undefined;
  return codec.decode(id, version, values, blindSealer);
}

/** The differences, in the order of the record's fields. */
function fieldsOf(
  kind: ShownKind,
  before: Values | undefined,
  after: Values | undefined,
): RecordChange['fields'] {
  const fields: Record<string, RecordChange['fields'][string]> = {};
  for (const name of Object.keys(after ?? before ?? {})) {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    if (name === 'id' || JSON.stringify(was) === JSON.stringify(is)) continue;
    fields[name] = {
      ...(before === undefined ? {} : { before: shownValue(kind, name, was) }),
      ...(after === undefined ? {} : { after: shownValue(kind, name, is) }),
    };
  }
  return fields;
}

/** The frames to find; undefined stands for any. */
export interface FrameFilter {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}

/** Whether a frame changes such a record, or sent it an event. */
export function matchesFrame(
  { changes, events }: Pick<FrameContent, 'changes' | 'events'>,
  { kind, id }: FrameFilter,
): boolean {
  if (kind === undefined && id === undefined) return true;
  const isMeant = (itsKind: string, itsId: string): boolean =>
    (id === undefined || itsId === id) && (kind === undefined || itsKind === kind);
  return (
    changes.some((change) => isMeant(change.kind, change.id)) ||
    events.some(([itsKind, itsId]) => isMeant(itsKind, itsId))
  );
}

/** Who and what caused a frame, without the name of the actor. */
export function causeOf({ lsn, timeMs, actor, operation, requestId, causeLsn }: FrameCause) {
  return { lsn, timeMs, actor, actorName: '', operation, requestId, causeLsn };
}

type FrameCause = Omit<Frame, 'changes' | 'events'>;

/** One machine event of a frame as a transition. */
export function transitionOf(
  frame: FrameCause,
  [kind, id, event, from, to]: LoggedEvent,
  actorName: string,
): Transition {
  return { kind, id, event, from, to, ...causeOf(frame), actorName };
}

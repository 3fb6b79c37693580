// A frame of the log as the JSON line that operators read: who, when, what changed, no secrets.

import type { Change, Frame, Lsn } from '../../snapshots/journal.ts';
import { blindSealer } from '../auth/sealing.ts';
import type { Kind } from '../declare/kind.ts';
import { shownValue, timeText } from '../declare/masking.ts';
import { NewerRecord, type RecordBase } from '../store/record.ts';
import type { RecordCodec } from '../store/table.ts';

/** A kind as lines need it: deferred cascades have no declared fields. */
export interface ShownKind {
  readonly codec: Pick<RecordCodec<RecordBase>, 'decode'>;
  readonly fields: Kind['fields'];
}

/** What a field was and is; `before` is absent where it is not known or was not there. */
interface ShownField {
  before?: unknown;
  after?: unknown;
}

/** A line in two parts: the name of its actor belongs between them, and others may know it. */
export interface UnnamedLine {
  /** Empty where nobody acted: then `head` is the line. */
  readonly actor: string;
  readonly head: string;
  readonly tail: string;
}

/** The whole line. @param name of the actor, where it is known */
export function namedLine({ head, tail }: UnnamedLine, name: string | undefined): string {
  return name === undefined ? head + tail : `${head},"name":${JSON.stringify(name)}${tail}`;
}

/** Makes the lines. */
export class LogLines {
  readonly #kinds: ReadonlyMap<string, ShownKind>;
  readonly #find: (lsn: Lsn) => Frame | undefined;

  /** @param find reads an earlier frame, for what a record was before */
  constructor(kinds: ReadonlyMap<string, ShownKind>, find: (lsn: Lsn) => Frame | undefined) {
    this.#kinds = kinds;
    this.#find = find;
  }

  /** The line of a transaction. @throws NewerRecord */
  of(frame: Frame): UnnamedLine {
    const { lsn, timeMs, actor, requestId, operation, causeLsn, events, changes } = frame;
    const start = JSON.stringify({ lsn, time: timeText(timeMs), actor: { id: actor } });
    const rest = JSON.stringify({
      ...(requestId === '' ? {} : { requestId }),
      operation,
      ...(causeLsn === 0 ? {} : { causeLsn }),
      events: events.map(([kind, id, event, from, to]) => ({ kind, id, event, from, to })),
      changes: changes.map((change) => this.#change(change)),
    });
    return { actor, head: start.slice(0, -'}}'.length), tail: `},${rest.slice('{'.length)}` };
  }

  /** The line of a clean stop. */
  ofSeal(lsn: Lsn, timeMs: number): UnnamedLine {
    const head = JSON.stringify({ lsn, time: timeText(timeMs), operation: 'seal' });
    return { actor: '', head, tail: '' };
  }

  #change(change: Change): object {
    const { kind, id, previousLsn, values } = change;
    const known = this.#kinds.get(kind);
    if (known === undefined) throw new NewerRecord(`records of the unknown kind ${kind}`);
    const after = recordOf(known, change);
    const before = previousLsn === 0 ? undefined : this.#previous(known, change);
    const what = values === null ? 'deleted' : previousLsn === 0 ? 'created' : 'updated';
    return { kind, id, change: what, fields: fieldsOf(known, before, after) };
  }

  #previous(known: ShownKind, { kind, id, previousLsn }: Change): Values | undefined {
    const frame = this.#find(previousLsn);
    const previous = frame?.changes.find((change) => change.kind === kind && change.id === id);
    return previous && recordOf(known, previous);
  }
}

type Values = Readonly<Record<string, unknown>>;

function recordOf({ codec }: ShownKind, { id, version, values }: Change): Values | undefined {
  if (values === null) return undefined;
  return codec.decode(id, version, values, blindSealer) as unknown as Values;
}

/** What differs, in the order of the record's fields. */
function fieldsOf(
  kind: ShownKind,
  before: Values | undefined,
  after: Values | undefined,
): Readonly<Record<string, ShownField>> {
  const fields: Record<string, ShownField> = {};
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

// Frames of the log as lines for people: who changed which record, when and how. The audit feed and
// the command `log` show the same ones.

import { plainText } from '../kinds/columns.ts';
import { recordWord } from '../kinds/record-kinds.ts';
import { ownerIn, type RecordNames } from '../kinds/record-names.ts';
import type { Column, TableLayout } from '../output/table.ts';
import { secondText } from '../output/times.ts';
import { LiveTable } from './live-table.ts';
import type { FrameChange, LogFrame } from './log-frame.ts';

/** One line. */
export interface AuditRow {
  readonly time: string;
  readonly lsn: string;
  readonly who: string;
  readonly what: string;
  /** Fields with what they were and are; empty but for updates. */
  readonly change: string;
}

const columns: readonly Column<AuditRow>[] = [
  { title: 'TIME', text: ({ time }) => time },
  { title: 'LSN', text: ({ lsn }) => lsn },
  { title: 'WHO', isFlexible: true, text: ({ who }) => who },
  { title: 'WHAT', isFlexible: true, text: ({ what }) => what },
  { title: 'CHANGE', isFlexible: true, text: ({ change }) => change },
];

const words = { created: 'create', updated: 'update', deleted: 'delete' } as const;

/** The lines of a frame: one for each change that `isWanted` takes, or one for a mark. */
export function auditRows(
  frame: LogFrame,
  names: RecordNames,
  nowMs: number,
  isWanted: (change: FrameChange) => boolean = () => true,
): AuditRow[] {
  const { lsn, actor, changes } = frame;
  const head = {
    time: secondText(frame.time, nowMs),
    lsn: String(lsn),
    who: actor === undefined ? '' : (actor.name ?? names.of('identity', actor.id) ?? actor.id),
  };
  if (changes === undefined) return [{ ...head, what: markText(frame), change: '' }];
  return changes.filter(isWanted).map((change) => ({
    ...head,
    what: `${words[change.change]} ${recordText(change, names)}`,
    change: change.change === 'updated' ? fieldsText(change, names) : '',
  }));
}

/** The line for frames that are not kept any more. */
export function goneRow(fromLsn: number, toLsn: number): AuditRow {
  const what = 'these frames are not kept any more';
  return { time: '', lsn: `${fromLsn}-${toLsn}`, who: '', what, change: '' };
}

/** A frame that changes nothing. */
function markText({ operation, term }: LogFrame): string {
  if (operation === 'seal') return 'clean stop';
  return term === undefined ? operation : `a node leads, ${operation} ${term}`;
}

function recordText({ kind, id, fields }: FrameChange, names: RecordNames): string {
  const word = recordWord(kind);
  const name = names.of(kind, id);
  if (name !== undefined) return `${word} '${name}'`;
  const owner = ownerIn(fields);
  return owner === undefined
    ? `${word} ${id}`
    : `${word} of '${names.of('identity', owner) ?? owner}'`;
}

/** `identityRoles: #staff -> #staff,@visitor`, with `; ` between several fields. */
export function fieldsText({ fields }: Pick<FrameChange, 'fields'>, names: RecordNames): string {
  return Object.entries(fields)
    .filter(([field]) => field !== 'updatedAt')
    .map(([field, sides]) => {
      // A value from before the oldest kept frame is not known.
      const before = 'before' in sides ? valueText(names.shown(field, sides.before)) : '…';
      return `${field}: ${before} -> ${valueText(names.shown(field, sides.after))}`;
    })
    .join('; ');
}

/** Characters of a value, such as a JSON schema, in a line; JSON has all of it. @bound */
const valueCharactersMax = 200;

/** A value in a line; `(none)` where there is none. */
function valueText(value: unknown): string {
  const text = plainText(value) || '(none)';
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text;
}

/** A line as wide as most: the table of live lines begins before they are known. */
const usualRow: AuditRow = {
  time: '00:00:00',
  lsn: '0'.repeat(7),
  who: ' '.repeat(12),
  what: ' '.repeat(44),
  change: ' '.repeat(40),
};

/** A table of these lines. @param out prints a line */
export function auditTable(layout: TableLayout, out: (line: string) => void): LiveTable<AuditRow> {
  return new LiveTable({ columns, usualRow, layout, out });
}

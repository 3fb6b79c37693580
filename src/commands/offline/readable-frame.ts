// A line of the log as text for a terminal: one line per frame, and one per event and change in it.

import { printable } from '../../platform/printable.ts';

/** The parts of a JSON line that the text shows. */
interface LineFields {
  readonly lsn: number;
  readonly time: string;
  readonly operation: string;
  readonly term?: number;
  readonly actor?: { readonly id: string; readonly name?: string };
  readonly requestId?: string;
  readonly events?: readonly Readonly<Record<'kind' | 'id' | 'event' | 'from' | 'to', string>>[];
  readonly changes?: readonly {
    readonly kind: string;
    readonly id: string;
    readonly change: string;
    readonly fields: Readonly<
      Record<string, { readonly before?: unknown; readonly after?: unknown }>
    >;
  }[];
}

/** The text of a JSON line of the log, without a line break at its end. */
export function readableFrame(json: string): string {
  const { lsn, time, operation, term, actor, requestId, events, changes } = JSON.parse(
    json,
  ) as LineFields;
  const head = [time, `LSN ${lsn}`, term === undefined ? operation : `${operation} ${term}`];
  if (actor !== undefined) head.push(`by ${actor.name ?? actor.id}`);
  if (requestId !== undefined) head.push(`request ${requestId}`);
  const lines = [head.join('  ')];
  for (const { kind, id, event, from, to } of events ?? []) {
    lines.push(`    ${kind} ${id}: ${event}, ${from} → ${to}`);
  }
  for (const { kind, id, change, fields } of changes ?? []) {
    lines.push(`    ${kind} ${id} ${change}`);
    for (const [name, { before, after }] of Object.entries(fields)) {
      lines.push(`        ${name}: ${valuesText(change, before, after)}`);
    }
  }
  return lines.map(printable).join('\n');
}

function valuesText(change: string, before: unknown, after: unknown): string {
  if (change === 'created') return valueText(after);
  if (change === 'deleted') return valueText(before);
  return `${valueText(before)} → ${valueText(after)}`;
}

function valueText(value: unknown): string {
  if (value === undefined) return '…';
  const text = JSON.stringify(value);
  return text.length > valueCharactersMax ? `${text.slice(0, valueCharactersMax)}…` : text;
}

/** Characters of a value, such as a JSON schema; its JSON line has all. @bound */
const valueCharactersMax = 200;

// What `watch` tells of an entity, as a line or as JSON.

import type { Column } from '../output/table.ts';
import { secondText } from '../output/times.ts';
import type { FieldChange } from './log-frame.ts';

/** One event. */
export interface WatchEvent {
  /** RFC 3339; when it happened, or when it was seen in a list. */
  readonly time: string;
  /** `present`: it was there when the command began. */
  readonly change: 'present' | 'created' | 'updated' | 'deleted';
  /** As in commands: `edge-router`. */
  readonly kind: string;
  readonly id: string;
  /** The id for kinds without names. */
  readonly name: string;
  /** Who did it, where the log says so. */
  readonly by?: string;
  /** Fields that differ: all of a new or deleted entity. */
  readonly fields: Readonly<Record<string, FieldChange>>;
  /** The text for people. */
  readonly detail: string;
}

/** A line. */
export type WatchRow = Pick<WatchEvent, 'time' | 'change' | 'name' | 'detail'>;

/** The columns of the lines. */
export const watchColumns: readonly Column<WatchRow>[] = [
  { title: 'TIME', text: ({ time }) => time },
  { title: 'WHAT', text: ({ change }) => change },
  { title: 'NAME', isFlexible: true, text: ({ name }) => name },
  { title: 'CHANGE', isFlexible: true, text: ({ detail }) => detail },
];

/** A line as wide as most, for which the table makes room. */
export const usualWatchRow: WatchRow = {
  time: '00:00:00',
  change: 'updated',
  name: ' '.repeat(24),
  detail: ' '.repeat(60),
};

/** The line of an event. */
export function watchRow({ time, change, name, detail }: WatchEvent, nowMs: number): WatchRow {
  return { time: secondText(time, nowMs), change, name, detail };
}

/** The object of an event. */
export function watchJson({ detail, ...event }: WatchEvent): string {
  return JSON.stringify(event);
}

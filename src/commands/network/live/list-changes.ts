// What has changed between two looks at a list.

import { columnsOf, plainText } from '../kinds/columns.ts';
import type { KindRow } from '../kinds/kind.ts';
import { type Entity, nameOf } from '../kinds/names.ts';
import type { FieldChange } from './log-frame.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Members that tell nothing of a change, or that no output but the one of `enroll` holds: links,
 * times of the last use, and JWTs and tokens of enrollments.
 */
const silentMembers =
  /^(_links|updatedAt|.*LastActivityAt|lastActivityAt|enrollment|.*(Jwt|Token|token))$/;

/** Which members differ, with their values. */
function memberChanges(
  before: Entity | undefined,
  after: Entity | undefined,
): Record<string, FieldChange> {
  const changes: Record<string, FieldChange> = {};
  for (const name of new Set(Object.keys({ ...before, ...after }))) {
    const [was, is] = [before?.[name] ?? null, after?.[name] ?? null];
    if (silentMembers.test(name) || JSON.stringify(was) === JSON.stringify(is)) continue;
    changes[name] = {
      ...(before !== undefined && { before: was }),
      ...(after !== undefined && { after: is }),
    };
  }
  return changes;
}

/** One list, looked at again and again. */
export class ListChanges {
  readonly #kind: KindRow;
  #known: ReadonlyMap<string, Entity> | undefined;

  constructor(kind: KindRow) {
    this.#kind = kind;
  }

  /** What is new since the last look; nothing at the first one. */
  since(rows: readonly Entity[], nowMs: number): WatchEvent[] {
    const known = this.#known;
    this.#known = new Map(rows.map((row) => [row.id, row]));
    if (known === undefined) return [];
    const events: WatchEvent[] = [];
    for (const row of rows) {
      const before = known.get(row.id);
      const fields = memberChanges(before, row);
      if (before === undefined || Object.keys(fields).length > 0) {
        const change = before === undefined ? 'created' : 'updated';
        events.push(this.event(change, before, row, nowMs));
      }
    }
    for (const [id, row] of known) {
      if (!this.#known.has(id)) events.push(this.event('deleted', row, undefined, nowMs));
    }
    return events;
  }

  /** An event of an entity of the list. */
  event(
    change: WatchEvent['change'],
    before: Entity | undefined,
    after: Entity | undefined,
    nowMs: number,
  ): WatchEvent {
    const entity = after ?? before ?? { id: '' };
    const isUpdate = before !== undefined && after !== undefined;
    return {
      time: new Date(nowMs).toISOString(),
      change,
      kind: this.#kind.name,
      id: entity.id,
      name: nameOf(entity),
      fields: memberChanges(before, after),
      detail: isUpdate ? this.#cellsChanged(before, after, nowMs) : this.#cells(entity, nowMs),
    };
  }

  #columns(nowMs: number) {
    const cells = { nowMs, addresses: new Map(), hosts: new Map() };
    const isShown = (title: string) => !['NAME', 'ID', 'CREATED'].includes(title);
    return columnsOf(this.#kind, cells).filter(({ title }) => isShown(title));
  }

  /** `service printer, router edge-1`. */
  #cells(row: Entity, nowMs: number): string {
    const cells = this.#columns(nowMs).map(({ title, text }) => [title.toLowerCase(), text(row)]);
    return cells
      .filter(([, text]) => text !== '')
      .map((cell) => cell.join(' '))
      .join(', ');
  }

  /** `state: offline -> online`, or which members changed that the table does not show. */
  #cellsChanged(before: Entity, after: Entity, nowMs: number): string {
    const changed = this.#columns(nowMs).flatMap(({ title, text }) => {
      const [was, is] = [text(before), text(after)];
      return was === is ? [] : [`${title.toLowerCase()}: ${was || '(none)'} -> ${is || '(none)'}`];
    });
    if (changed.length > 0) return changed.join('; ');
    return plainText(Object.keys(memberChanges(before, after)));
  }
}

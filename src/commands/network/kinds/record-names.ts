// Names of records that frames of the log name by their ids.

import type { Asking } from '../connection/asking.ts';
import type { FrameChange, LogFrame } from '../live/log-frame.ts';
import { kindOfRecords } from './record-kinds.ts';
import { allWith } from './service-cells.ts';

/** Kinds of records that the roles in a field name by `@id`. */
const roleKinds: Readonly<Record<string, string>> = {
  identityRoles: 'identity',
  serviceRoles: 'service',
  edgeRouterRoles: 'router',
  postureCheckRoles: 'postureCheck',
};

/** Names that are kept, the oldest of which are forgotten first. @bound */
const recordNamesMax = 50_000;

/** Learns names from frames, and asks a controller for those that no frame has told. */
export class RecordNames {
  /** By kind and id; empty for a record that has none, or is gone. */
  readonly #names = new Map<string, string>();

  /** Takes the names that frames tell. */
  learn(frames: readonly LogFrame[]): void {
    for (const { kind, id, fields } of frames.flatMap(({ changes = [] }) => changes)) {
      const { before, after } = fields['name'] ?? {};
      const name = after ?? before;
      if (typeof name === 'string') this.#keep(kind, id, name);
    }
  }

  /** Asks for the names that frames leave open. @throws CommandFailure */
  async ask(frames: readonly LogFrame[], asking: Pick<Asking, 'page'>): Promise<void> {
    const open = new Map<string, Set<string>>();
    for (const [kind, id] of frames.flatMap(({ changes = [] }) => changes.flatMap(named))) {
      if (this.#names.has(`${kind}/${id}`)) continue;
      open.set(kind, (open.get(kind) ?? new Set()).add(id));
    }
    for (const [recordKind, ids] of open) {
      const kind = kindOfRecords(recordKind);
      for (const id of ids) this.#keep(recordKind, id, '');
      if (kind === undefined || !kind.isNamed) continue;
      for (const { id, name } of await allWith(asking, kind, 'id', [...ids])) {
        if (typeof name === 'string') this.#keep(recordKind, id, name);
      }
    }
  }

  /** The name of a record; undefined where it is not known. */
  of(kind: string, id: string): string | undefined {
    return this.#names.get(`${kind}/${id}`) || undefined;
  }

  /** A value of a field with names in place of ids. */
  shown(field: string, value: unknown): unknown {
    const kind = roleKinds[field];
    if (kind === undefined || !Array.isArray(value)) return value;
    return value.map((role) => {
      const name = isEntity(role) ? this.of(kind, role.slice(1)) : undefined;
      return name === undefined ? role : `@${name}`;
    });
  }

  #keep(kind: string, id: string, name: string): void {
    const key = `${kind}/${id}`;
    this.#names.delete(key);
    this.#names.set(key, name);
    const [oldest] = this.#names.keys();
    if (this.#names.size > recordNamesMax && oldest !== undefined) this.#names.delete(oldest);
  }
}

/** The records that a change names: its own, the owner of one without a name, and roles. */
function named({ kind, id, change, fields }: FrameChange): (readonly [string, string])[] {
  const found: (readonly [string, string])[] = change === 'updated' ? [[kind, id]] : [];
  const owner = ownerIn(fields);
  if (owner !== undefined) found.push(['identity', owner]);
  if (change !== 'updated') return found;
  for (const [field, { before, after }] of Object.entries(fields)) {
    const of = roleKinds[field];
    if (of === undefined) continue;
    for (const role of [before, after].flat()) {
      if (isEntity(role)) found.push([of, role.slice(1)]);
    }
  }
  return found;
}

/** The identity that a record without a name belongs to. */
export function ownerIn(fields: FrameChange['fields']): string | undefined {
  const { before, after } = fields['identityId'] ?? {};
  const id = after ?? before;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function isEntity(role: unknown): role is string {
  return typeof role === 'string' && role.startsWith('@');
}

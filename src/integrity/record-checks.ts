// Checks whether records keep the rules of their kinds, and returns findings. Used by the offline
// check and the live integrity run.

import { compile } from '../../machines/compile.ts';
import { cascadeWork } from '../declare/kinds/cascades.ts';
import type { Field, SymbolType } from '../declare/kinds/field.ts';
import type { Kind, KindRelation } from '../declare/kinds/kind.ts';
import { isSecretField } from '../declare/kinds/masking.ts';
import { deferredCascadeKind } from '../store/deferred-cascades.ts';
import type { RecordBase, Row } from '../store/record.ts';
import type { Store } from '../store/store.ts';

/** The fix of a record, as data; the integrity run carries it out in a transaction. */
export type RecordFix =
  /** The record is deleted, along with the records that depend on it. */
  | { readonly do: 'remove' }
  /** The record gets other values in some fields. */
  | { readonly do: 'patch'; readonly values: Readonly<Record<string, unknown>> };

/** One rule that one record breaks. */
export interface RecordFinding {
  /** The rule that is broken. */
  readonly check: 'values' | 'state' | 'reference' | 'unique' | 'live';
  readonly kind: string;
  readonly id: string;
  /** Undefined when the whole record is meant. */
  readonly field: string | undefined;
  /** The problem, as the end of a sentence; holds no secret. */
  readonly description: string;
  /** Undefined when the records do not say how it should be. */
  readonly fix: RecordFix | undefined;
}

/** Checks records one by one; the time for each depends only on its own references. */
export class RecordChecks {
  readonly #kinds: ReadonlyMap<string, Kind>;
  readonly #store: Store;
  readonly #states = new Map<string, ReadonlySet<string>>();

  constructor(kinds: readonly Kind[], store: Store) {
    this.#kinds = new Map(kinds.map((kind) => [kind.kind, kind]));
    this.#store = store;
    for (const kind of kinds) this.#states.set(kind.kind, statesOf(kind));
  }

  /**
   * The problems of a stored record. Kinds that are not declared, such as deferred cascades, have
   * no rules.
   */
  of(kindName: string, row: Row): RecordFinding[] {
    const kind = this.#kinds.get(kindName);
    if (kind === undefined) return [];
    const values = this.valuesOf(kindName, row.record);
    // A record whose values do not match its fields cannot be checked any further.
    if (values.length > 0) return values;
    const state = this.#state(kind, row.record);
    const references = this.#references(kind, row.record);
    const keys = this.#uniqueKeys(kind, row);
    const isWhole = state.length + references.length + keys.length === 0;
    if (isWhole) return [...this.#live(kind, row.record)];
    return [...state, ...references, ...keys];
  }

  /** Whether a decoded record holds values that its fields allow; used before it is loaded. */
  valuesOf(kindName: string, record: RecordBase): RecordFinding[] {
    const kind = this.#kinds.get(kindName);
    if (kind === undefined) return [];
    const found = new Findings({ check: 'values', kind: kindName, id: record.id });
    if (typeof record.createdAt !== 'number') found.add('createdAt', 'is no time');
    if (typeof record.updatedAt !== 'number') found.add('updatedAt', 'is no time');
    for (const [name, field] of Object.entries(kind.fields)) {
      const problem = valueProblem(field, valueIn(record, name));
      if (problem !== undefined) found.add(name, problem);
    }
    return [...found.all];
  }

  #state(kind: Kind, record: RecordBase): readonly RecordFinding[] {
    if (kind.machine === undefined) return nothing;
    const state = valueIn(record, 'state');
    const found = new Findings({ check: 'state', kind: kind.kind, id: record.id });
    if (this.#states.get(kind.kind)?.has(String(state))) {
      const fault = kind.machine.declaration.faultOf?.(record);
      const values = fault?.patch;
      const fix = values === undefined ? undefined : ({ do: 'patch', values } as const);
      if (fault !== undefined) found.add(undefined, fault.description, fix);
      return found.all;
    }
    found.add('state', `is ${JSON.stringify(state)}, which is no state of its machine`);
    return found.all;
  }

  #references(kind: Kind, record: RecordBase): readonly RecordFinding[] {
    const found = new Findings({ check: 'reference', kind: kind.kind, id: record.id });
    for (const relation of kind.relations) {
      for (const id of idsIn(relation, record)) {
        const target = relation.relation.kind;
        if (this.#store.tableNamed(target).peek(id) !== undefined) continue;
        if (relation.relation.onDelete !== 'refuse' && this.#isAwaited(target, id)) continue;
        const text = `refers to the ${target} ${id}, which is not there`;
        found.add(relation.field, text, this.#referenceFix(relation, record, id));
      }
    }
    return found.all;
  }

  /** The deletion of many records leaves references behind until its last slice. */
  #isAwaited(kind: string, id: string): boolean {
    for (const { record } of this.#store.table(deferredCascadeKind).all()) {
      const { work, subject } = record;
      if (work === cascadeWork && subject[0] === kind && subject[1] === id) return true;
    }
    return false;
  }

  #referenceFix(
    { field: name, relation }: KindRelation,
    record: RecordBase,
    id: string,
  ): RecordFix | undefined {
    if (relation.onDelete === 'cascade') return { do: 'remove' };
    // A reference that refuses a deletion must not be removed silently either: a policy without its
    // signer asks less.
    if (relation.onDelete === 'refuse') return undefined;
    return { do: 'patch', values: { [name]: relation.strip(valueIn(record, name), id) } };
  }

  #uniqueKeys(kind: Kind, row: Row): readonly RecordFinding[] {
    const found = new Findings({ check: 'unique', kind: kind.kind, id: row.record.id });
    for (const { name, key } of kind.table.unique) {
      const own = key(row.record);
      if (own === undefined) continue;
      const holder = this.#store.tableNamed(kind.kind).unique(name).get(own);
      // An index that leads elsewhere is checked by another part.
      if (holder === undefined || holder === row || key(holder.record) !== own) continue;
      const field = kind.fields[name] === undefined ? undefined : name;
      const shown = isSecretField(kind, name) ? '' : ` ${own}`;
      found.add(field, `${name}${shown} is also that of ${holder.record.id}`);
    }
    return found.all;
  }

  /**
   * A record that no reader sees any more, because its owner or access is gone, must be deleted.
   */
  #live({ kind }: Kind, record: RecordBase): readonly RecordFinding[] {
    const { isLive } = this.#store.tableNamed(kind);
    if (isLive === undefined || isLive(record)) return nothing;
    // Open deferred cascades still have to end such records, and only they know which ones.
    for (const _ of this.#store.tableNamed('followUp').all()) return nothing;
    const found = new Findings({ check: 'live', kind, id: record.id });
    const text = 'has lost the owner or the access that it rests on, and no reader sees it';
    found.add(undefined, text, { do: 'remove' });
    return found.all;
  }
}

/** Shared by the millions of records without findings. */
const nothing: readonly RecordFinding[] = Object.freeze([]);

/** Findings of one rule about one record. */
class Findings {
  all = nothing;
  readonly #about: Pick<RecordFinding, 'check' | 'kind' | 'id'>;

  constructor(about: Pick<RecordFinding, 'check' | 'kind' | 'id'>) {
    this.#about = about;
  }

  add(field: string | undefined, description: string, fix?: RecordFix): void {
    this.all = [...this.all, { ...this.#about, field, description, fix }];
  }
}

/** The states a stored record may be in: neither that of "no record" nor a final one. */
function statesOf({ machine }: Kind): ReadonlySet<string> {
  if (machine === undefined) return new Set();
  const { rows, initial } = compile(machine.declaration);
  const states = [...rows.values()].filter(({ state, final }) => !final && state !== initial);
  return new Set(states.map(({ state }) => state));
}

/** JavaScript types of a stored value by the type of its symbol. */
const typeTests: Readonly<Record<SymbolType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  datetime: (value) => typeof value === 'number',
  hashed: (value) => typeof value === 'string',
  set: (value) => Array.isArray(value),
  map: (value) => typeof value === 'object',
};

function valueProblem(field: Field, value: unknown): string | undefined {
  if (value === undefined || value === null) {
    return isOptional(field) ? undefined : 'is missing';
  }
  const { symbol } = field;
  if (symbol !== undefined && !typeTests[symbol](value)) return `is no ${symbol}`;
  try {
    for (const relation of field.relations) {
      const ids = relation.ids(value) ?? [];
      if (typeof ids === 'string') continue;
      for (const id of ids) {
        if (typeof id !== 'string') return 'does not read as references';
      }
    }
  } catch {
    return 'does not read as references';
  }
  return undefined;
}

function isOptional({ required, nullable, fallback }: Field): boolean {
  return (!required || nullable !== false) && fallback === undefined;
}

function idsIn({ field, relation }: KindRelation, record: RecordBase): readonly string[] {
  const ids = relation.ids(valueIn(record, field)) ?? [];
  return typeof ids === 'string' ? [ids] : ids;
}

function valueIn(record: RecordBase, name: string): unknown {
  const values: Readonly<Record<string, unknown>> = record;
  return values[name];
}

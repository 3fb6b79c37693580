// The state of each instance of each machine, and the number of instances per state. They are
// updated with each commit, at one byte per record, so that no inspector needs a scan of a table.

import type { RecordBase, Row } from '../../../store/record.ts';
import type { Store } from '../../../store/store.ts';

/**
 * States of all durable machines. Made before the store is recovered, it notes the state of each
 * record as it is loaded, which is faster than a scan afterwards. Records that an open deferred
 * cascade will remove count until it removes them.
 */
export class MachineStates {
  readonly #kinds = new Map<string, KindStates>();

  constructor(store: Store, kinds: readonly string[]) {
    for (const kind of kinds) {
      const states = new KindStates();
      let isTold = false;
      store.tableNamed(kind).observe(({ slot }, _before, after) => {
        // Later writes count when they are committed.
        if (!isTold || !store.isAttached) states.set(slot, stateOf(after));
      });
      isTold = true;
      this.#kinds.set(kind, states);
    }
    store.follow(({ changes }) => {
      for (const { table, row, before, after } of changes) {
        const to = stateOf(after);
        // Most writes change no state, and most kinds have none.
        if (stateOf(before) !== to) this.#kinds.get(table.kind)?.set(row.slot, to);
      }
    });
  }

  /** The number of instances per state, without states that have none. */
  counts(kind: string): ReadonlyMap<string, number> {
    return this.#kinds.get(kind)?.counts() ?? new Map();
  }

  /** How many instances of a kind are in a state. */
  count(kind: string, state: string): number {
    return this.#kinds.get(kind)?.count(state) ?? 0;
  }

  /** Slots of the instances in a state, ascending. */
  slots(kind: string, state: string): Iterable<number> {
    return this.#kinds.get(kind)?.slots(state) ?? [];
  }

  /** Whether the instance of a row is in a state. It reads only the slot, not the record. */
  has(kind: string, { slot }: Row, state: string): boolean {
    return this.#kinds.get(kind)?.has(slot, state) ?? false;
  }
}

/** The state of a record that may be an actor's. */
function stateOf(record: (RecordBase & { readonly state?: unknown }) | undefined) {
  const state = record?.state;
  return typeof state === 'string' ? state : undefined;
}

/** Codes of states, 0 for "no instance here". */
const none = 0;
/**
 * Stands for all states beyond those that fit into a byte. A machine has at most 256 states, and
 * the present ones have fewer than ten.
 */
const others = 255;

/** The states of one kind, by slot. */
class KindStates {
  readonly #codes = new Map<string, number>();
  readonly #counts = new Uint32Array(others + 1);
  #bySlot = new Uint8Array(0);

  set(slot: number, state: string | undefined): void {
    if (slot >= this.#bySlot.length) this.#grow(slot);
    const before = this.#bySlot[slot] as number;
    const after = state === undefined ? none : this.#codeFor(state);
    this.#bySlot[slot] = after;
    if (before !== none) this.#counts[before] = (this.#counts[before] as number) - 1;
    if (after !== none) this.#counts[after] = (this.#counts[after] as number) + 1;
  }

  counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [state, code] of this.#codes) {
      const count = this.#counts[code] as number;
      if (count > 0) counts.set(code === others ? 'others' : state, count);
    }
    return counts;
  }

  count(state: string): number {
    return this.#counts[this.#codeOf(state)] as number;
  }

  has(slot: number, state: string): boolean {
    const code = this.#codeOf(state);
    return code !== none && this.#bySlot[slot] === code;
  }

  *slots(state: string): Generator<number> {
    const code = this.#codeOf(state);
    if (code === none) return;
    const bySlot = this.#bySlot;
    for (let slot = bySlot.indexOf(code); slot >= 0; slot = bySlot.indexOf(code, slot + 1)) {
      yield slot;
    }
  }

  #codeOf(state: string): number {
    return this.#codes.get(state) ?? none;
  }

  #codeFor(state: string): number {
    let code = this.#codes.get(state);
    if (code === undefined) this.#codes.set(state, (code = Math.min(this.#codes.size + 1, others)));
    return code;
  }

  #grow(slot: number): void {
    const bySlot = new Uint8Array(Math.max(1024, 2 * this.#bySlot.length, slot + 1));
    bySlot.set(this.#bySlot);
    this.#bySlot = bySlot;
  }
}

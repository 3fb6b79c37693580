// A binary heap of due times over flat arrays, with an index to move or remove any entry.

/** The place of an entry. It stays the same until the entry is removed, then it is used again. */
export type Slot = number;

const unused = 0xffff_ffff;

/**
 * Due times in order. 16 bytes per entry; every change costs a walk along one path of the tree. The
 * heap's owner keeps what an entry belongs to, under the entry's slot.
 */
export class DeadlineHeap {
  #times = new Float64Array(64);
  /** Position in the tree → slot. */
  #order = new Uint32Array(64);
  /** Slot → position in the tree; `unused` for a free slot. */
  #positions = new Uint32Array(64).fill(unused);
  readonly #free: Slot[] = [];
  #slots = 0;
  #size = 0;

  /** How many entries there are. */
  get size(): number {
    return this.#size;
  }

  /** The entry due first; undefined when there is none. */
  get first(): Slot | undefined {
    return this.#size === 0 ? undefined : this.#order[0];
  }

  /** When the entry at `slot` is due. */
  timeOf(slot: Slot): number {
    return this.#times[slot] as number;
  }

  /** The arrays as they are now, for tests that damage it. */
  get internals(): { readonly times: Float64Array; readonly positions: Uint32Array } {
    return { times: this.#times, positions: this.#positions };
  }

  /**
   * The slot at a position of the tree, for the integrity run. Positions count from 0 to `size`.
   */
  slotAt(position: number): Slot {
    return this.#order[position] as number;
  }

  /**
   * Whether a position of the tree is sound: due no earlier than its parent, and found by its slot.
   */
  isSound(position: number): boolean {
    const slot = this.slotAt(position);
    const parent = (position - 1) >> 1;
    const isBehind = position === 0 || this.#timeAt(parent) <= this.timeOf(slot);
    return isBehind && this.#positions[slot] === position;
  }

  /** Adds an entry: on average a step or two, whatever the size; a path of the tree at worst. */
  add(time: number): Slot {
    const slot = this.#free.pop() ?? this.#slots++;
    if (slot >= this.#times.length) this.#grow();
    this.#times[slot] = time;
    this.#place(slot, this.#size);
    this.#rise(this.#size++);
    return slot;
  }

  /** Moves an entry to another time. */
  move(slot: Slot, time: number): void {
    const earlier = time < this.timeOf(slot);
    this.#times[slot] = time;
    const position = this.#positions[slot] as number;
    if (earlier) this.#rise(position);
    else this.#sink(position);
  }

  /** Removes an entry; its slot is free afterwards. */
  remove(slot: Slot): void {
    const position = this.#positions[slot] as number;
    this.#positions[slot] = unused;
    this.#free.push(slot);
    this.#size--;
    if (position === this.#size) return;
    this.#place(this.#order[this.#size] as number, position);
    this.#rise(position);
    this.#sink(position);
  }

  #grow(): void {
    const length = this.#times.length * 2;
    const times = new Float64Array(length);
    times.set(this.#times);
    const order = new Uint32Array(length);
    order.set(this.#order);
    const positions = new Uint32Array(length).fill(unused);
    positions.set(this.#positions);
    this.#times = times;
    this.#order = order;
    this.#positions = positions;
  }

  #place(slot: Slot, position: number): void {
    this.#order[position] = slot;
    this.#positions[slot] = position;
  }

  #rise(start: number): void {
    let position = start;
    const slot = this.#order[position] as number;
    const time = this.timeOf(slot);
    while (position > 0) {
      const parent = (position - 1) >> 1;
      const above = this.#order[parent] as number;
      if (this.timeOf(above) <= time) break;
      this.#place(above, position);
      position = parent;
    }
    this.#place(slot, position);
  }

  #sink(start: number): void {
    let position = start;
    const slot = this.#order[position] as number;
    const time = this.timeOf(slot);
    for (;;) {
      let child = position * 2 + 1;
      if (child >= this.#size) break;
      const right = child + 1;
      if (right < this.#size && this.#timeAt(right) < this.#timeAt(child)) child = right;
      if (this.#timeAt(child) >= time) break;
      this.#place(this.#order[child] as number, position);
      position = child;
    }
    this.#place(slot, position);
  }

  #timeAt(position: number): number {
    return this.timeOf(this.#order[position] as number);
  }
}

// The events that the routers of all groups see alike, encoded once for the states of all groups.

import { isOfTokens, revocationKind } from '../../records/revocation.ts';
import type { Store } from '../../store/store.ts';
import { type ModelEvent, type ModelEvents, stateFields } from './events.ts';
import type { ModelKind, Touches } from './touches.ts';

/** Records between two steps. */
const recordsAStep = 100;

const commonKinds: ReadonlySet<string> = new Set<ModelKind>(['configType', 'revocation', 'router']);

/** One per controller. */
export class CommonEvents {
  readonly #store: Store;
  readonly #events: ModelEvents;
  #fields: Buffer | undefined;
  /** How often they were forgotten: what was begun before does not hold. */
  #forgotten = 0;

  constructor(store: Store, events: ModelEvents) {
    this.#store = store;
    this.#events = events;
  }

  /** What a commit has touched: it may show in these events. */
  changed({ records, isWide }: Touches): void {
    if (isWide || records.some(([kind = '']) => commonKinds.has(kind))) this.forget();
  }

  /** Forgets them until they are needed again. */
  forget(): void {
    this.#fields = undefined;
    this.#forgotten += 1;
  }

  /**
   * Makes them, some per step, unless they still hold. If something changes before the last step,
   * the result is of no use.
   * @returns their bytes as fields of a state
   */
  *steps(): Generator<undefined, Buffer> {
    if (this.#fields !== undefined) return this.#fields;
    const forgotten = this.#forgotten;
    const made: ModelEvent[] = [];
    let count = 0;
    for (const kind of ['configType', 'router', 'revocation'] as const) {
      for (const { id } of this.#store.tableNamed(kind).all()) {
        if (++count % recordsAStep === 0) yield;
        const event = this.#isShown(kind, id) ? this.#events.creation(kind, id) : undefined;
        if (event !== undefined) made.push(event);
      }
    }
    const fields = stateFields(made);
    if (this.#forgotten === forgotten) this.#fields = fields;
    return fields;
  }

  #isShown(kind: ModelKind, id: string): boolean {
    return kind !== 'revocation' || !isOfTokens(this.#store.table(revocationKind).peek(id)?.record);
  }
}

// One flush as messages: each text and each batch is put together once, for all who get it.

import { Buffer } from 'node:buffer';
import type { Lsn } from '../../snapshots/journal.ts';
import type { Transition } from './contract.ts';
import { type StatelyEvents, statelyEvents } from './stately.ts';
import type { Taken } from './stream-filter.ts';

/** Texts of transitions within one flush, whatever the filters that took them. */
export class TransitionTexts {
  readonly #texts = new Map<Transition, string>();
  readonly #events = new Map<Transition, StatelyEvents>();

  json(transition: Transition): string {
    let text = this.#texts.get(transition);
    if (text === undefined) this.#texts.set(transition, (text = JSON.stringify(transition)));
    return text;
  }

  stately(transition: Transition): StatelyEvents {
    let events = this.#events.get(transition);
    if (events === undefined) this.#events.set(transition, (events = statelyEvents(transition)));
    return events;
  }
}

/** What a filter took of a flush, for all who have that filter. */
export class StreamBatch {
  readonly taken: Taken;
  readonly lsn: Lsn;
  readonly texts: TransitionTexts;
  #head: Buffer | undefined;
  #whole: Buffer | undefined;

  constructor(taken: Taken, lsn: Lsn, texts: TransitionTexts) {
    this.taken = taken;
    this.lsn = lsn;
    this.texts = texts;
  }

  /** The message to who missed `dropped` transitions before it. */
  message(dropped: number): Buffer {
    if (dropped > 0) return this.#with(dropped);
    return (this.#whole ??= this.#with(0));
  }

  #with(dropped: number): Buffer {
    this.#head ??= this.#makeHead();
    return Buffer.concat([this.#head, Buffer.from(`${this.taken.dropped + dropped}}`)]);
  }

  #makeHead(): Buffer {
    const all = this.taken.transitions.map((transition) => this.texts.json(transition)).join(',');
    const { lsn } = this;
    return Buffer.from(`{"type":"transitions","transitions":[${all}],"lsn":${lsn},"dropped":`);
  }
}

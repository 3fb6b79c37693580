// One flush as messages. Each text and each batch is made once, for all inspectors that get it.

import { Buffer } from 'node:buffer';
import type { Lsn } from '../../../../snapshots/journal.ts';
import type { Transition } from '../../messages.ts';
import { type StatelyEvents, statelyEvents } from '../machines/stately.ts';
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

/** The matches of a filter in a flush, for all inspectors with that filter. */
export class StreamBatch {
  readonly taken: Taken;
  readonly lsn: Lsn;
  readonly texts: TransitionTexts;
  readonly #bytesMax: number;
  #head: { readonly text: Buffer; readonly dropped: number } | undefined;
  #whole: Buffer | undefined;

  /** @param bytesMax transitions after this number of bytes of text are dropped */
  constructor(taken: Taken, lsn: Lsn, texts: TransitionTexts, bytesMax: number) {
    this.taken = taken;
    this.lsn = lsn;
    this.texts = texts;
    this.#bytesMax = bytesMax;
  }

  /** How many transitions that matched are not in the message. */
  get dropped(): number {
    return this.#made.dropped;
  }

  /** The message for an inspector that missed `dropped` transitions before it. */
  message(dropped: number): Buffer {
    if (dropped > 0) return this.#with(dropped);
    return (this.#whole ??= this.#with(0));
  }

  #with(dropped: number): Buffer {
    const { text, dropped: own } = this.#made;
    return Buffer.concat([text, Buffer.from(`${own + dropped}}`)]);
  }

  get #made() {
    return (this.#head ??= this.#makeHead());
  }

  #makeHead() {
    const { transitions } = this.taken;
    const told: string[] = [];
    let bytes = 0;
    for (const transition of transitions) {
      if (bytes > this.#bytesMax) break;
      const text = this.texts.json(transition);
      told.push(text);
      bytes += Buffer.byteLength(text);
    }
    const all = told.join(',');
    const { lsn } = this;
    const text = `{"type":"transitions","transitions":[${all}],"lsn":${lsn},"dropped":`;
    const dropped = this.taken.dropped + transitions.length - told.length;
    return { text: Buffer.from(text), dropped };
  }
}

// A request as bytes with holes: computed once, each request only fills its holes.

import type { RequestTemplate, Slot } from './job.ts';

/** A compiled template. */
export interface RequestBytes {
  /** How many requests there are before one comes again; Infinity where that is meant to be. */
  readonly distinct: number;
  /** A buffer of its own for one connection, to be filled again and again. */
  copy(): Buffer;
  /** Makes `buffer` the n-th request. */
  fill(buffer: Buffer, n: number): void;
}

interface Hole {
  readonly offset: number;
  readonly length: number;
  text(n: number): string;
}

/**
 * Compiles a template to HTTP/1.1 with keep-alive.
 * @throws RangeError when a slot is unknown, or its values differ in length: the holes are fixed.
 */
export function compileRequest(template: RequestTemplate, host: string): RequestBytes {
  const { method, path, headers, body, slots } = template;
  const sample = fillText(body, slots);
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') lines.push(`content-length: ${Buffer.byteLength(sample)}`);
  const text = `${lines.join('\r\n')}\r\n\r\n${body}`;
  const holes: Hole[] = [];
  let bytes = Buffer.alloc(0);
  let end = 0;
  for (const mark of text.matchAll(markPattern)) {
    const slot = slotNamed(mark[1] ?? '', slots);
    bytes = Buffer.concat([bytes, Buffer.from(text.slice(end, mark.index))]);
    const length = slotLength(slot);
    holes.push({ offset: bytes.length, length, text: textOf(slot) });
    bytes = Buffer.concat([bytes, Buffer.alloc(length, 0x30)]);
    end = mark.index + mark[0].length;
  }
  const whole = Buffer.concat([bytes, Buffer.from(text.slice(end))]);
  return {
    distinct: distinctOf(slots),
    copy: () => Buffer.from(whole),
    fill: (buffer, n) => {
      for (const hole of holes) buffer.write(hole.text(n), hole.offset, hole.length, 'latin1');
    },
  };
}

const markPattern = /\{\{([\w-]+)\}\}/g;

/** The text with every mark filled for request 0. */
function fillText(text: string, slots: RequestTemplate['slots']): string {
  return text.replaceAll(markPattern, (_, name: string) => textOf(slotNamed(name, slots))(0));
}

function slotNamed(name: string, slots: RequestTemplate['slots']): Slot {
  const slot = slots[name];
  if (slot === undefined) throw new RangeError(`the request has no slot ${name}`);
  return slot;
}

function slotLength(slot: Slot): number {
  if (slot.kind === 'number') return slot.digits;
  const length = slot.values[0]?.length ?? 0;
  for (const value of slot.values) {
    if (value.length === length && length > 0) continue;
    throw new RangeError(`all values of a slot must be as long as ${slot.values[0]}: ${value}`);
  }
  return length;
}

function textOf(slot: Slot): (n: number) => string {
  if (slot.kind === 'number') return (n) => String(n).padStart(slot.digits, '0');
  const { values, every } = slot;
  return (n) => values[Math.floor(n / every) % values.length] ?? '';
}

/**
 * Lists that turn like the wheels of an odometer make as many requests as their lengths multiplied.
 */
function distinctOf(slots: RequestTemplate['slots']): number {
  let distinct = 0;
  for (const slot of Object.values(slots)) {
    if (slot.kind === 'number' || slot.repeats === true) return Number.POSITIVE_INFINITY;
    distinct = Math.max(distinct, slot.every * slot.values.length);
  }
  return distinct === 0 ? Number.POSITIVE_INFINITY : distinct;
}

// A request as bytes with slots: the template is compiled once, and each request only fills its
// slots.

import type { Job, RequestTemplate, Slot } from './job.ts';

/** A compiled template. */
export interface RequestBytes {
  /** How many different requests there are; Infinity if requests may repeat. */
  readonly distinct: number;
  /** A separate buffer for one connection, which is refilled for each request. */
  copy(): Buffer;
  /** The n-th request: in `buffer`, or in a new buffer if its values differ in length. */
  fill(buffer: Buffer, n: number): Buffer;
}

/** The content of `Host`. */
export function hostOf({ serverName = 'localhost', port }: Pick<Job, 'serverName' | 'port'>) {
  return `${serverName}:${port}`;
}

interface Hole {
  readonly offset: number;
  readonly length: number;
  text(n: number): string;
}

/**
 * Compiles a template to HTTP/1.1 with keep-alive. If all values of each slot have the same length,
 * as ours have, only the slots of a request are written. @throws RangeError if a slot is unknown,
 * or has no values.
 */
export function compileRequest(template: RequestTemplate, host: string): RequestBytes {
  const { slots } = template;
  for (const name of Object.keys(slots)) checkSlot(name, slots);
  const isFixed = Object.values(slots).every(hasOneLength);
  return isFixed ? withHoles(template, host) : withTexts(template, host);
}

/** The text of a request whose slots have the texts that `textFor` gives. */
export function requestText(
  { method, path, headers, body }: Omit<RequestTemplate, 'slots'>,
  host: string,
  textFor: (slot: string) => string,
): string {
  const filled = fillText(body, textFor);
  const head = headText({ method, path, headers }, host, filled);
  return `${fillText(head, textFor)}${filled}`;
}

function headText(
  { method, path, headers }: Pick<RequestTemplate, 'method' | 'path' | 'headers'>,
  host: string,
  body: string,
): string {
  const lines = [`${method} ${path} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== '') lines.push(`content-length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

function withTexts(template: RequestTemplate, host: string): RequestBytes {
  const { slots } = template;
  return {
    distinct: distinctOf(slots),
    copy: () => Buffer.alloc(0),
    fill: (_, n) =>
      Buffer.from(requestText(template, host, (name) => slotText(slotNamed(name, slots), n))),
  };
}

function withHoles(template: RequestTemplate, host: string): RequestBytes {
  const { slots } = template;
  const { body } = template;
  const filled = fillText(body, (name) => slotText(slotNamed(name, slots), 0));
  const text = `${headText(template, host, filled)}${body}`;
  const holes: Hole[] = [];
  let bytes = Buffer.alloc(0);
  let end = 0;
  for (const mark of text.matchAll(markPattern)) {
    const slot = slotNamed(mark[1] ?? '', slots);
    bytes = Buffer.concat([bytes, Buffer.from(text.slice(end, mark.index))]);
    const length = slotLength(slot);
    holes.push({ offset: bytes.length, length, text: (n) => slotText(slot, n) });
    bytes = Buffer.concat([bytes, Buffer.alloc(length, 0x30)]);
    end = mark.index + mark[0].length;
  }
  const whole = Buffer.concat([bytes, Buffer.from(text.slice(end))]);
  return {
    distinct: distinctOf(slots),
    copy: () => Buffer.from(whole),
    fill: (buffer, n) => {
      for (const hole of holes) buffer.write(hole.text(n), hole.offset, hole.length, 'latin1');
      return buffer;
    },
  };
}

const markPattern = /\{\{([\w-]+)\}\}/g;

function fillText(text: string, textFor: (slot: string) => string): string {
  return text.replaceAll(markPattern, (_, name: string) => textFor(name));
}

function slotNamed(name: string, slots: RequestTemplate['slots']): Slot {
  const slot = slots[name];
  if (slot === undefined) throw new RangeError(`the request has no slot ${name}`);
  return slot;
}

function checkSlot(name: string, slots: RequestTemplate['slots']): void {
  const slot = slotNamed(name, slots);
  if (slot.kind === 'number') return;
  if (slot.values.length > 0 && !slot.values.includes('')) return;
  throw new RangeError(`the slot ${name} has nothing to fill a hole with`);
}

function hasOneLength(slot: Slot): boolean {
  if (slot.kind === 'number') return true;
  const length = slot.values[0]?.length;
  return slot.values.every((value) => value.length === length);
}

function slotLength(slot: Slot): number {
  return slot.kind === 'number' ? slot.digits : (slot.values[0]?.length ?? 0);
}

/** The text of a slot in the n-th request. */
export function slotText(slot: Slot, n: number): string {
  if (slot.kind === 'number') return String(n).padStart(slot.digits, '0');
  const { values, every } = slot;
  return values[Math.floor(n / every) % values.length] ?? '';
}

/**
 * The number of different requests. Lists that advance like the wheels of an odometer give the
 * product of their lengths.
 */
function distinctOf(slots: RequestTemplate['slots']): number {
  let distinct = 0;
  for (const slot of Object.values(slots)) {
    if (slot.kind === 'number' || slot.repeats === true) return Number.POSITIVE_INFINITY;
    distinct = Math.max(distinct, slot.every * slot.values.length);
  }
  return distinct === 0 ? Number.POSITIVE_INFINITY : distinct;
}

// Follows the answers in the bytes of our own servers (RFC 9112 §6.3).

import { Buffer } from 'node:buffer';
import { behindHeader } from '../../../platform/http-exchange.ts';

/** The bytes are no answer that a server of ours sends. */
export class MalformedAnswer extends Error {
  override readonly name = 'MalformedAnswer';
}

/** The part that the next byte belongs to. */
type Phase =
  | 'head'
  | 'counted'
  | 'chunkLine'
  | 'chunkData'
  | 'dataEnd'
  | 'trailers'
  | 'untilEnd'
  | 'over';

/** The answer to one request. Its head is passed on as a whole. */
export class AnswerFraming {
  readonly #headBytesMax: number;
  readonly #isHead: boolean;
  #phase: Phase = 'head';
  /** The beginning of the head, or of a line of chunked framing. */
  #held: Buffer = nothing;
  /** Bytes of the body, of a chunk or of its end that are still to come. */
  #left = 0;
  #status = 0;
  #closes = false;
  #isBehind = false;
  #hasBegun = false;

  /** `isHead`: whether the request was a HEAD, whose answer has no body. */
  constructor(headBytesMax: number, isHead: boolean) {
    this.#headBytesMax = headBytesMax;
    this.#isHead = isHead;
  }

  /** The status; 0 until the head has arrived. */
  get status(): number {
    return this.#status;
  }

  /** Whether the whole answer has arrived. One that ends with its connection is never over. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Whether the server closes the connection behind it. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Whether the server leaves the request to the leader because its node is behind. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Whether any of its bytes were passed on, those of an interim answer included. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Bytes that were taken and not passed on. */
  get held(): Buffer {
    return this.#held;
  }

  /** Takes bytes. @returns those to pass on now @throws MalformedAnswer also for bytes behind it */
  take(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = nothing;
    let at = 0;
    while (at < bytes.length) {
      const next = this.#step(bytes, at);
      if (next === at) break;
      at = next;
      // A refusal of a front has a body also for a HEAD, which is dropped.
      if (this.#isHead && this.isOver) break;
    }
    // A copy, because the buffer may belong to the next read.
    if (at < bytes.length && !this.isOver) this.#held = Buffer.from(bytes.subarray(at));
    this.#hasBegun ||= at > 0;
    return bytes.subarray(0, at);
  }

  /** Where the next part begins; `at` for one that is not complete. */
  #step(bytes: Buffer, at: number): number {
    switch (this.#phase) {
      case 'head':
        return this.#head(bytes, at);
      case 'chunkLine':
      case 'trailers':
        return this.#line(bytes, at);
      case 'untilEnd':
        return bytes.length;
      case 'over':
        throw new MalformedAnswer('bytes follow an answer that is over');
      default: {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        if (this.#left === 0) this.#partOver();
        return at + taken;
      }
    }
  }

  #partOver(): void {
    if (this.#phase === 'chunkData') {
      this.#phase = 'dataEnd';
      this.#left = lineEnd.length;
    } else this.#phase = this.#phase === 'dataEnd' ? 'chunkLine' : 'over';
  }

  #head(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(headEnd, at);
    if ((end < 0 ? bytes.length : end) - at > this.#headBytesMax) {
      throw new MalformedAnswer('its head is too long');
    }
    if (end < 0) return at;
    const head = bytes.toString('latin1', at, end + lineEnd.length);
    const status = Number(statusLine.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new MalformedAnswer('it has no status');
    // The final answer follows an interim one.
    if (status >= 200) this.#begin(status, head);
    return end + headEnd.length;
  }

  #begin(status: number, head: string): void {
    this.#status = status;
    this.#closes = connectionClose.test(head);
    this.#isBehind = head.includes(behindLine);
    const hasBody = !this.#isHead && status !== 204 && status !== 304;
    const length = contentLength.exec(head)?.[1];
    if (!hasBody) this.#phase = 'over';
    else if (length !== undefined) {
      this.#left = Number(length);
      this.#phase = this.#left === 0 ? 'over' : 'counted';
    } else if (chunked.test(head)) this.#phase = 'chunkLine';
    // So the library itself answers what it cannot read.
    else if (this.#closes) this.#phase = 'untilEnd';
    else throw new MalformedAnswer('it does not tell its length');
  }

  #line(bytes: Buffer, at: number): number {
    const end = bytes.indexOf(lineEnd, at);
    if ((end < 0 ? bytes.length : end) - at > lineBytesMax) {
      throw new MalformedAnswer('a line of its framing is too long');
    }
    if (end < 0) return at;
    const next = end + lineEnd.length;
    if (this.#phase === 'trailers') {
      if (end === at) this.#phase = 'over';
      return next;
    }
    const size = chunkSize.exec(bytes.toString('latin1', at, end))?.[1];
    if (size === undefined) throw new MalformedAnswer('a chunk has no size');
    this.#left = Number.parseInt(size, 16);
    this.#phase = this.#left === 0 ? 'trailers' : 'chunkData';
    return next;
  }
}

const nothing: Buffer = Buffer.alloc(0);
const lineEnd = '\r\n';
const headEnd = '\r\n\r\n';
const statusLine = /^HTTP\/1\.1 (\d{3})[ \r]/;
const contentLength = /\r\ncontent-length:[ \t]*(\d{1,15})[ \t]*\r\n/i;
const connectionClose = /\r\nconnection:[ \t]*close[ \t]*\r\n/i;
const chunked = /\r\ntransfer-encoding:[ \t]*chunked[ \t]*\r\n/i;
const behindLine = `\r\n${behindHeader.join(': ')}\r\n`;
const chunkSize = /^([\da-f]{1,12})$/i;
/** A line with the size of a chunk, or a trailer; ours have no such thing. @bound per request */
const lineBytesMax = 256;

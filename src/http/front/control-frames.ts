// The frames by which a TLS worker and the main thread exchange the bytes of control connections:
// one Unix socket per worker carries all of them.

import { Buffer } from 'node:buffer';
import type { Clock } from '../../platform/ports.ts';

/**
 * The frames, each by its place in this list: to a worker (W), to the main thread (M), or both.
 *
 * - `open` (M): a connection, with the address and the certificates of its client.
 * - `data` (W, M): bytes of a connection.
 * - `credit` (W, M): the receiver of the frame may send so many bytes more.
 * - `end` (W): close the connection after the bytes that were sent before.
 * - `close` (W, M): the connection is closed, or is to be closed at once.
 * - `admit` (W): the controller has accepted the client.
 *
 * A frame has a head of 9 bytes: the kind, the id of the connection and a number, both
 * little-endian. The number counts the bytes that follow (`open`, `data`) or that may be sent.
 */
const frameNames = ['open', 'data', 'credit', 'end', 'close', 'admit'] as const;

type ControlFrameName = (typeof frameNames)[number];

/** Receives frames. `bytes` of `data` may be a part of a frame, and belong to the caller. */
export interface ControlFrameHandler {
  open(id: number, bytes: Buffer): void;
  data(id: number, bytes: Buffer): void;
  credit(id: number, bytes: number): void;
  end(id: number): void;
  close(id: number): void;
  admit(id: number): void;
}

/** Bytes that no worker and no controller writes: a bug on the other side. */
export class MalformedControlFrame extends Error {
  override readonly name = 'MalformedControlFrame';
}

/**
 * Bytes of one connection that may be under way from a router, so that one that sends much holds up
 * nobody else. @bound per connection
 */
export const controlWindowBytes = 64 * 1024;

/**
 * The same towards a router, which may not read. A TLS connection keeps the memory that its largest
 * write has taken, so that this counts for each router. At 1 ms per credit, a router still gets
 * 16 MB/s. @bound per connection
 */
export const controlSendWindowBytes = 16 * 1024;

/**
 * An `open` frame: a chain of certificates within its own bound, and names. @bound per connection
 */
const openBytesMax = 128 * 1024;

/** Reads frames from the pieces in which a socket delivers them. */
export class ControlFrameReader {
  readonly #handler: ControlFrameHandler;
  /** The beginning of a head. */
  readonly #head: Buffer = Buffer.alloc(headBytes);
  #headLength = 0;
  #id = 0;
  /** Bytes of the frame that are still to come. */
  #missing = 0;
  /** Pieces of an `open` frame; undefined in a `data` frame. */
  #opening: Buffer[] | undefined;

  constructor(handler: ControlFrameHandler) {
    this.#handler = handler;
  }

  /** Takes the next bytes. @throws MalformedControlFrame */
  take(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#missing > 0) {
        const end = Math.min(chunk.length, at + this.#missing);
        this.#takeBytes(chunk.subarray(at, end));
        at = end;
      } else if (this.#headLength === 0 && chunk.length - at >= headBytes) {
        this.#begin(chunk, at);
        at += headBytes;
      } else {
        const end = Math.min(chunk.length, at + headBytes - this.#headLength);
        this.#headLength += chunk.copy(this.#head, this.#headLength, at, end);
        at = end;
        if (this.#headLength < headBytes) return;
        this.#headLength = 0;
        this.#begin(this.#head, 0);
      }
    }
  }

  #begin(bytes: Buffer, at: number): void {
    const kind = bytes[at] ?? 0;
    const id = bytes.readUInt32LE(at + 1);
    const number = bytes.readUInt32LE(at + 5);
    const name = frameNames[kind];
    if (name === undefined) throw new MalformedControlFrame(`no frame has the kind ${kind}`);
    if (number < numberBounds[name].least || number > numberBounds[name].most) {
      throw new MalformedControlFrame(`a frame ${name} has the number ${number}`);
    }
    this.#id = id;
    if (name === 'open' || name === 'data') {
      this.#missing = number;
      this.#opening = name === 'open' ? [] : undefined;
    } else if (name === 'credit') this.#handler.credit(id, number);
    else this.#handler[name](id);
  }

  #takeBytes(bytes: Buffer): void {
    this.#missing -= bytes.length;
    const opening = this.#opening;
    if (opening === undefined) {
      this.#handler.data(this.#id, bytes);
      return;
    }
    opening.push(Buffer.from(bytes));
    if (this.#missing > 0) return;
    this.#opening = undefined;
    this.#handler.open(this.#id, Buffer.concat(opening));
  }
}

/** The part of a socket that a writer uses. */
export interface ControlFrameSink {
  readonly writableLength: number;
  cork(): void;
  write(bytes: Buffer): boolean;
  uncork(): void;
}

/** Writes frames; those of one turn of the event loop leave in one call of the system. */
export class ControlFrameWriter {
  readonly #sink: ControlFrameSink;
  readonly #clock: Pick<Clock, 'soon'>;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;
  /** Heads and small bodies are gathered here. The part before `#slabStart` was handed over. */
  #slab: Buffer = Buffer.allocUnsafeSlow(slabBytes);
  #slabStart = 0;
  #slabEnd = 0;

  constructor(sink: ControlFrameSink, clock: Pick<Clock, 'soon'>) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Whether to wait for the socket's `drain` before further `data`. */
  get isFull(): boolean {
    return this.#pieceBytes + this.#sink.writableLength >= writtenBytesMax;
  }

  /** Writes a frame without bytes. */
  signal(name: 'end' | 'close' | 'admit', id: number): void {
    this.#writeHead(name, id, 0);
  }

  /** Lets the other side send so many bytes more. */
  credit(id: number, bytes: number): void {
    this.#writeHead('credit', id, bytes);
  }

  /** Writes bytes, at least one. They must not be changed until they have left. */
  bytes(name: 'open' | 'data', id: number, chunks: readonly Buffer[]): void {
    let length = 0;
    for (const chunk of chunks) length += chunk.length;
    this.#writeHead(name, id, length);
    for (const chunk of chunks) this.#add(chunk);
    if (this.isFull) this.flush();
  }

  /** Hands everything to the socket. */
  flush(): void {
    if (this.#pieceBytes === 0) return;
    this.#closeSlab();
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#sink.cork();
    for (const piece of pieces) this.#sink.write(piece);
    this.#sink.uncork();
  }

  #writeHead(name: ControlFrameName, id: number, number: number): void {
    if (this.#pieceBytes === 0) this.#clock.soon(() => this.flush());
    const at = this.#room(headBytes);
    this.#slab[at] = frameNames.indexOf(name);
    this.#slab.writeUInt32LE(id, at + 1);
    this.#slab.writeUInt32LE(number, at + 5);
  }

  #add(chunk: Buffer): void {
    if (chunk.length <= copiedUpToBytes) {
      const at = this.#room(chunk.length);
      chunk.copy(this.#slab, at);
      return;
    }
    this.#closeSlab();
    this.#pieces.push(chunk);
    this.#pieceBytes += chunk.length;
  }

  /** Where the next bytes are written. */
  #room(length: number): number {
    if (this.#slabEnd + length > slabBytes) {
      this.#closeSlab();
      this.#slab = Buffer.allocUnsafeSlow(slabBytes);
      this.#slabStart = 0;
      this.#slabEnd = 0;
    }
    const at = this.#slabEnd;
    this.#slabEnd += length;
    this.#pieceBytes += length;
    return at;
  }

  #closeSlab(): void {
    if (this.#slabEnd === this.#slabStart) return;
    this.#pieces.push(this.#slab.subarray(this.#slabStart, this.#slabEnd));
    this.#slabStart = this.#slabEnd;
  }
}

/** The client of a connection, as an `open` frame tells it. */
export interface ControlClientFacts {
  readonly address: string;
  /** In DER, the leaf first. */
  readonly certificates: readonly Buffer[];
}

/** The bytes of an `open` frame: texts and certificates, each after its length. */
export function encodeClientFacts({ address, certificates }: ControlClientFacts): Buffer[] {
  return [Buffer.from(address, 'latin1'), ...certificates].flatMap((bytes) => {
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
}

/** Reads what `encodeClientFacts` wrote. @throws MalformedControlFrame */
export function decodeClientFacts(bytes: Buffer): ControlClientFacts {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const start = at + 4;
    const end = start <= bytes.length ? start + bytes.readUInt32LE(at) : start;
    if (end > bytes.length) throw new MalformedControlFrame('the facts of a client are cut off');
    parts.push(bytes.subarray(start, end));
    at = end;
  }
  const [address, ...certificates] = parts;
  if (address === undefined) throw new MalformedControlFrame('a client has no address');
  return { address: address.toString('latin1'), certificates };
}

/** Kind, id and number. */
const headBytes = 9;
/** Heads and small bodies that leave together, or before a large body. */
const slabBytes = 16 * 1024;
/** Up to this size a copy of a body costs less than a further piece of a write. */
const copiedUpToBytes = 1024;
/** Bytes that wait for the socket; other connections wait behind them. @bound per worker */
const writtenBytesMax = 1024 * 1024;

const none = { least: 0, most: 0 };
const numberBounds: Readonly<Record<ControlFrameName, { least: number; most: number }>> = {
  open: { least: 1, most: openBytesMax },
  data: { least: 1, most: controlWindowBytes },
  credit: { least: 1, most: controlWindowBytes },
  end: none,
  close: none,
  admit: none,
};

// An answer on a uWebSockets.js connection that is written chunk by chunk.

import type { HttpResponse as UwsResponse } from 'uWebSockets.js';
import { Buffer } from 'node:buffer';
import type { ReplyStream } from '../../platform/http-exchange.ts';
import type { Server } from './server.ts';
import type { UwsExchange } from './uws-exchange.ts';

/** One answer in progress. */
export class UwsStream implements ReplyStream {
  readonly #server: Server;
  readonly #exchange: UwsExchange;
  readonly #response: UwsResponse;
  readonly #cutOff: () => void;
  #isOver = false;
  /** Bytes that were not passed to the connection yet. */
  #rest: Buffer = nothing;
  /** Whether the connection holds something that it could not pass on. */
  #isBlocked = false;
  #drained: (() => void) | undefined;
  #gone: (() => void) | undefined;

  /**
   * @param cutOff closes a connection that the library dropped because its peer took nothing for
   *   too long; the TLS front would take that for a pause between two requests
   */
  constructor(server: Server, exchange: UwsExchange, response: UwsResponse, cutOff: () => void) {
    this.#server = server;
    this.#exchange = exchange;
    this.#response = response;
    this.#cutOff = cutOff;
    response.onWritable(() => this.#writable());
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.#isOver) return false;
    if (this.#isBlocked) throw new Error('a stream was written to before its peer kept up');
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk);
    return this.#send(bytes);
  }

  onDrain(listener: () => void): void {
    this.#drained = listener;
  }

  onGone(listener: () => void): void {
    this.#gone = listener;
  }

  end(): void {
    if (this.#isOver) return;
    const exchange = this.#exchange;
    const response = this.#response;
    this.#over();
    const end = (): void => void response.end(undefined, exchange.endsConnection);
    if (exchange.corked) end();
    else response.cork(end);
    exchange.end();
  }

  /** The server ends it, and its writer is notified. */
  close(): void {
    if (this.#isOver) return;
    try {
      this.end();
    } finally {
      this.#gone?.();
    }
  }

  /** The connection is gone. */
  abort(): void {
    if (this.#isOver) return;
    const wasBlocked = this.#isBlocked;
    this.#over();
    if (wasBlocked) this.#cutOff();
    this.#gone?.();
  }

  #over(): void {
    this.#isOver = true;
    this.#rest = nothing;
  }

  /** Called by the library: an error thrown from here would end the process. */
  #writable(): boolean {
    try {
      this.#goOn();
    } catch (error) {
      this.#fail(error);
    }
    return true;
  }

  #goOn(): void {
    if (this.#isOver || !this.#isBlocked) return;
    this.#isBlocked = false;
    if (this.#send(this.#rest)) this.#drained?.();
  }

  #fail(error: unknown): void {
    this.#server.failed(error);
    try {
      this.close();
    } catch {
      // Already reported, and everything that could be ended has ended.
    }
  }

  /** Passes bytes to the connection as far as it takes them. @returns whether it took all */
  #send(bytes: Buffer): boolean {
    const response = this.#response;
    let at = 0;
    while (at < bytes.length && !this.#isBlocked) {
      const slice = bytes.subarray(at, at + chunkBytes);
      at += slice.length;
      if (this.#exchange.corked) this.#isBlocked = !response.write(slice);
      else response.cork(() => void (this.#isBlocked = !response.write(slice)));
    }
    this.#rest = bytes.subarray(at);
    return !this.#isBlocked;
  }
}

/**
 * Written at once. The library gathers 16 KiB in a cork; a larger chunk after one that was not
 * taken is garbled (measured with 20.0.8: "Expected LF after chunk data" at the client).
 */
const chunkBytes = 8192;
const nothing: Buffer = Buffer.alloc(0);

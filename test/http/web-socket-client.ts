// A WebSocket client by hand (RFC 6455): one that can stop reading, and that sees close codes.

import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';

/** What a server answered that did not open a WebSocket. */
export class Refused extends Error {
  readonly status: number;
  readonly body: string;

  constructor(status: number, body: string) {
    super(`refused with ${status}: ${body}`);
    this.status = status;
    this.body = body;
  }
}

/** How it ended: 1006 where nobody said goodbye. */
export interface Closed {
  readonly code: number;
  readonly reason: string;
}

/** An open WebSocket. */
export class WebSocketClient {
  readonly tls: TLSSocket;
  readonly closed: Promise<Closed>;
  /** Texts that came and were not taken. */
  readonly messages: string[] = [];
  /** Binary messages that came. */
  readonly binaries: Buffer[] = [];
  pings = 0;
  /** Bytes that came, frames and all. */
  bytes = 0;
  #rest: Buffer = Buffer.alloc(0);
  #goodbye: Closed | undefined;
  #wake: (() => void) | undefined;

  /** @param rest what came behind the answer to the upgrade */
  constructor(tls: TLSSocket, rest: Buffer) {
    this.tls = tls;
    this.closed = new Promise((resolve) => {
      tls.once('close', () => {
        resolve(this.#goodbye ?? { code: 1006, reason: '' });
        this.#wake?.();
      });
    });
    tls.on('error', () => {});
    tls.on('data', (chunk: Buffer) => this.#take(chunk));
    if (rest.length > 0) this.#take(rest);
  }

  /** The next text. @throws Error when it closes before one comes. */
  async next(): Promise<string> {
    for (;;) {
      const message = this.messages.shift();
      if (message !== undefined) return message;
      if (this.tls.destroyed) throw new Error(`closed with ${(await this.closed).code}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Takes messages until one is as wanted. @returns it, parsed */
  async until<T>(wanted: (message: T) => boolean): Promise<T> {
    for (;;) {
      const message = JSON.parse(await this.next()) as T;
      if (wanted(message)) return message;
    }
  }

  send(text: string): void {
    this.frame(0x81, Buffer.from(text));
  }

  /** Sends a masked frame. */
  frame(head: number, payload: Buffer): void {
    const length =
      payload.length < 126
        ? Buffer.from([0x80 | payload.length])
        : Buffer.from([0x80 | 126, payload.length >> 8, payload.length & 0xff]);
    const mask = randomBytes(4);
    const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
    this.tls.write(Buffer.concat([Buffer.from([head]), length, mask, masked]));
  }

  #take(chunk: Buffer): void {
    this.bytes += chunk.length;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    for (let frame = this.#frame(); frame !== undefined; frame = this.#frame()) {
      const [opcode, payload] = frame;
      if (opcode === 1) this.messages.push(payload.toString());
      else if (opcode === 2) this.binaries.push(payload);
      else if (opcode === 9) {
        this.pings += 1;
        this.frame(0x8a, payload);
      } else if (opcode === 8) {
        const code = payload.length < 2 ? 1005 : payload.readUInt16BE(0);
        this.#goodbye = { code, reason: payload.subarray(2).toString() };
        this.frame(0x88, payload.subarray(0, 2));
        this.tls.end();
      }
      this.#wake?.();
    }
  }

  #frame(): readonly [number, Buffer] | undefined {
    const rest = this.#rest;
    if (rest.length < 2) return undefined;
    let length = (rest[1] ?? 0) & 0x7f;
    let start = 2;
    if (length === 126) {
      if (rest.length < 4) return undefined;
      length = rest.readUInt16BE(2);
      start = 4;
    } else if (length === 127) {
      if (rest.length < 10) return undefined;
      length = Number(rest.readBigUInt64BE(2));
      start = 10;
    }
    if (rest.length < start + length) return undefined;
    this.#rest = rest.subarray(start + length);
    return [(rest[0] ?? 0) & 0x0f, rest.subarray(start, start + length)];
  }
}

/** Asks for a WebSocket over a connection. @throws Refused */
export async function openWebSocket(
  tls: TLSSocket,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebSocketClient> {
  const all: Record<string, string> = {
    host: 'localhost',
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  tls.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  let came = Buffer.alloc(0);
  for (;;) {
    const [chunk] = (await once(tls, 'data')) as [Buffer];
    came = Buffer.concat([came, chunk]);
    const end = came.indexOf('\r\n\r\n');
    if (end < 0) continue;
    const head = came.subarray(0, end).toString('latin1');
    const status = Number(head.split(' ', 2)[1]);
    if (status === 101) return new WebSocketClient(tls, came.subarray(end + 4));
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    while (came.length < end + 4 + length) {
      const [more] = (await once(tls, 'data')) as [Buffer];
      came = Buffer.concat([came, more]);
    }
    throw new Refused(status, came.subarray(end + 4).toString());
  }
}

// Relays between nodes and a NATS server that does not use TLS, and changes the times at which the
// server says it took messages: for its nodes, the clock of the server is stepped.

import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Endings } from '../endings.ts';

/** One relay in front of one server. */
export class ClockRelay {
  /** By how many whole seconds the server's clock seems to be ahead. */
  aheadSeconds = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(endings: Endings, port: number) {
    this.#server = createServer((client) => this.#join(client, port));
    endings.teardown(() => {
      this.#server.close();
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  /** Begins to listen for the server on this port. */
  static async open(endings: Endings, port: number): Promise<ClockRelay> {
    const relay = new ClockRelay(endings, port);
    await once(relay.#server.listen(0, '127.0.0.1'), 'listening');
    return relay;
  }

  /** `HOST:PORT` for nodes. */
  get address(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    return `127.0.0.1:${address.port}`;
  }

  #join(client: Socket, port: number): void {
    const server = connect({ host: '127.0.0.1', port });
    const messages = new ServerMessages();
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (chunk) => server.write(chunk));
    server.on('data', (chunk) => {
      for (const message of messages.take(chunk)) {
        client.write(stepped(message, this.aheadSeconds), 'latin1');
      }
    });
  }
}

/** Cuts what a server sends into lines and messages, each with its payload. */
class ServerMessages {
  #rest = '';

  take(chunk: Buffer): string[] {
    this.#rest += chunk.toString('latin1');
    const whole: string[] = [];
    for (;;) {
      const lineEnd = this.#rest.indexOf('\r\n') + 2;
      if (lineEnd < 2) return whole;
      const line = this.#rest.slice(0, lineEnd);
      const bytes = /^H?MSG /.test(line) ? Number(/(\d+)\r\n$/.exec(line)?.[1]) + 2 : 0;
      if (this.#rest.length < lineEnd + bytes) return whole;
      whole.push(this.#rest.slice(0, lineEnd + bytes));
      this.#rest = this.#rest.slice(lineEnd + bytes);
    }
  }
}

/**
 * The same message with other times: in the reply subject of a delivery, and in the answer to a
 * question for one message. Its length stays the same.
 */
function stepped(message: string, aheadSeconds: number): string {
  if (aheadSeconds === 0) return message;
  const shift = BigInt(aheadSeconds) * 1_000_000_000n;
  return message
    .replace(/^(H?MSG \S+ \S+ \$JS\.ACK\.\S*?\.)(\d{19})(?=\.)/, (_all, before, nanos) => {
      return `${before}${BigInt(nanos) + shift}`;
    })
    .replace(/"(time|ts)":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/, (_all, name, time) => {
      const atMs = Date.parse(`${time}Z`) + aheadSeconds * 1000;
      return `"${name}":"${new Date(atMs).toISOString().slice(0, 19)}`;
    });
}

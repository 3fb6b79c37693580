// Clients that are connected to a node, have had an answer, and ask for nothing more.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import type { Serving } from '../../test/system/process.ts';

/** Handshakes of one node at a time. */
const handshakesAtOnce = 50;

/** The idle clients of one node. */
export class IdleClients {
  readonly #sockets: readonly TLSSocket[];

  private constructor(sockets: readonly TLSSocket[]) {
    this.#sockets = sockets;
  }

  /** Connects so many clients; each asks for something that only the leader answers. */
  static async open({ port, home }: Serving, count: number): Promise<IdleClients> {
    const secureContext = createSecureContext({ ca: readFileSync(`${home}/pki/ca.pem`) });
    const sockets: TLSSocket[] = [];
    while (sockets.length < count) {
      const batch = Array.from(
        { length: Math.min(handshakesAtOnce, count - sockets.length) },
        async () => {
          const socket = connect({
            host: '127.0.0.1',
            port,
            secureContext,
            servername: 'localhost',
          });
          socket.on('error', () => {});
          await once(socket, 'secureConnect');
          socket.write('GET /health-checks?of=leader HTTP/1.1\r\nHost: localhost\r\n\r\n');
          await once(socket, 'data');
          return socket;
        },
      );
      sockets.push(...(await Promise.all(batch)));
    }
    return new IdleClients(sockets);
  }

  /** How many are not connected any more. */
  get closed(): number {
    return this.#sockets.filter(({ destroyed, readyState }) => destroyed || readyState !== 'open')
      .length;
  }

  /** Closes them all. */
  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

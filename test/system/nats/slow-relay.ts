// A TCP relay that delivers late.

import type { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Endings } from '../endings.ts';

/** One address before another one. */
export class SlowRelay {
  /** How late bytes arrive from now on, in each direction, in ms. */
  delayMs = 0;
  readonly port: number;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, port: number, target: () => number) {
    this.port = port;
    server.on('connection', (near) => {
      const far = connect({ port: target(), host: '127.0.0.1', noDelay: true });
      this.#carry(near, far);
      this.#carry(far, near);
    });
  }

  /** Listens on a port of its own, for connections to a port of this machine. */
  static async open(endings: Endings, target: () => number): Promise<SlowRelay> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const relay = new SlowRelay(server, port, target);
    endings.teardown(() => {
      server.close();
      for (const socket of relay.#sockets) socket.destroy();
    });
    return relay;
  }

  /** Bytes keep their order also when the delay becomes shorter. */
  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let last = Promise.resolve();
    const later = (then: () => void): void => {
      const arrived = setTimeout(this.delayMs);
      last = Promise.all([last, arrived]).then(then);
    };
    from.on('error', () => {});
    from.on('data', (chunk: Buffer) => later(() => void to.write(chunk)));
    from.on('close', () => {
      this.#sockets.delete(from);
      later(() => void to.destroy());
    });
  }
}

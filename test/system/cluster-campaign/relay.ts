// A TCP relay between two processes, which can be cut.

import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { Endings } from '../endings.ts';

/**
 * - `refused`: connections are reset, and new ones, too.
 * - `silent`: nothing arrives any more, and nobody is told. What was sent arrives after the cut.
 * - `unanswered`: the same, but only of what comes back: requests arrive, and answers do not.
 */
export type Cut = 'refused' | 'silent' | 'unanswered';

/** Both ends of a relayed connection. */
interface Pair {
  readonly near: Socket;
  /** Undefined for a connection that came during a silent cut. */
  far: Socket | undefined;
  /** One end was lost while nobody was told, which the other one learns when the cut ends. */
  isBroken: boolean;
}

/** One address before another one. */
export class Relay {
  readonly port: number;
  readonly #server: Server;
  readonly #target: () => number;
  readonly #pairs = new Set<Pair>();
  #cut: Cut | undefined;

  private constructor(server: Server, port: number, target: () => number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (near) => this.#accept(near));
  }

  /** Listens on a port of its own, for connections to a port of this machine. */
  static async open(endings: Endings, target: () => number): Promise<Relay> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const relay = new Relay(server, port, target);
    endings.teardown(() => relay.#close());
    return relay;
  }

  /** Cuts everything that goes through it. */
  cut(how: Cut): void {
    this.#cut = how;
    for (const pair of [...this.#pairs]) {
      if (how === 'refused') this.#reset(pair);
      else this.#hold(pair, how);
    }
  }

  /** Ends the cut. */
  heal(): void {
    this.#cut = undefined;
    for (const pair of [...this.#pairs]) {
      if (pair.isBroken) this.#reset(pair);
      else if (pair.far === undefined) this.#join(pair);
      else this.#release(pair);
    }
  }

  #accept(near: Socket): void {
    if (this.#cut === 'refused') {
      near.resetAndDestroy();
      return;
    }
    const pair: Pair = { near, far: undefined, isBroken: false };
    this.#pairs.add(pair);
    this.#watch(near, pair);
    if (this.#cut !== 'silent') this.#join(pair);
  }

  #join(pair: Pair): void {
    const far = connect({
      port: this.#target(),
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    pair.far = far;
    this.#watch(far, pair);
    this.#release(pair);
  }

  #watch(socket: Socket, pair: Pair): void {
    socket.on('error', () => this.#broken(pair));
    socket.on('close', () => {
      if (!socket.readableEnded) this.#broken(pair);
      else if (pair.near.destroyed && pair.far?.destroyed !== false) this.#pairs.delete(pair);
    });
  }

  #broken(pair: Pair): void {
    if (this.#cut === undefined || this.#cut === 'refused') this.#reset(pair);
    else pair.isBroken = true;
  }

  #release({ near, far }: Pair): void {
    if (far === undefined) return;
    near.unpipe(far).pipe(far);
    if (this.#cut === undefined) far.pipe(near);
  }

  #hold({ near, far }: Pair, how: Exclude<Cut, 'refused'>): void {
    const held = how === 'unanswered' ? [far] : [near, far];
    for (const socket of held) {
      socket?.unpipe();
      socket?.pause();
    }
  }

  #reset(pair: Pair): void {
    this.#pairs.delete(pair);
    for (const socket of [pair.near, pair.far]) {
      if (socket?.destroyed === false) socket.resetAndDestroy();
    }
  }

  #close(): void {
    this.#server.close();
    for (const pair of [...this.#pairs]) this.#reset(pair);
  }
}

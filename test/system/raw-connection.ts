// Connections below HTTP, for bytes that no client library would send, and an honest client beside
// them.

import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Test } from 'tap';
import { type Api, client } from './client.ts';
import type { Serving } from './process.ts';

/** A connection and all that came over it. */
export class Raw {
  readonly socket: Socket;
  received = '';
  /** Resolves with all that was received when nothing is left of the connection. */
  readonly closed: Promise<string>;

  constructor(t: Pick<Test, 'teardown'>, socket: Socket) {
    this.socket = socket;
    // How it is ended, by an alert, a reset or politely, is the server's choice.
    socket.on('error', () => undefined);
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.received += text;
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', () => resolve(this.received));
    });
    t.teardown(() => socket.destroy());
  }

  /** Resolves when `text` has arrived. @throws when the connection ends before. */
  async receives(text: string): Promise<void> {
    const seen = new Promise<void>((resolve) => {
      const look = () => {
        if (this.received.includes(text)) resolve();
      };
      this.socket.on('data', look);
      look();
    });
    const ended = this.closed.then((received) => {
      throw new Error(`closed before ${text}: ${received}`);
    });
    await Promise.race([seen, ended]);
  }
}

/** A TCP connection. */
export async function tcp(t: Pick<Test, 'teardown'>, { port }: { port: number }): Promise<Raw> {
  return await new Promise((resolve, reject) => {
    const socket = connectTcp({ host: '127.0.0.1', port }, () => resolve(new Raw(t, socket)));
    socket.once('error', reject);
  });
}

/** A TLS connection whose handshake is done, the certificate checked against the CA file. */
export async function tls(
  t: Pick<Test, 'teardown'>,
  { port, ca }: Pick<Serving, 'port' | 'ca'>,
): Promise<Raw> {
  return await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, ca, servername: 'localhost' };
    const socket = connectTls(options, () => resolve(new Raw(t, socket)));
    socket.once('error', reject);
  });
}

/** An ordinary client beside the bad ones: reads and writes without a pause, and is answered. */
export class Neighbour {
  readonly #admin: Api;
  readonly #name: string;
  #stopped = false;
  #answered = 0;
  #waiting: (() => void)[] = [];
  readonly #work: Promise<void>;

  constructor(admin: Api, name: string) {
    this.#admin = admin;
    this.#name = name;
    this.#work = this.#run();
    // Told in `stop`.
    this.#work.catch(() => undefined);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const name = `${this.#name} ${this.#answered}`;
      await this.#admin.create('identities', { name, type: 'Default', isAdmin: false });
      await this.#admin.ask('GET', `${client}/current-api-session`);
      this.#answered += 1;
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Resolves after the next round of answers; `stop` tells of a failure. */
  async nextAnswer(): Promise<void> {
    const answer = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([answer, this.#work]);
  }

  /** @returns how often it was answered. @throws what went wrong for it. */
  async stop(): Promise<number> {
    this.#stopped = true;
    await this.#work;
    return this.#answered;
  }
}

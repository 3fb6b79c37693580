// A Unix socket by which the owner of a home gives orders to the controller that runs on it. File
// permissions restrict access: its directory is 0700, the socket 0600.

import { chmodSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../platform/ports.ts';
import { unixSocketPlace, wayToUnixSocket } from './unix-socket.ts';

/**
 * Carries out an order, any JSON value, and returns another JSON value. It must not reject.
 * `answered` resolves once that has left, or cannot leave any more: what would close the socket
 * waits for it.
 */
export type OwnerHandler = (order: unknown, answered: Promise<void>) => Promise<unknown>;

/** The options of the socket. */
export interface OwnerSocketOptions {
  readonly home: string;
  readonly clock: Clock;
  /** From the connection to the complete order. */
  readonly timeoutMs: number;
  readonly handler: OwnerHandler;
}

/** An open socket. */
export interface OwnerSocket {
  /** Accepts no more orders, drops connections, and removes the socket. */
  stop(): Promise<void>;
}

/** An order of the owner or its answer, one line of JSON each. @bound per connection */
const ownerLineBytesMax = 64 * 1024;
/** Connections of the owner socket: one owner types one order at a time. @bound per controller */
const ownerConnectionsMax = 8;

const socketName = 'owner.sock';

/**
 * Opens the socket of a home whose lock the process holds; a stale socket is removed. Rejects with
 * a system error.
 */
export async function startOwnerSocket(options: OwnerSocketOptions): Promise<OwnerSocket> {
  const { home } = options;
  const directory = join(home, 'run');
  const place = unixSocketPlace(directory, socketName);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => void open.delete(socket));
    serve(socket, options);
  });
  server.maxConnections = ownerConnectionsMax;
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(place.path, resolve);
    });
    chmodSync(join(directory, socketName), 0o600);
  } catch (error) {
    server.close();
    place.release();
    throw error;
  }
  // It does not keep the process alive.
  server.unref();
  return {
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
      place.release();
    },
  };
}

function serve(socket: Socket, { clock, timeoutMs, handler }: OwnerSocketOptions): void {
  const timer = clock.after(timeoutMs, () => socket.destroy());
  socket.on('close', () => timer.cancel());
  const answered = new Promise<void>((resolve) => {
    socket.once('finish', resolve);
    socket.once('close', resolve);
  });
  void readLine(socket)
    .then((line) => {
      timer.cancel();
      return handler(JSON.parse(line), answered);
    })
    .then(
      (answer) => socket.end(`${JSON.stringify(answer)}\n`),
      // Input that is not an order gets no answer.
      () => socket.destroy(),
    );
}

/**
 * Gives an order to the controller that runs on `home`. Rejects when no controller answers in time.
 */
export async function sendToOwnerSocket(
  home: string,
  order: unknown,
  timeoutMs: number,
): Promise<unknown> {
  const place = wayToUnixSocket(join(home, 'run'), socketName);
  try {
    const socket = createConnection(place.path);
    socket.setTimeout(timeoutMs, () => {
      socket.destroy(new Error(`no answer within ${timeoutMs} ms`));
    });
    socket.end(`${JSON.stringify(order)}\n`);
    return JSON.parse(await readLine(socket));
  } finally {
    place.release();
  }
}

/** The one line that a peer sends. Rejects when it is too long or missing. */
function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > ownerLineBytesMax) socket.destroy(new Error('the line is too long'));
      else if (piece.includes(10)) resolve(Buffer.concat(pieces).toString('utf8'));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the connection was closed without a whole line')));
  });
}

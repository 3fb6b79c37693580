// One keep-alive TLS connection with at most one pending request.

import { isIP } from 'node:net';
import { connect, type SecureContext, type TLSSocket } from 'node:tls';
import { AnswerReader, type TakeAnswer } from './answer-reader.ts';

/** The server to connect to. */
export interface Peer {
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
  readonly context: SecureContext;
}

/** An open connection. */
export interface Connection {
  send(request: Buffer): void;
  close(): void;
}

/**
 * Connects. `take` is called with each answer, and `fail` once when the connection ends, whichever
 * side ended it. Rejects if the handshake fails.
 */
export async function openConnection(
  peer: Peer,
  take: TakeAnswer,
  fail: (reason: string) => void,
): Promise<Connection> {
  const reader = new AnswerReader(take);
  const socket = await handshake(peer);
  let over = false;
  const end = (reason: string): void => {
    if (over) return;
    over = true;
    socket.destroy();
    fail(reason);
  };
  socket.setNoDelay(true);
  socket.on('data', (chunk: Buffer) => {
    try {
      reader.push(chunk);
    } catch (error) {
      end(error instanceof Error ? error.message : String(error));
    }
  });
  socket.on('error', (error) => end(error.message));
  socket.on('close', () => end('the server closed the connection'));
  return {
    send: (request) => {
      socket.write(request);
    },
    close: () => {
      over = true;
      socket.destroy();
    },
  };
}

function handshake({ host, port, serverName, context }: Peer): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    // An address must not be sent as a server name (RFC 6066 §3).
    const named = isIP(serverName) === 0 ? { servername: serverName } : {};
    const socket = connect({ host, port, secureContext: context, ...named });
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

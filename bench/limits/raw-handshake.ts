// A physical limit: TLS handshakes of `openssl s_server`, which is no part of Node.

import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** A running server. */
export interface HandshakeServer {
  readonly pid: number;
  readonly port: number;
  stop(): void;
}

/** The request that it answers; then it closes the connection. */
export const handshakePath = '/answer';

/**
 * Starts it with the keys of a controller's home. Like the TLS front it sends no tickets.
 * @returns undefined if the machine has no such `program`, or one that cannot serve
 */
export async function startHandshakeServer(
  home: string,
  program = 'openssl',
): Promise<HandshakeServer | undefined> {
  const directory = dirname(home);
  // It sends the content of files of its working directory.
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';
  writeFileSync(join(directory, handshakePath), answer);
  const chain = join(home, 'pki/server.pem');
  const keys = ['-cert', chain, '-cert_chain', chain, '-key', join(home, 'pki/server.key')];
  const words = ['-HTTP', '-accept', '127.0.0.1:0', '-num_tickets', '0'];
  const child = spawn(program, ['s_server', ...words, ...keys], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.on('error', () => undefined);
  // If the bench itself fails, the processes that it started must end.
  const stop = (): void => {
    child.kill();
    process.off('exit', stop);
  };
  process.once('exit', stop);
  for await (const line of createInterface(child.stdout)) {
    const port = Number(/^ACCEPT .*:(\d+)$/.exec(line)?.[1]);
    if (!(port > 0)) continue;
    child.stdout.resume();
    return { pid: child.pid ?? 0, port, stop };
  }
  stop();
  return undefined;
}

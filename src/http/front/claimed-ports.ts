// Ports that are known before anything listens on them.

import { createServer, type Server } from 'node:net';
import { formatHostPort, type HostPort } from '../../settings/setting-type.ts';

/**
 * Finds out whether ports are free, and chooses those that are left to the system. Listeners of one
 * controller share their port by SO_REUSEPORT, which would also share it with another controller
 * that was given the same one. A chosen port is therefore held until the listeners are open.
 */
export class ClaimedPorts {
  readonly #held = new Map<string, Server>();

  /**
   * Returns the port if nobody else listens on it, or a free one for 0, which no other process
   * gets before `release`.
   * @throws an error with `code` and a clear sentence when it can't be bound.
   */
  async claim(at: HostPort): Promise<number> {
    if (this.#held.has(formatHostPort(at))) return at.port;
    const { host, port } = at;
    const server = createServer((socket) => socket.destroy());
    // The system never chooses a port that is in use, shared or not.
    const isChosen = port === 0;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(bindRefusal(at, error)));
      server.listen({ host, port, reusePort: isChosen, exclusive: true }, resolve);
    });
    const address = server.address();
    const claimed = typeof address === 'object' && address !== null ? address.port : port;
    if (isChosen) this.#held.set(formatHostPort({ host, port: claimed }), server.unref());
    else await new Promise((resolve) => server.close(resolve));
    return claimed;
  }

  /** Leaves the ports to the listeners that are open by now, or to anybody. */
  release(): void {
    for (const server of this.#held.values()) server.close();
    this.#held.clear();
  }
}

/** The error of a listener that can't be opened, as a sentence with the same `code`. */
export function bindRefusal(at: HostPort, error: { code?: string; message: string }): Error {
  const reason = error.code === undefined ? undefined : reasons[error.code];
  const told = reason ?? error.message;
  return Object.assign(new Error(`cannot listen on ${formatHostPort(at)}: ${told}`), {
    code: error.code ?? '',
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EADDRNOTAVAIL: 'this machine has no such address',
  EACCES: 'this user may not open the port',
  ENOTFOUND: 'the host name is not known',
};

// Finds ports for servers that cannot choose their own, as others have to know them before.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/**
 * Ports that were free a moment ago, for servers that are told them, or start again on them. They
 * lie below those that systems give to connections, so that none takes them while a server is away.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  while (servers.length < count) {
    const server = createServer().listen(randomInt(10_000, 32_000), '127.0.0.1');
    // A port that is in use is passed over.
    await once(server, 'listening').then(
      () => servers.push(server),
      () => undefined,
    );
  }
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(
    servers.map(async (server) => {
      const closed = once(server, 'close');
      server.close();
      await closed;
    }),
  );
  return ports;
}

/** One such port. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

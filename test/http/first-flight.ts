// The first bytes of a TLS client, which a test may split and delay.

import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'node:tls';

/** What Node's own client says first, with these ALPN names or none. */
export async function realHello(ALPNProtocols?: string[]): Promise<Buffer> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const client = connect({ host: '127.0.0.1', port, ...(ALPNProtocols && { ALPNProtocols }) });
  client.on('error', () => {});
  const [socket] = await once(server, 'connection');
  const [hello] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}

/** The handshake message in a record, put into records of so many bytes each. */
export function inRecords(hello: Buffer, bytes: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += bytes) {
    const part = message.subarray(at, at + bytes);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

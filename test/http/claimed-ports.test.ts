// Ports that are held until the listeners of this process are open.

import { once } from 'node:events';
import { createServer, type ListenOptions } from 'node:net';
import t, { type Test } from 'tap';
import { ClaimedPorts } from '../../src/http/front/claimed-ports.ts';

const host = '127.0.0.1';

/** Opens a listener that ends with the test. @throws Node's error */
async function listening(t: Test, options: ListenOptions): Promise<void> {
  const server = createServer();
  server.listen({ host, ...options });
  await once(server, 'listening');
  t.teardown(() => server.close());
}

t.test('a chosen port is kept from others until it is released', async (t) => {
  const ports = new ClaimedPorts();
  t.teardown(() => ports.release());
  const port = await ports.claim({ host, port: 0 });
  await t.rejects(new ClaimedPorts().claim({ host, port }), {
    code: 'EADDRINUSE',
    message: `cannot listen on ${host}:${port}: the port is in use`,
  });
  t.equal(await ports.claim({ host, port }), port, 'who holds it may ask again');
  await listening(t, { port, reusePort: true });
  ports.release();
  await t.rejects(listening(t, { port }), { code: 'EADDRINUSE' }, 'our listener has it now');
});

t.test('a port that was named is free again at once', async (t) => {
  const ports = new ClaimedPorts();
  const chosen = await ports.claim({ host, port: 0 });
  ports.release();
  t.equal(await ports.claim({ host, port: chosen }), chosen);
  await listening(t, { port: chosen });
});

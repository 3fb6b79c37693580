// A program on a real WebSocket that never reads: it is told how much it misses, and closed.

import t from 'tap';
import { decodeFrame, encodeFrame } from '../../src/channel/frame.ts';
import { fabricTypes } from '../../src/events/socket/fabric-types.ts';
import { run } from '../http/harness.ts';
import { openWebSocket } from '../http/web-socket-client.ts';
import { anotherLook } from '../real-waits.ts';
import { bootNetwork } from '../simulated/network.ts';

t.test('it is closed when too much waits for it', async (t) => {
  const network = await bootNetwork({ limits: { eventBufferBytesMax: 256 * 1024 } });
  t.teardown(() => network.stop());
  const { fabricSockets } = network.core;
  const running = await run({ directory: t.testdir(), sockets: fabricSockets });
  t.teardown(() => running.stop());
  const client = await openWebSocket(await running.open(), fabricSockets.path, {
    'zt-session': network.admin,
  });
  const chunks: Buffer[] = [];
  const body = JSON.stringify({ format: 'json', subscriptions: [{ type: 'alert' }] });
  encodeFrame(
    { contentType: fabricTypes.streamEvents, sequence: 1, body: Buffer.from(body) },
    chunks,
  );
  client.frame(0x82, Buffer.concat(chunks));
  while (client.binaries.length === 0) await anotherLook();
  client.tls.pause();
  const message = 'x'.repeat(60_000);
  const isAttached = () => network.core.sources.core?.events.subscribers === 1;
  for (let sent = 0; sent < 5000 && isAttached(); sent++) {
    network.env.events.tell('alert', { message });
    await network.advance(0);
    await anotherLook();
  }
  t.notOk(isAttached());
  client.tls.resume();
  t.match(await client.closed, { code: 1008, reason: 'events are not read' });
  const last = client.binaries.at(-1);
  t.match(JSON.parse(last ? decodeFrame(last).body.toString() : '{}'), {
    namespace: 'alert',
    message: /^\d+ events were dropped/,
  });
});

// The client that writes through a takeover: what it tries again, where, and what it counts.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { WritingClient } from '../../bench/cluster/writing-client.ts';
import { makeServerIdentity, type ServerIdentity } from './server-identity.ts';

/** A node that answers each write with the status that `answer` says for its name. */
async function serveNode(
  t: Test,
  identity: ServerIdentity,
  answer: (name: string) => number,
): Promise<{ readonly server: Server; readonly at: { url: string; ca: string } }> {
  const server = createServer(identity.options, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { name } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly name: string };
    response.writeHead(answer(name), { 'content-type': 'application/json' });
    response.end('{"data":{}}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const ca = readFileSync(identity.caFile, 'utf8');
  return { server, at: { url: `https://localhost:${port}`, ca } };
}

t.test('it tries again what was refused, and knows a write that was carried out', async (t) => {
  const tries = new Map<string, number>();
  const { at } = await serveNode(t, await makeServerIdentity(t), (name) => {
    const count = (tries.get(name) ?? 0) + 1;
    tries.set(name, count);
    if (name === 'w-0') return count === 1 ? 503 : 201;
    // Its first attempt was carried out, and its answer said that nobody knows.
    if (name === 'w-1') return count === 1 ? 503 : 400;
    return name === 'w-2' ? 401 : 201;
  });
  const client = new WritingClient({ nodes: [at], first: 0, token: 'x', prefix: 'w' });
  const answered = client.answeredSince(performance.now());
  const running = client.run();
  t.ok((await answered) > 0);
  while (client.acknowledged.length < 3) await client.answeredSince(performance.now());
  client.stop();
  await running;
  t.same(client.acknowledged.slice(0, 3), ['w-0', 'w-1', 'w-3']);
  t.same(client.wrongs, ['w-2: status 401']);
  t.equal(tries.get('w-0'), 2);
});

t.test('it goes to the next address, and only attempts after the fault count', async (t) => {
  const identity = await makeServerIdentity(t);
  const first = await serveNode(t, identity, () => 201);
  const second = await serveNode(t, identity, () => 201);
  const nodes = [first.at, second.at];
  const client = new WritingClient({ nodes, first: 0, token: 'x', prefix: 'w' });
  const running = client.run();
  await client.answeredSince(0);
  const closed = once(first.server, 'close');
  first.server.closeAllConnections();
  first.server.close();
  await closed;
  const faultMs = performance.now();
  const answeredMs = await client.answeredSince(faultMs);
  t.ok(answeredMs > faultMs);
  t.ok(client.longestPauseSince(faultMs) >= 0);
  t.equal(client.longestPauseSince(Number.POSITIVE_INFINITY), 0);
  client.stop();
  await running;
  t.same(client.wrongs, []);
});

// Clients of a follower: their bytes go through a tunnel to the leader, with address and chain.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createSecureServer, type ServerHttp2Session } from 'node:http2';
import { connect as connectPlain } from 'node:net';
import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { encodeProxyHeader } from '../../src/http/front/proxy-protocol.ts';
import type { HttpHandler, HttpReply, Peer } from '../../src/platform/http-exchange.ts';
import { isNightly } from '../campaigns.ts';
import { issue } from './certificates.ts';
import { Cluster, counted, holds, type Identity, type Node } from './cluster-nodes.ts';
import { get, type run, until, untilClosed } from './harness.ts';

type Options = Partial<Parameters<typeof run>[0]> & { readonly leaderWaitMs?: number };

/** A leader and a follower, which knows it. */
async function pair(t: Test, leading: Options = {}, following: Options = {}) {
  const cluster = await Cluster.make(t);
  const one = await cluster.identity('one');
  const two = await cluster.identity('two');
  const leader = await cluster.node(one, leading);
  const follower = await cluster.node(two, following);
  leader.follow('self');
  follower.follow(leader);
  return { cluster, leader, follower };
}

async function ask(client: TLSSocket, path = '/'): Promise<string> {
  client.write(get(path));
  return await until(client, (text) => text.endsWith('hello'));
}

t.test('a client of a follower is served by the leader, with its address and chain', async (t) => {
  const peers: Peer[] = [];
  const handler: HttpHandler = (request, reply) => {
    peers.push(request.peer);
    reply.send(200, [], 'hello');
  };
  const { leader, follower } = await pair(t, { handler, workers: 2 }, { workers: 2 });
  const root = await issue('root', { authority: true });
  const leaf = await issue('leaf', { issuer: root });
  const cert = leaf.certificate + root.certificate;
  const certified = await follower.running.open({
    cert,
    key: leaf.key,
    socket: connectPlain({ port: follower.running.front.port, localAddress: '127.0.0.7' }),
  });
  const anonymous = await follower.running.open();
  for (const path of ['/1', '/2']) {
    await ask(certified, path);
    await ask(anonymous, path);
    // Told once more, it is no change.
    follower.follow(leader);
  }
  const [first, second, third] = peers;
  t.same(first, { address: '127.0.0.7', certificates: [leaf.der, root.der] });
  t.same(second, { address: '127.0.0.1', certificates: [] });
  t.equal(third, first, 'one peer for a connection');
  t.equal(peers.length, 4);
  t.equal(follower.running.server.counters.requests, 0);
  t.equal(leader.running.front.counters().tunnelsOpen, 2);
  t.equal(follower.running.front.counters().certificatesShown, 1);
  certified.destroy();
  anonymous.destroy();
  await counted(leader, 'tunnelsOpen', 0);
  await counted(follower, 'connectionsOpen', 0);
  t.same([...leader.running.failures, ...follower.running.failures], []);
});

t.test('the leader evaluates what a client of a follower sends', async (t) => {
  const { leader, follower } = await pair(t);
  const header = encodeProxyHeader(Buffer.alloc(16, 7));
  const first = await follower.running.open();
  first.write(header);
  t.equal(await untilClosed(first), '');
  const later = await follower.running.open();
  await ask(later);
  later.write(header);
  t.equal(await untilClosed(later), '');
  t.equal(leader.running.front.counters().closedProxyHeader, 2);
  const smuggler = await follower.running.open();
  smuggler.write(get('/', 'Content-Length: 0', 'Transfer-Encoding: chunked'));
  t.match(await until(smuggler, (text) => text.includes('content-length')), / 400 /);
  smuggler.destroy();
  t.equal(leader.running.server.counters.requestsMalformed, 1);
});

t.test('bytes arrive unchanged, and who does not read is not sent more', async (t) => {
  const large = Buffer.alloc(24 * 2 ** 20);
  for (let at = 0; at < large.length; at += 4) large.writeUInt32LE((at * 2_654_435_761) >>> 0, at);
  const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  const handler: HttpHandler = (request, reply) =>
    reply.send(200, [], request.method === 'POST' ? digest(request.body) : large);
  const { follower } = await pair(t, {
    handler,
    server: { bodyBytesMax: 2 ** 25, bodiesBytesMax: 2 ** 26 },
  });
  const client = await follower.running.open();
  client.write(
    get('/')
      .replace('GET', 'POST')
      .replace('\r\n\r\n', `\r\nContent-Length: ${large.length}\r\n\r\n`),
  );
  client.write(large);
  await until(client, (text) => text.endsWith(digest(large)));

  const slow = await follower.running.open();
  const before = process.memoryUsage().rss;
  slow.write(get('/large'));
  slow.pause();
  for (let round = 0; round < 50; round += 1) {
    client.write(
      get('/').replace('GET', 'POST').replace('\r\n\r\n', '\r\nContent-Length: 1\r\n\r\nx'),
    );
    await until(client, (text) => text.endsWith(digest(Buffer.from('x'))));
  }
  t.ok(process.memoryUsage().rss - before < 96 * 2 ** 20);
  const pieces: Buffer[] = [];
  let bytes = 0;
  slow.on('data', (chunk: Buffer) => {
    pieces.push(chunk);
    bytes += chunk.length;
  });
  slow.resume();
  await holds(() => bytes > large.length);
  t.equal(digest(Buffer.concat(pieces).subarray(-large.length)), digest(large));
  slow.destroy();
  client.destroy();
});

/** At night more than 1,000, as Node allows so many resets at once by default. */
const sharingTunnels = isNightly ? 2000 : 300;

t.test(`${sharingTunnels} tunnels share a few connections`, async (t) => {
  const room = { connectionsMax: 4000, idleTimeoutMs: 600_000 };
  const { leader, follower } = await pair(t, { front: room }, { front: room });
  const clients: TLSSocket[] = [];
  while (clients.length < sharingTunnels) {
    const opened = Array.from({ length: 50 }, async () => {
      const client = await follower.running.open();
      await ask(client);
      return client;
    });
    clients.push(...(await Promise.all(opened)));
  }
  t.equal(leader.running.front.counters().tunnelsOpen, sharingTunnels);
  t.equal(leader.running.front.counters().nodeConnectionsOpen, 2);
  // Each reset of a client is a reset of a tunnel.
  for (const client of clients.splice(0, sharingTunnels - 100)) client.destroy();
  await counted(leader, 'tunnelsOpen', 100);
  for (const client of clients) await ask(client, '/again');
  t.equal(leader.running.front.counters().nodeConnectionsOpen, 2);
  for (const client of clients) client.destroy();
});

t.test('a leader without room refuses at once, and goes on', async (t) => {
  const held: HttpReply[] = [];
  const handler: HttpHandler = (request, reply) => {
    if (request.path === '/held') held.push(reply);
    else reply.send(200, [], 'hello');
  };
  const { follower } = await pair(t, { handler, front: { connectionsMax: 2 } });
  const clients = [await follower.running.open(), await follower.running.open()];
  // A request that waits for its answer makes no room.
  for (const [before, client] of clients.entries()) {
    client.write(get('/held'));
    await holds(() => held.length === before + 1);
  }
  const third = await follower.running.open();
  third.write(get('/'));
  t.match(await untilClosed(third), /^HTTP\/1.1 503 .*\r\nRetry-After: 2\r\n/s);
  const [first, second] = clients;
  if (first === undefined || second === undefined) return;
  held[0]?.send(200, [], 'hello');
  await until(first, (text) => text.endsWith('hello'));
  const fourth = await follower.running.open();
  await ask(fourth);
  t.equal(second.destroyed, false);
  for (const client of [...clients, fourth]) client.destroy();
});

t.test('an address that holds a follower keeps nobody out, of it or of the leader', async (t) => {
  const room = { front: { connectionsMax: 4 } };
  const { leader, follower } = await pair(t, room, room);
  const open = async ({ running }: Node, localAddress: string) =>
    await running.open({ socket: connectPlain({ port: running.front.port, localAddress }) });
  const attackers: TLSSocket[] = [];
  for (let count = 0; count < 4; count += 1) {
    const attacker = await open(follower, '127.0.0.9');
    attacker.on('error', () => {});
    await ask(attacker);
    attackers.push(attacker);
  }
  // Their tunnels take all the room of the leader, and their connections all of the follower.
  const others: TLSSocket[] = [];
  for (const [node, from] of [
    [leader, '127.0.0.2'],
    [follower, '127.0.0.3'],
    [follower, '127.0.0.4'],
  ] as const) {
    const client = await open(node, from);
    await ask(client);
    others.push(client);
  }
  await holds(() => attackers.filter(({ destroyed }) => destroyed).length >= 3);
  for (const client of others) await ask(client, '/again');
  for (const client of [...attackers, ...others]) client.destroy();
});

t.test('a follower follows requests without a change to their bytes', async (t) => {
  const handler: HttpHandler = (request, reply) => reply.send(200, [], request.body);
  const { follower } = await pair(t, { handler });
  const client = await follower.running.open();
  const head = get('/', 'Transfer-Encoding: chunked').replace('GET', 'POST');
  client.write(`${head}5;name=value\r\nhello\r\n0\r\n\r\n`);
  await until(client, (text) => text.endsWith('hello'));
  client.destroy();
});

t.test('a close by the server reaches the client behind its answer', async (t) => {
  const { leader, follower } = await pair(t);
  const client = await follower.running.open();
  client.write(get('/', 'Connection: close'));
  t.match(await untilClosed(client), /hello$/);
  await counted(leader, 'tunnelsOpen', 0);
  await counted(follower, 'connectionsOpen', 0);
});

/** A leader, a follower, and a third node that can lead. */
async function three(t: Test, following: Options = {}) {
  const cluster = await Cluster.make(t);
  const identities = [
    await cluster.identity('one'),
    await cluster.identity('two'),
    await cluster.identity('three'),
  ];
  const [one, two, three] = identities;
  if (one === undefined || two === undefined || three === undefined) throw new Error('no node');
  const node = async (identity: Identity, name: string, options: Options = {}) => {
    /** Answers that are still to be given. */
    const late: (() => void)[] = [];
    const handler: HttpHandler = (request, reply) => {
      const answer = () => reply.send(200, [], `from ${name}`);
      if (request.path === '/late') late.push(answer);
      else if (request.path !== '/never') answer();
    };
    return { ...(await cluster.node(identity, { handler, ...options })), late };
  };
  const first = await node(one, 'one');
  const front = await node(two, 'two', following);
  const second = await node(three, 'three');
  return { cluster, first, front, second };
}

const answered = (from: string) => (text: string) => text.endsWith(`from ${from}`);

t.test('a request waits for the first leader, and for the next one', async (t) => {
  const { first, front, second } = await three(t);
  const early = await front.running.open();
  const answer = until(early, answered('one'));
  early.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  first.follow('self');
  front.follow(first);
  await answer;
  await counted(front, 'waitingForLeader', 0);

  const silent = await front.running.open();
  front.follow('nobody');
  const waiting = await front.running.open();
  waiting.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  t.equal(await untilClosed(early), '', 'it had asked the old leader');
  const next = [until(waiting, answered('three')), until(silent, answered('three'))];
  silent.write(get('/'));
  await counted(front, 'waitingForLeader', 2);
  second.follow('self');
  front.follow(second);
  await Promise.all(next);
  t.equal(second.running.server.counters.requests, 2);
  t.equal(first.running.server.counters.requests, 1);
  for (const client of [waiting, silent]) client.destroy();
});

t.test('a relayed request is not sent to the next leader', async (t) => {
  const { first, front, second } = await three(t);
  for (const node of [first, second]) node.follow('self');
  front.follow(first);
  const client = await front.running.open();
  client.write(get('/never'));
  await holds(() => first.running.server.counters.requests === 1);
  const half = await front.running.open();
  half.write('GET /never HTTP/1.1\r\nHost: loc');
  await counted(first, 'tunnelsOpen', 2);
  front.follow(second);
  t.same(await Promise.all([untilClosed(client), untilClosed(half)]), ['', '']);
  t.equal(second.running.server.counters.requests, 0);
  // On a busy machine the server may have given up the half request before.
  await holds(() => front.running.front.counters().closedWithLeader >= 1);
  await counted(first, 'tunnelsOpen', 0);
});

t.test('the last answers of a leader still arrive after a change', async (t) => {
  const { first, front, second } = await three(t);
  first.follow('self');
  second.follow('self');
  front.follow(first);
  const client = await front.running.open();
  client.write(get('/late'));
  await holds(() => first.late.length === 1);
  front.follow(second);
  // The front has heard of the change when it takes a client to the new leader.
  const other = await front.running.open();
  other.write(get('/'));
  await until(other, answered('three'));
  const text = until(client, answered('one'));
  first.late[0]?.();
  await text;
  t.equal(await untilClosed(client), '');
  t.equal(front.running.front.counters().closedWithLeader, 1);
  other.destroy();
});

t.test('a leader that dies closes what it was asked, and nothing else', async (t) => {
  const { first, front, second } = await three(t);
  first.follow('self');
  front.follow(first);
  const asked = await front.running.open();
  const silent = await front.running.open();
  asked.write(get('/never'));
  await holds(() => first.running.server.counters.requests === 1);
  const closed = untilClosed(asked);
  await first.stop();
  t.equal(await closed, '');
  const answer = until(silent, answered('three'));
  silent.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  second.follow('self');
  front.follow(second);
  await answer;
  silent.destroy();
});

/** A node that takes tunnels and never answers them, as one that was stopped. */
async function mute(t: Test, { key, certificates }: Identity) {
  const { pair, anchors } = certificates;
  const begun: Buffer[] = [];
  const server = createSecureServer({
    cert: pair.certificate,
    key: pair.key,
    ca: anchors,
    requestCert: true,
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => begun.push(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const place = { ...key, address: { host: '127.0.0.1', port } };
  return { begun, leading: { who: 'other', place } as const };
}

t.test('a leader that answers no tunnel gets no request, and the next one does', async (t) => {
  const { cluster, front, second } = await three(t);
  const stopped = await mute(t, await cluster.identity('stopped'));
  front.running.front.lead(stopped.leading);
  const client = await front.running.open();
  client.write(get('/secret-of-the-client'));
  await holds(() => stopped.begun.length > 0);
  const answer = until(client, answered('three'));
  second.follow('self');
  front.follow(second);
  await answer;
  t.equal(second.running.server.counters.requests, 1);
  t.notMatch(Buffer.concat(stopped.begun).toString('latin1'), /secret/);
  client.destroy();
});

t.test('a request waits no longer for a leader that does not answer', async (t) => {
  const { cluster, front } = await three(t, { leaderWaitMs: 100 });
  const stopped = await mute(t, await cluster.identity('stopped'));
  front.running.front.lead(stopped.leading);
  const client = await front.running.open();
  client.write(get('/'));
  t.match(await untilClosed(client), / 503 /);
  await counted(front, 'connectionsOpen', 0);
});

t.test('a front that becomes the leader serves those who wait itself', async (t) => {
  const { front } = await three(t);
  const leaf = await issue('leaf');
  const waiting = await front.running.open({ cert: leaf.certificate, key: leaf.key });
  const silent = await front.running.open();
  const answers = [until(waiting, answered('two')), until(silent, answered('two'))];
  waiting.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  front.follow('self');
  await counted(front, 'waitingForLeader', 0);
  silent.write(get('/'));
  await Promise.all(answers);
  const fresh = await front.running.open();
  fresh.write(get('/'));
  await until(fresh, answered('two'));
  for (const client of [waiting, silent, fresh]) client.destroy();
  await counted(front, 'connectionsOpen', 0);
});

t.test('a node that is taken for the leader too early is asked again', async (t) => {
  const { first, front } = await three(t);
  front.follow(first);
  const client = await front.running.open();
  const answer = until(client, answered('one'));
  client.write(get('/'));
  await counted(first, 'nodeConnectionsOpen', 2);
  first.follow('self');
  await answer;
  client.destroy();
});

t.test('without a leader the answer is a 503 in the envelope of errors', async (t) => {
  const { front } = await three(t, { leaderWaitMs: 1 });
  const client = await front.running.open();
  client.write(get('/'));
  const text = await untilClosed(client);
  t.match(text, /^HTTP\/1.1 503 Service Unavailable\r\n.*Retry-After: 2\r\nConnection: close\r\n/s);
  const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
  t.match(body, {
    error: { code: 'STORAGE_UNAVAILABLE', requestId: /^.{10}$/ },
    meta: { apiVersion: '0.0.1' },
  });
  t.equal(front.running.front.counters().closedWithoutLeader, 1);
  t.equal(front.running.front.counters().waitingForLeader, 0);
});

t.test('one who leaves while waiting, and a stop, leave nothing behind', async (t) => {
  const { front } = await three(t);
  const client = await front.running.open();
  client.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  client.destroy();
  await counted(front, 'waitingForLeader', 0);
  await counted(front, 'connectionsOpen', 0);
  const [silent, waiting] = [await front.running.open(), await front.running.open()];
  waiting.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  const closed = [untilClosed(silent), untilClosed(waiting)];
  await front.stop();
  const [nothing, refused] = await Promise.all(closed);
  t.equal(nothing, '');
  t.match(refused, / 503 /);
});

t.test('a front that stops passes on the last answers', async (t) => {
  const { first, front } = await three(t);
  first.follow('self');
  front.follow(first);
  const client = await front.running.open();
  client.write(get('/late'));
  await holds(() => first.late.length === 1);
  const text = untilClosed(client);
  const stopped = front.stop();
  first.late[0]?.();
  await stopped;
  t.match(await text, /from one$/);
  await counted(first, 'tunnelsOpen', 0);
});

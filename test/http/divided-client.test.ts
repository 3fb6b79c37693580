// Clients of a follower that answers reads: who answers each of their requests.

import type { TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import type { LostRequest, RequestFate } from '../../src/http/front/tls-messages.ts';
import { behindHeader, type HttpHandler } from '../../src/platform/http-exchange.ts';
import { Cluster, counted, holds, type Node, type NodeOptions } from './cluster-nodes.ts';
import { serverLimits, until, untilClosed } from './harness.ts';

/** Answers with the name of the node, the request, and the length of its body. */
function telling(name: string): HttpHandler {
  return (request, reply) => {
    const { method, path, body, peer } = request;
    if (name === 'here' && path.startsWith('/leader')) {
      reply.send(421, [], 'not mine');
      return;
    }
    const bytes = path === '/large' ? 'x'.repeat(300_000) : '';
    reply.send(200, [], `${name} ${method} ${path} ${body.length} ${peer.address} ${bytes}.`);
  };
}

async function pair(t: Test, following: NodeOptions = {}) {
  const cluster = await Cluster.make(t);
  const one = await cluster.identity('one');
  const two = await cluster.identity('two');
  const leader = await cluster.node(one, { handler: telling('there') });
  const options = { answersReads: true, handler: telling('here'), ...following };
  const follower = await cluster.node(two, options);
  leader.follow('self');
  follower.follow(leader);
  const client = await follower.running.open();
  return { cluster, leader, follower, client };
}

/** As the listeners do it when their node is about to end. */
function leave({ running: { server, front } }: Node): void {
  server.isLeaving = true;
  front.leave();
}

function requestOf(method: string, path: string, body = ''): string {
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** The body of the answer. */
async function ask(client: TLSSocket, method: string, path: string, body = ''): Promise<string> {
  client.write(requestOf(method, path, body));
  const text = await until(client, (text) => text.endsWith('.'));
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

t.test('a read is answered here, what is not is the leader’s, on one connection', async (t) => {
  const { leader, follower, client } = await pair(t);
  for (let round = 0; round < 3; round++) {
    t.equal(await ask(client, 'GET', '/a'), 'here GET /a 0 127.0.0.1 .');
    t.equal(await ask(client, 'GET', '/leader'), 'there GET /leader 0 127.0.0.1 .');
    t.equal(await ask(client, 'POST', '/b', 'body'), 'there POST /b 4 127.0.0.1 .');
    t.equal(
      (await ask(client, 'GET', '/large')).length,
      'here GET /large 0 127.0.0.1 .'.length + 300_000,
    );
  }
  t.equal(leader.running.front.counters().tunnelsOpen, 1, 'one tunnel for all');
  t.equal(follower.running.front.counters().connectionsOpen, 1);
  client.destroy();
  await counted(leader, 'tunnelsOpen', 0);
  await counted(follower, 'connectionsOpen', 0);
  t.equal(follower.running.front.counters().closedByClient, 1);
  t.same([...leader.running.failures, ...follower.running.failures], []);
});

t.test('a HEAD has no body here nor there', async (t) => {
  const { client } = await pair(t);
  for (const path of ['/a', '/leader']) {
    client.write(`HEAD ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    t.match(await until(client, (text) => text.endsWith('\r\n\r\n')), /^HTTP\/1.1 200/);
    t.match(await ask(client, 'GET', path), /GET/);
  }
});

t.test('a body that comes in pieces is the leader’s', async (t) => {
  const { client } = await pair(t);
  const body = 'x'.repeat(40_000);
  const text = requestOf('PUT', '/c', body);
  const answer = until(client, (text) => text.endsWith('.'));
  for (let at = 0; at < text.length; at += 9000) {
    client.write(text.slice(at, at + 9000));
    await new Promise((resolve) => client.once('drain', resolve).emit('drain'));
  }
  t.match(await answer, /there PUT \/c 40000 /);
  client.write(requestOf('GET', '/a', 'body of a read'));
  t.match(await until(client, (text) => text.endsWith('.')), /here GET \/a 14 /);
});

t.test('a head as long as it may be is passed on with its name', async (t) => {
  const { client } = await pair(t);
  const [begin, end] = ['POST /a HTTP/1.1\r\nHost: a\r\nX: ', '\r\n\r\n'];
  const filler = 'x'.repeat(serverLimits.headerBytesMax - begin.length - end.length);
  client.write(begin + filler + end);
  t.match(await until(client, (text) => text.endsWith('.')), /there POST/);
});

t.test('requests that do not wait for answers are answered in their order', async (t) => {
  const { client } = await pair(t);
  const some = [requestOf('GET', '/1'), requestOf('POST', '/2', 'b'), requestOf('GET', '/3')];
  client.write(some.join(''));
  const answers = await until(client, (text) => text.split(' .').length === 4);
  t.same(answers.match(/there \w+ \S+/g), ['there GET /1', 'there POST /2', 'there GET /3']);
  t.match(await ask(client, 'GET', '/4'), /there GET/, 'it is the leader’s from then on');
});

t.test('a request behind one that is being answered waits for it', async (t) => {
  const held: (() => void)[] = [];
  const handler: HttpHandler = (request, reply) => {
    const { path } = request;
    const answer = () => reply.send(200, [], `here ${path} .`);
    if (path === '/slow') held.push(answer);
    else answer();
  };
  const { client } = await pair(t, { handler });
  client.write(requestOf('GET', '/slow'));
  await holds(() => held.length === 1);
  client.write(requestOf('GET', '/next'));
  client.write(requestOf('POST', '/last'));
  held[0]?.();
  const answers = await until(client, (text) => text.split(' .').length === 4);
  t.same(answers.match(/(here|there POST) \/\w+/g), [
    'here /slow',
    'here /next',
    'there POST /last',
  ]);
});

t.test('a fault of the framing is answered here, and ends the connection', async (t) => {
  const { client } = await pair(t);
  t.match(await ask(client, 'GET', '/a'), /^here/);
  client.write('GET /a HTTP/1.1\r\n\r\n');
  t.match(await untilClosed(client), /^HTTP\/1.1 400 .*host/is);
});

t.test('a client that wants its connection closed has it closed', async (t) => {
  const { follower } = await pair(t);
  for (const [path, name] of [
    ['/a', 'here'],
    ['/leader', 'there'],
  ] as const) {
    const client = await follower.running.open();
    client.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    t.match(await untilClosed(client), name);
  }
});

t.test('reads are answered while nobody leads, and everything once this node does', async (t) => {
  const { leader, follower, client } = await pair(t);
  t.match(await ask(client, 'POST', '/a'), /^there/);
  follower.follow('nobody');
  await counted(leader, 'tunnelsOpen', 0);
  t.match(await ask(client, 'GET', '/a'), /^here/);
  const waiting = ask(client, 'POST', '/b');
  await counted(follower, 'waitingForLeader', 1);
  follower.follow(leader);
  t.match(await waiting, /^there POST \/b/);
  follower.follow('self');
  await counted(leader, 'tunnelsOpen', 0);
  t.match(await ask(client, 'POST', '/c'), /^here POST/);
  t.match(await ask(client, 'GET', '/d'), /^here GET/);
});

t.test(
  'the leader has so many reads of a node that is behind, and the rest are refused',
  async (t) => {
    const held: (() => void)[] = [];
    const cluster = await Cluster.make(t);
    const [one, two] = [await cluster.identity('one'), await cluster.identity('two')];
    const leader = await cluster.node(one, {
      handler: ({ path }, reply) => void held.push(() => reply.send(200, [], `there ${path} .`)),
    });
    const follower = await cluster.node(two, {
      answersReads: true,
      front: { readsBehindMax: 2 },
      handler: ({ path }, reply) => reply.send(421, path === '/leader' ? [] : [behindHeader], ''),
    });
    leader.follow('self');
    follower.follow(leader);
    const clients = await Promise.all([0, 1, 2, 3].map(() => follower.running.open()));
    const [first, second, third, other] = clients;
    if (!first || !second || !third || !other) throw new Error('no clients');
    const answers = [ask(first, 'GET', '/a')];
    second.write(requestOf('GET', '/b'));
    await holds(() => held.length === 2);
    await counted(follower, 'readsBehind', 2);
    third.write(requestOf('GET', '/c'));
    const refused = await until(third, (text) => text.endsWith('}}'));
    t.match(refused, /^HTTP\/1.1 503 .*Retry-After: 2.*too far behind/s);
    third.write(requestOf('HEAD', '/c'));
    t.match(await until(third, (text) => text.endsWith('\r\n\r\n')), /^HTTP\/1.1 503 /);
    answers.push(ask(other, 'GET', '/leader'));
    await holds(() => held.length === 3);
    second.destroy();
    await counted(follower, 'readsBehind', 1);
    answers.push(ask(third, 'GET', '/d'));
    await holds(() => held.length === 4);
    for (const answer of held.splice(0)) answer();
    t.same(await Promise.all(answers), ['there /a .', 'there /leader .', 'there /d .']);
    await counted(follower, 'readsBehind', 0);
  },
);

t.test('answers ask clients of a node that is about to end to leave, and no others', async (t) => {
  const { leader, follower, client } = await pair(t);
  const other = await follower.running.open();
  const own = await leader.running.open();
  t.match(await ask(client, 'POST', '/a'), /^there/);
  leave(leader);
  client.write(requestOf('POST', '/b'));
  t.notMatch(await until(client, (text) => text.endsWith('.')), /connection: close/i);
  own.write(requestOf('GET', '/c'));
  t.match(await until(own, (text) => text.endsWith('.')), /\r\nconnection: close\r\n/i);
  leave(follower);
  for (const [leaving, method] of [
    [client, 'POST'],
    [other, 'GET'],
  ] as const) {
    leaving.write(requestOf(method, '/d'));
    const answer = await untilClosed(leaving);
    t.match(answer, /^HTTP\/1.1 200 OK\r\n/);
    t.equal(answer.match(/connection: close/gi)?.length, 1, answer);
  }
});

t.test('an idle client is closed when its node ends', async (t) => {
  const { follower, client } = await pair(t);
  t.match(await ask(client, 'POST', '/a'), /^there/);
  const closed = untilClosed(client);
  await follower.stop();
  t.equal(await closed, '');
});

/** Three nodes: one that leads, one that may lead next, and one with a client. */
async function takeover(t: Test) {
  const cluster = await Cluster.make(t);
  const names = ['one', 'two', 'three'] as const;
  const [one, two, three] = await Promise.all(names.map((name) => cluster.identity(name)));
  if (one === undefined || two === undefined || three === undefined) throw new Error('no nodes');
  /** Requests that the first leader has, and their ids. */
  const taken: { readonly path: string; readonly id: string; answer(): void }[] = [];
  const handler: HttpHandler = (request, reply) => {
    const id = request.peer.namesRequests === true ? request.header('edge-request-id') : '';
    const answer = () => reply.send(200, [], `first ${request.path} .`);
    if (request.path === '/quick') answer();
    else if (request.path === '/begun') reply.open(200, []).write('some');
    else taken.push({ path: request.path, id, answer });
  };
  const first = await cluster.node(one, { handler });
  const second = await cluster.node(two, { handler: telling('second') });
  const follower = await cluster.node(three, { answersReads: true, handler: telling('here') });
  const lost: LostRequest[] = [];
  const fates: ((fate: RequestFate) => void)[] = [];
  follower.running.front.onLost((request, then) => {
    lost.push(request);
    fates.push(then);
  });
  first.follow('self');
  follower.follow(first);
  const client = await follower.running.open();
  const next = () => {
    second.follow('self');
    follower.follow(second);
  };
  return { first, second, follower, client, taken, lost, fates, next };
}

t.test('an idle client does not notice that another node leads', async (t) => {
  const { first, client, next } = await takeover(t);
  t.match(await ask(client, 'POST', '/quick'), /^first/);
  await first.stop();
  next();
  t.match(await ask(client, 'POST', '/a'), /^second POST/);
  t.match(await ask(client, 'GET', '/b'), /^here GET/);
});

t.test('a write of a former leader is sent again if it was not done', async (t) => {
  const { client, taken, lost, fates, next } = await takeover(t);
  const answer = ask(client, 'POST', '/a?b=c', 'body');
  await holds(() => taken.length === 1);
  t.match(taken[0]?.id, /^[\w.-]{10}$/);
  next();
  await holds(() => lost.length === 1);
  t.same(lost[0], { method: 'POST', path: '/a', requestId: taken[0]?.id, term: 1 });
  fates[0]?.('again');
  t.match(await answer, /^second POST \/a 4 /);
  t.match(await ask(client, 'PUT', '/b'), /^second PUT/, 'the same connection');
});

t.test('a write of which nobody knows is answered so, on the same connection', async (t) => {
  const { client, taken, fates, next } = await takeover(t);
  client.write(requestOf('POST', '/a'));
  const answer = until(client, (text) => text.includes('}}'));
  await holds(() => taken.length === 1);
  next();
  await holds(() => fates.length === 1);
  fates[0]?.('unknown');
  const text = await answer;
  t.match(text, /^HTTP\/1.1 503 .*OUTCOME_UNKNOWN/s);
  t.notMatch(text, /Connection: close/);
  t.match(await ask(client, 'PUT', '/b'), /^second PUT/);
});

t.test('the old leader’s answer counts for a moment, and then no more', async (t) => {
  const { client, taken, fates, next, lost } = await takeover(t);
  const answer = ask(client, 'POST', '/a');
  await holds(() => taken.length === 1);
  next();
  taken[0]?.answer();
  t.match(await answer, /^first \/a/);
  t.match(await ask(client, 'PUT', '/b'), /^second PUT/);
  t.same(lost, []);
  t.equal(fates.length, 0);
});

t.test('a request that has not arrived as a whole is the next leader’s', async (t) => {
  const { first, client, taken, next, lost } = await takeover(t);
  const whole = requestOf('POST', '/a', 'x'.repeat(20));
  client.write(whole.slice(0, -10));
  await counted(first, 'tunnelsOpen', 1);
  next();
  await counted(first, 'tunnelsOpen', 0);
  client.write(whole.slice(-10));
  t.match(await until(client, (text) => text.endsWith('.')), /second POST \/a 20 /);
  t.same([taken, lost], [[], []]);
});

t.test('an answer that has begun ends with its leader, and so does the connection', async (t) => {
  const { client, next } = await takeover(t);
  client.write(requestOf('POST', '/begun'));
  await until(client, (text) => text.includes('some'));
  next();
  await untilClosed(client);
});

t.test('the name of a request is the node’s to give', async (t) => {
  const { client, taken, first } = await takeover(t);
  const named = 'POST /a HTTP/1.1\r\nEdge-Request-Id: of-client1\r\nHost: a\r\n\r\n';
  client.write(named);
  await holds(() => taken.length === 1);
  t.match(taken[0]?.id, /^[\w.-]{10}$/);
  t.not(taken[0]?.id, 'of-client1');
  const direct = await first.running.open();
  direct.write(named);
  await holds(() => taken.length === 2);
  t.equal(taken[1]?.id, '');
});

t.test('without a leader each request is answered so, and the connection stays', async (t) => {
  const { follower } = await pair(t, { leaderWaitMs: 0, front: { silentTimeoutMs: 200 } });
  follower.follow('nobody');
  const client = await follower.running.open();
  client.write('HEAD /leader HTTP/1.1\r\nHost: a\r\n\r\n');
  t.match(await until(client, (text) => text.endsWith('\r\n\r\n')), /^HTTP\/1.1 503 /);
  client.write(requestOf('POST', '/a'));
  t.match(await until(client, (text) => text.endsWith('}}')), /^HTTP\/1.1 503 /);
  const both = until(client, (text) => text.split('}}').length === 3);
  client.write(requestOf('POST', '/b'));
  client.write(requestOf('POST', '/c'));
  t.same((await both).match(/HTTP\/1.1 \d+/g), ['HTTP/1.1 503', 'HTTP/1.1 503']);
  t.match(await ask(client, 'GET', '/d'), /^here GET/);
});

t.test('a request that wants the connection closed is answered before that', async (t) => {
  const held: (() => void)[] = [];
  const handler: HttpHandler = ({ path }, reply) => {
    const answer = () => reply.send(200, [], `here ${path} .`);
    if (path === '/slow') held.push(answer);
    else answer();
  };
  const { follower } = await pair(t, { handler });
  const client = await follower.running.open();
  client.write(requestOf('GET', '/slow'));
  await holds(() => held.length === 1);
  client.write('GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await new Promise((resolve) => setImmediate(resolve));
  held[0]?.();
  t.match(await untilClosed(client), /here \/slow .*here \/last/s);
});

t.test(
  'a body for which the leader does not wait is sent once more, and then no more',
  async (t) => {
    const cluster = await Cluster.make(t);
    const [one, two] = [await cluster.identity('one'), await cluster.identity('two')];
    const server = { bodyTimeoutMs: 100 };
    const leader = await cluster.node(one, { handler: telling('there'), server });
    const follower = await cluster.node(two, { answersReads: true, handler: telling('here') });
    leader.follow('self');
    follower.follow(leader);
    const client = await follower.running.open();
    client.write(requestOf('POST', '/a', 'x'.repeat(20)).slice(0, -10));
    await untilClosed(client);
    await counted(leader, 'tunnelsOpen', 0);
    t.equal(leader.running.server.counters.requests, 2);
  },
);

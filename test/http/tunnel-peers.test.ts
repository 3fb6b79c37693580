// The internal listener of a leader: who may connect, and peers that misbehave.

import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect } from 'node:tls';
import t, { type Test } from 'tap';
import { encodeTunnelPreface } from '../../src/http/front/cluster/tunnel-preface.ts';
import { tunnelBounds } from '../../src/http/front/cluster/tunnel-settings.ts';
import { anotherLook } from '../real-waits.ts';
import { issue } from './certificates.ts';
import { Cluster, counted, holds, type Identity, type Node } from './cluster-nodes.ts';
import { get, untilClosed } from './harness.ts';

/** A leader, and the certificate of another member. */
async function leading(t: Test, options: Parameters<Cluster['node']>[1] = {}) {
  const cluster = await Cluster.make(t);
  const one = await cluster.identity('one');
  const two = await cluster.identity('two');
  const leader = await cluster.node(one, options);
  leader.follow('self');
  return { cluster, leader, two };
}

function tunnel(session: ClientHttp2Session, more: Record<string, string> = {}): ClientHttp2Stream {
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'controller', ...more });
  stream.on('error', () => {});
  return stream;
}

async function statusOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  const [headers] = (await once(stream, 'response')) as [
    IncomingHttpHeaders & { ':status'?: number },
  ];
  return headers[':status'];
}

async function ready(session: ClientHttp2Session): Promise<void> {
  await once(session, 'remoteSettings');
}

const preface = encodeTunnelPreface({
  protocol: 'requests',
  address: '192.0.2.7',
  certificates: [],
});

/** A whole tunnel with one request. */
async function stillServes(cluster: Cluster, leader: Node, identity: Identity): Promise<void> {
  const session = cluster.session(leader, identity);
  const stream = tunnel(session);
  stream.write(preface);
  if ((await statusOf(stream)) !== 200) throw new Error('no tunnel');
  stream.write(get('/'));
  let text = '';
  stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await holds(() => text.endsWith('hello'));
  session.destroy();
}

/** Resolves when a session is gone, whatever the way. */
function gone(session: ClientHttp2Session): Promise<void> {
  if (session.destroyed) return Promise.resolve();
  // `once` would reject at a reset, which is one of the ways.
  return new Promise((resolve) => session.once('close', () => resolve()));
}

t.test('only members of this cluster are let in', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const stranger = await cluster.identity('stranger', false);
  const foreign = await (await Cluster.make(t, 'foreign')).identity('two');
  const root = await issue('root', { authority: true });
  const unknown = await issue('two', { issuer: root });
  const home: Identity = {
    ...two,
    certificates: {
      ...two.certificates,
      pair: { certificate: unknown.certificate, key: unknown.key },
    },
  };
  const strangers = [
    stranger,
    { ...foreign, certificates: { ...foreign.certificates, anchors: two.certificates.anchors } },
    home,
  ];
  for (const [index, identity] of strangers.entries()) {
    const session = cluster.session(leader, identity);
    const stream = tunnel(session);
    let answers = 0;
    stream.on('response', () => (answers += 1));
    await gone(session);
    t.equal(answers, 0);
    await counted(leader, 'nodesRefused', index + 1);
  }
  const plain = connect({
    port: leader.running.front.clusterPort,
    host: '127.0.0.1',
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
  });
  await untilClosed(plain);
  await counted(leader, 'nodesRefused', 4);
  const { certificate: cert, key } = two.certificates.pair;
  const other = { port: leader.running.front.clusterPort, rejectUnauthorized: false, cert, key };
  await untilClosed(connect({ ...other, ALPNProtocols: ['http/1.1'] }));
  await counted(leader, 'nodesRefused', 5);
  await untilClosed(connect(other));
  await counted(leader, 'nodesRefused', 6);
  t.equal(leader.running.front.counters().nodeConnectionsOpen, 0);
  await stillServes(cluster, leader, two);
});

t.test('a front does not speak to another node than the leader', async (t) => {
  const cluster = await Cluster.make(t);
  const one = await cluster.identity('one');
  const two = await cluster.identity('two');
  const leader = await cluster.node(one);
  const front = await cluster.node(two);
  leader.follow('self');
  const { place } = leader.leading.who === 'other' ? leader.leading : { place: undefined };
  if (place === undefined) return;
  const client = await front.running.open();
  client.write(get('/'));
  await counted(front, 'waitingForLeader', 1);
  for (const wrong of [
    { ...place, id: 'two' },
    { ...place, fingerprint: two.key.fingerprint },
  ]) {
    front.running.front.lead({ who: 'other', place: wrong });
    const { leaderConnectionsFailed: before } = front.running.front.counters();
    await holds(() => front.running.front.counters().leaderConnectionsFailed >= before + 4);
  }
  t.equal(leader.running.front.counters().tunnelsOpen, 0);
  const answer = untilText(client);
  front.follow(leader);
  t.match(await answer, /hello$/);
  client.destroy();
});

function untilText(client: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    client.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.endsWith('hello')) resolve(text);
    });
  });
}

t.test('a removed node is cut off at once, and the others stay', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const three = await cluster.identity('three');
  leader.running.front.replaceMembers(cluster.members);
  const removed = cluster.session(leader, two);
  const stays = cluster.session(leader, three);
  await Promise.all([ready(removed), ready(stays)]);
  const stream = tunnel(removed);
  stream.write(preface);
  t.equal(await statusOf(stream), 200);
  const closed = gone(removed);
  leader.running.front.replaceMembers(cluster.members.filter(({ id }) => id !== 'two'));
  await closed;
  await counted(leader, 'tunnelsOpen', 0);
  const again = cluster.session(leader, two);
  await gone(again);
  await counted(leader, 'nodesRefused', 1);
  const other = tunnel(stays);
  other.write(preface);
  t.equal(await statusOf(other), 200);
});

t.test('a renewed certificate is shown to nodes that connect later', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const three = await cluster.identity('three');
  leader.running.front.renewNode(three.certificates);
  const subject = async () => {
    const socket = connect({
      port: leader.running.front.clusterPort,
      ca: two.certificates.anchors,
      cert: two.certificates.pair.certificate,
      key: two.certificates.pair.key,
      ALPNProtocols: ['h2'],
      checkServerIdentity: () => undefined,
    });
    await once(socket, 'secureConnect');
    const { CN } = socket.getPeerCertificate().subject;
    socket.destroy();
    return CN;
  };
  // The worker may have taken the connection before the message.
  while ((await subject()) !== 'three') await anotherLook();
  t.throws(() =>
    leader.running.front.renewNode({
      ...three.certificates,
      pair: { ...three.certificates.pair, key: two.certificates.pair.key },
    }),
  );
});

t.test('streams that are no tunnels are refused one by one', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const session = cluster.session(leader, two);
  await ready(session);
  const wrong = session.request({ ':method': 'GET', ':path': '/' });
  wrong.on('error', () => {});
  t.equal(await statusOf(wrong), 405);
  const bad = [
    Buffer.from('ffffffff00', 'hex'),
    Buffer.from('0100000009', 'hex'),
    Buffer.from(get('/')),
    encodeTunnelPreface({ protocol: 'control', address: '192.0.2.7', certificates: [] }),
    encodeTunnelPreface({ protocol: 'requests', address: 'nowhere', certificates: [] }),
  ];
  for (const [index, bytes] of bad.entries()) {
    const stream = tunnel(session);
    stream.write(bytes);
    await once(stream, 'close');
    t.equal(stream.rstCode, constants.NGHTTP2_CANCEL);
    await counted(leader, 'tunnelsMalformed', index + 1);
  }
  // Half of the first bytes, and then the end, a reset or a lost connection.
  const ended = tunnel(session);
  ended.end(preface.subarray(0, 9));
  const reset = tunnel(session);
  reset.write(preface.subarray(0, 3));
  reset.close(constants.NGHTTP2_CANCEL);
  await once(reset, 'close');
  const lost = cluster.session(leader, two);
  tunnel(lost).write(preface.subarray(0, 12));
  await ready(lost);
  lost.destroy();
  await counted(leader, 'nodeConnectionsOpen', 1);
  t.equal(leader.running.front.counters().tunnelsOpen, 0);
  t.equal(session.destroyed, false);
  await stillServes(cluster, leader, two);
});

t.test('giant headers end a stream or its connection, and no other one', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const other = cluster.session(leader, two);
  await ready(other);
  const session = cluster.session(leader, two, { maxSendHeaderBlockLength: 2 ** 24 });
  await ready(session);
  for (const size of [4_000, 60_000, 2_000_000]) {
    if (session.destroyed) break;
    const stream = tunnel(session, { 'x-wide': 'w'.repeat(size) });
    let answers = 0;
    stream.on('response', ({ ':status': status }) => {
      if (status === 200) answers += 1;
    });
    await new Promise((resolve) => stream.on('close', resolve));
    t.equal(answers, 0, `${size} bytes`);
  }
  const stream = tunnel(other);
  stream.write(preface);
  t.equal(await statusOf(stream), 200);
});

t.test('thousands of resets in a row disturb nobody', async (t) => {
  const { cluster, leader, two } = await leading(t, { front: { connectionsMax: 4000 } });
  const session = cluster.session(leader, two);
  await ready(session);
  for (let batch = 0; batch < 30; batch += 1) {
    const streams = Array.from({ length: 100 }, () => tunnel(session));
    for (const stream of streams) {
      stream.write(preface);
      stream.close(constants.NGHTTP2_CANCEL);
    }
    await Promise.all(streams.map((stream) => once(stream, 'close')));
  }
  await counted(leader, 'tunnelsOpen', 0);
  t.equal(session.destroyed, false);
  await stillServes(cluster, leader, two);
});

t.test('silent peers keep no member out', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const silent: Socket[] = [];
  for (let count = 0; count < tunnelBounds.linkHandshakesMax + 8; count += 1) {
    const socket = connectPlain(leader.running.front.clusterPort ?? 0, '127.0.0.1');
    socket.on('error', () => {});
    await once(socket, 'connect');
    silent.push(socket);
  }
  // Others may have taken too long in the meantime.
  await holds(() => leader.running.front.counters().nodesRefused >= 8);
  await stillServes(cluster, leader, two);
  for (const socket of silent) socket.destroy();
});

t.test('bytes that are no HTTP/2 close the connection of a member', async (t) => {
  const { cluster, leader, two } = await leading(t);
  const { certificate: cert, key } = two.certificates.pair;
  const socket = connect({
    port: leader.running.front.clusterPort,
    ca: two.certificates.anchors,
    cert,
    key,
    ALPNProtocols: ['h2'],
    checkServerIdentity: () => undefined,
  });
  await once(socket, 'secureConnect');
  socket.write(get('/'));
  await untilClosed(socket);
  await counted(leader, 'nodeConnectionsOpen', 0);
  await stillServes(cluster, leader, two);
});

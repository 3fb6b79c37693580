// Both ends of the connections between nodes in one thread, with time that a test moves.

import { once } from 'node:events';
import type { ClientHttp2Stream, ServerHttp2Stream } from 'node:http2';
import { createServer, type Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import t, { type Test } from 'tap';
import { ClaimedPorts } from '../../src/http/front/claimed-ports.ts';
import { LeaderLinks } from '../../src/http/front/cluster/leader-links.ts';
import { NodeMembers } from '../../src/http/front/cluster/node-members.ts';
import { TunnelListener } from '../../src/http/front/cluster/tunnel-listener.ts';
import {
  encodeTunnelPreface,
  type TunnelClient,
} from '../../src/http/front/cluster/tunnel-preface.ts';
import { PingWatch, tunnelBounds } from '../../src/http/front/cluster/tunnel-settings.ts';
import { TunneledClient } from '../../src/http/front/cluster/tunneled-client.ts';
import type { LeaderPlace } from '../../src/http/front/tls-messages.ts';
import { isNightly } from '../campaigns.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { freePort } from '../system/free-ports.ts';
import { Cluster, holds } from './cluster-nodes.ts';
import { frontLimits } from './harness.ts';

const client: TunnelClient = { protocol: 'requests', address: '192.0.2.7', certificates: [] };

/** A listener with the links of another node to it. */
async function linked(
  t: Test,
  given: {
    readonly tunnelsPerLinkMax?: number;
    /** Tunnels that each side lets one connection have. */
    readonly connectionsMax?: number;
    /** Clients that the listener has room for. */
    readonly clientsMax?: number;
  } = {},
) {
  const { tunnelsPerLinkMax = tunnelBounds.tunnelsPerLinkMax, connectionsMax = 256 } = given;
  const { clientsMax = Number.POSITIVE_INFINITY } = given;
  const cluster = await Cluster.make(t);
  const here = await cluster.identity('here');
  const there = await cluster.identity('there');
  const third = await cluster.identity('third');
  const clock = new SimulatedClock();
  const counts = new Map<string, number>();
  const count = (name: string, change: number) =>
    void counts.set(name, (counts.get(name) ?? 0) + change);
  const taken: TunnelClient[] = [];
  const streams: ServerHttp2Stream[] = [];
  /** For each of them, what tells its node that an API session was used. */
  const tellers: (() => void)[] = [];
  const listener = new TunnelListener({
    certificates: here.certificates,
    members: new NodeMembers(cluster.trustDomain, cluster.members),
    limits: { ...frontLimits, connectionsMax },
    clock,
    count,
    hasCapacity: () => taken.length < clientsMax,
    accept: (given, stream, reportSessionUse) => {
      taken.push(given);
      tellers.push(reportSessionUse);
      streams.push(stream);
      stream.resume();
      stream.on('end', () => stream.end());
    },
  });
  listener.lead(1);
  const ports = new ClaimedPorts();
  const port = await ports.claim({ host: '127.0.0.1', port: 0 });
  await new Promise<void>((resolve, reject) =>
    listener.listen({ host: '127.0.0.1', port }, resolve, reject),
  );
  ports.release();
  let ready = 0;
  const linksOf = ({ certificates }: typeof there) =>
    new LeaderLinks({
      certificates,
      trustDomain: cluster.trustDomain,
      connectionsMax,
      clock,
      tunnelsPerLinkMax,
      failed: () => count('failed', 1),
      ready: () => (ready += 1),
    });
  const links = linksOf(there);
  /** Of a third node. */
  const others = linksOf(third);
  t.teardown(() => {
    links.stop();
    others.stop();
    listener.stop();
    listener.end();
  });
  const place: LeaderPlace = { ...here.key, address: { host: '127.0.0.1', port } };
  const seen = { taken, streams, tellers, counts, ready: () => ready };
  return { clock, listener, links, others, place, ...seen };
}

function opened(links: LeaderLinks, sessionUsed = () => {}): ClientHttp2Stream {
  const stream = links.open(sessionUsed);
  if (stream === undefined || stream === 'full') throw new Error(`no tunnel: ${stream}`);
  stream.on('error', () => {});
  return stream;
}

t.test('a connection is replaced when it has carried enough tunnels', async (t) => {
  const { links, place, ready, taken, counts } = await linked(t, { tunnelsPerLinkMax: 3 });
  t.equal(
    links.open(() => {}),
    undefined,
    'nobody leads',
  );
  links.lead(place);
  await holds(() => ready() === 2);
  const streams: ClientHttp2Stream[] = [];
  for (let number = 0; number < 6; number += 1) {
    const stream = opened(links);
    stream.write(encodeTunnelPreface(client));
    await once(stream, 'response');
    streams.push(stream);
  }
  await holds(() => ready() === 4);
  t.equal(counts.get('nodeConnectionsOpen'), 4, 'the old ones carry their tunnels on');
  const next = opened(links);
  next.write(encodeTunnelPreface(client));
  await once(next, 'response');
  t.equal(taken.length, 7);
  for (const stream of streams) {
    stream.resume();
    stream.end();
  }
  await holds(() => counts.get('nodeConnectionsOpen') === 2);
  t.equal(counts.get('tunnelsOpen'), 1);
  t.equal(counts.get('failed'), undefined);
});

/** Per connection. With Node's own limit of memory, a connection ended at 11,000. */
const heldTunnels = isNightly ? 12_500 : 1000;

t.test(`a connection holds ${heldTunnels} tunnels at once, and all of them carry on`, async (t) => {
  const { links, place, ready, taken, counts } = await linked(t, {
    connectionsMax: 2 * heldTunnels,
  });
  links.lead(place);
  await holds(() => ready() === tunnelBounds.linksMax);
  const streams: ClientHttp2Stream[] = [];
  for (let number = 0; number < tunnelBounds.linksMax * heldTunnels; number += 1) {
    const stream = opened(links);
    stream.write(encodeTunnelPreface(client));
    streams.push(stream);
    if (number % 500 === 499) await holds(() => taken.length === streams.length);
  }
  t.equal(counts.get('tunnelsOpen'), streams.length);
  const bySession = Map.groupBy(streams, ({ session }) => session);
  t.same(
    [...bySession.values()].map(({ length }) => length),
    [heldTunnels, heldTunnels],
  );
  // Each tunnel ends only behind its last answer.
  for (const stream of streams) {
    stream.resume();
    stream.end();
  }
  await holds(() => counts.get('tunnelsOpen') === 0);
  t.equal(streams.filter(({ rstCode }) => rstCode !== 0).length, 0);
  t.equal(counts.get('nodeConnectionsOpen'), tunnelBounds.linksMax);
  t.equal(ready(), tunnelBounds.linksMax, 'no connection was replaced');
});

t.test('a leader that is not there is tried again, but not all the time', async (t) => {
  const { links, place, clock, listener, counts, ready } = await linked(t);
  const port = await freePort();
  links.lead({ ...place, address: { host: '127.0.0.1', port } });
  await holds(() => counts.get('failed') === 2);
  t.equal(clock.timers, 1);
  clock.advance(tunnelBounds.linkRetryMs);
  await holds(() => counts.get('failed') === 4);
  links.lead(place);
  await holds(() => ready() === 2);
  // A connection that is lost is replaced.
  listener.end();
  await holds(() => clock.timers === 1 && links.open(() => {}) === undefined);
  clock.advance(tunnelBounds.linkRetryMs);
  await holds(() => ready() === 4);
  links.lead(undefined);
  t.equal(clock.timers, 0);
  t.equal(
    links.open(() => {}),
    undefined,
  );
});

t.test('a leader that says nothing is given up', async (t) => {
  const { links, place, clock, counts } = await linked(t);
  const mute: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    mute.push(socket.resume());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  links.lead({ ...place, address: { host: '127.0.0.1', port } });
  await holds(() => mute.length === 2);
  clock.advance(tunnelBounds.linkHandshakeMs - 1);
  links.sweep(1000);
  t.equal(counts.get('failed'), undefined);
  clock.advance(1);
  links.sweep(1000);
  await holds(() => counts.get('failed') === 2);
  for (const socket of mute) socket.destroy();
});

t.test('no tunnel is opened over a connection that was just given up', async (t) => {
  const { links, place, ready } = await linked(t);
  links.lead(place);
  await holds(() => ready() === tunnelBounds.linksMax);
  // The answers to the pings cannot come before this turn ends, nor can the ends of the sockets.
  links.sweep(1000);
  links.sweep(tunnelBounds.pingTimeoutMs);
  t.equal(
    links.open(() => {}),
    undefined,
  );
});

t.test('a tunnel that does not begin is closed', async (t) => {
  const { links, place, clock, listener, ready, taken } = await linked(t);
  links.lead(place);
  await holds(() => ready() === 2);
  const silent = opened(links);
  const half = opened(links);
  half.write(encodeTunnelPreface(client).subarray(0, 7));
  const whole = opened(links);
  whole.write(encodeTunnelPreface(client));
  await once(whole, 'response');
  await holds(() => taken.length === 1);
  const closed = Promise.all([once(silent, 'close'), once(half, 'close')]);
  // The listener may not have seen all of them yet.
  let sweeps = 0;
  const timer = setInterval(() => {
    clock.advance(tunnelBounds.prefaceTimeoutMs);
    listener.sweep(0);
    sweeps += 1;
  }, 1);
  await closed;
  clearInterval(timer);
  t.ok(sweeps > 0);
  t.equal(whole.closed, false);
});

/** A tunnel of which the listener has a part of the first bytes, and a function for the rest. */
async function begun(links: LeaderLinks): Promise<() => Promise<number | undefined>> {
  const stream = opened(links);
  const preface = encodeTunnelPreface(client);
  stream.write(preface.subarray(0, 7));
  // The answer to a ping is behind what was sent before.
  await new Promise((resolve) => stream.session?.ping(resolve));
  return async () => {
    const answer = once(stream, 'response');
    stream.write(preface.subarray(7));
    const [headers] = await answer;
    return headers[':status'];
  };
}

t.test('a tunnel that ends before its first bytes are complete is closed', async (t) => {
  const { links, place, ready, taken } = await linked(t);
  links.lead(place);
  await holds(() => ready() === 2);
  const stream = opened(links);
  stream.resume();
  stream.end(encodeTunnelPreface(client).subarray(0, 7));
  await holds(() => stream.closed);
  t.equal(taken.length, 0);
});

t.test('a node that begins too many tunnels loses its own, and no other node any', async (t) => {
  const most = 6;
  const { links, others, place, ready } = await linked(t, { connectionsMax: most });
  links.lead(place);
  others.lead(place);
  await holds(() => ready() === 4);
  const alone = await begun(others);
  const streams: ClientHttp2Stream[] = [];
  for (let count = 0; count < most; count += 1) {
    const stream = opened(links);
    stream.write(encodeTunnelPreface(client).subarray(0, 7));
    streams.push(stream);
    await new Promise((resolve) => stream.session?.ping(resolve));
  }
  await holds(() => streams[0]?.closed === true);
  const another = await begun(others);
  await holds(() => streams[1]?.closed === true);
  t.equal(await alone(), 200);
  t.equal(await another(), 200);
  t.same(
    streams.map(({ closed }) => closed),
    [true, true, false, false, false, false],
  );
});

t.test('a node is told of the use of an API session in one of its tunnels', async (t) => {
  const { links, place, ready, tellers } = await linked(t);
  links.lead(place);
  await holds(() => ready() === 2);
  const used: number[] = [];
  const streams: ClientHttp2Stream[] = [];
  for (const number of [0, 1, 2]) {
    const stream = opened(links, () => used.push(number));
    stream.write(encodeTunnelPreface(client));
    await once(stream, 'response');
    streams.push(stream);
  }
  for (const number of [1, 1, 2]) tellers[number]?.();
  await holds(() => used.length === 3);
  t.same(used.toSorted(), [1, 1, 2]);
  const [, gone] = streams;
  gone?.close();
  await holds(() => gone?.destroyed === true);
  tellers[1]?.();
  tellers[0]?.();
  await holds(() => used.length === 4);
  t.same(used.toSorted(), [0, 1, 1, 2], 'a tunnel that is gone tells nothing');
});

t.test('a tunnel is refused if the last room was taken while it began', async (t) => {
  const { links, place, ready, taken, counts } = await linked(t, { clientsMax: 1 });
  links.lead(place);
  await holds(() => ready() === 2);
  const first = await begun(links);
  const second = await begun(links);
  t.equal(await first(), 200);
  t.equal(await second(), 503);
  t.equal(taken.length, 1);
  t.equal(counts.get('tunnelsOpen'), 1);
});

t.test('a tunnel is refused if the node ceased to lead while it began', async (t) => {
  const { links, place, ready, taken, listener } = await linked(t);
  links.lead(place);
  await holds(() => ready() === 2);
  const first = await begun(links);
  listener.lead(undefined);
  t.equal(await first(), 421);
  t.equal(taken.length, 0);
});

t.test('a client that leaves without having read leaves no tunnel behind', async (t) => {
  const { links, place, ready, streams, counts } = await linked(t);
  links.lead(place);
  await holds(() => ready() === 2);
  const tunnel = opened(links);
  const [socket, theirs] = duplexPair({ highWaterMark: 1 });
  const owner = {
    seek: (seeking: TunneledClient) => seeking.openThrough(tunnel),
    seekLater: () => t.fail('it has a tunnel'),
    settled: () => {},
    left: () => {},
    count: () => {},
    refusal: () => Buffer.alloc(0),
    headerBytesMax: 8192,
  };
  const { address, certificates } = client;
  const given = { stream: socket, address, certificates, isTunnel: false };
  const tunneled = new TunneledClient(owner, given, 'requests', () => {});
  theirs.write('GET ');
  await holds(() => streams.length === 1);
  streams[0]?.write(Buffer.alloc(60_000));
  await holds(() => tunnel.isPaused());
  streams[0]?.destroy();
  await holds(() => tunnel.closed);
  tunneled.closeFor('closedByClient');
  await holds(() => tunnel.destroyed);
  t.equal(counts.get('tunnelsOpen'), 0);
});

t.test('a machine that does not answer pings is taken for dead', async (t) => {
  const pings: ((error: Error | null) => void)[] = [];
  let destroyed = 0;
  const session = {
    get destroyed() {
      return destroyed > 0;
    },
    ping: (callback: (error: Error | null) => void) => pings.push(callback) > 0,
    destroy: () => void (destroyed += 1),
  };
  const watch = new PingWatch(session);
  for (let round = 0; round < 20; round += 1) {
    watch.sweep(1000);
    t.equal(pings.length, round + 1);
    watch.sweep(1000);
    pings.at(-1)?.(null);
  }
  watch.sweep(1000);
  for (let passedMs = 1000; passedMs < tunnelBounds.pingTimeoutMs; passedMs += 1000) {
    watch.sweep(1000);
  }
  t.equal(destroyed, 0);
  pings.at(-1)?.(new Error('cancelled'));
  watch.sweep(1000);
  t.equal(destroyed, 1);
  watch.sweep(1000);
  t.equal(destroyed, 1);
});

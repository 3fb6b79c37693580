// Links over the fabric API: rows, what an administrator sets, deletion (behaviour/fabric#links).

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { decodeMessage, fabric } from '../../src/channel/messages/messages.ts';
import type { RecordedRouter } from '../simulated/routers.ts';
import { bootLinks } from './links-world.ts';

interface ShownLink {
  readonly id: string;
  readonly cost: number;
  readonly state: string;
}

/** Routers a, b and c with links ab, bc and, as the dear way, ac. */
async function triangle() {
  const world = await bootLinks();
  const [a = '', b = '', c = ''] = await world.routers('a', 'b', 'c');
  const [ra, rb, rc] = [world.listen(a), world.listen(b), world.listen(c)] as const;
  const link = (id: string, destRouterId: string, iteration = 1) => ({
    id,
    destRouterId,
    iteration,
    linkProtocol: 'tls',
    dialAddress: `tls:${id}:6000`,
    connState: {
      conns: [{ type: 'link.default', localAddr: 'tcp:1.1.1.1:1', remoteAddr: 'tcp:2.2.2.2:2' }],
    },
  });
  world.report(ra, [link('ab', b), link('ac', c)]);
  world.report(rb, [link('bc', c)]);
  const millis = (ms: number) => ({ mean: ms * 1e6 });
  const both = (id: string, ms: number) => ({ [`link.${id}.latency`]: millis(ms) });
  world.measure(ra, { ...both('ab', 1), ...both('ac', 50) });
  world.measure(rb, { ...both('ab', 1), ...both('bc', 1) });
  world.measure(rc, { ...both('ac', 50), ...both('bc', 1) });
  await world.network.clock.settle();
  const { network } = world;
  const list = (query = '') => network.must<ShownLink[]>('GET', `F:/links${query}`);
  return { world, network, ids: { a, b, c }, routers: { ra, rb, rc }, link, list };
}

function faultsOf({ channel }: RecordedRouter) {
  return channel.sent
    .splice(0)
    .filter(({ contentType }) => contentType === contentTypes.fault)
    .map(({ body = Buffer.alloc(0) }) => decodeMessage(fabric.Fault, body));
}

t.test('a link as it is shown', async (t) => {
  const { network, ids } = await triangle();
  const { data } = await network.call('GET', 'F:/links/ab');
  const router = (id: string, name: string) => ({
    _links: {
      self: { href: `./routers/${id}` },
      terminators: { href: `./routers/${id}/terminators` },
    },
    entity: 'routers',
    id,
    name,
  });
  t.strictSame(data, {
    id: 'ab',
    protocol: 'tls',
    iteration: 1,
    staticCost: 1,
    down: false,
    sourceLatency: 1e6,
    destLatency: 1e6,
    sourceRouter: router(ids.a, 'a'),
    destRouter: router(ids.b, 'b'),
    state: 'Connected',
    cost: 3,
    connections: [{ type: 'link.default', source: 'tcp:1.1.1.1:1', dest: 'tcp:2.2.2.2:2' }],
  });
  await network.stop();
});

t.test('lists filter, sort and page', async (t) => {
  const { network, ids, list } = await triangle();
  const found = async (query: string) => (await list(query)).map(({ id }) => id).join(' ');
  t.equal(await found(''), 'ab ac bc');
  t.equal(await found('?limit=1&offset=1'), 'ac');
  t.equal(await found('?sort=cost%20desc'), 'ac ab bc');
  t.equal(await found(`?filter=sourceRouter="${ids.b}"`), 'bc');
  t.equal(await found(`?filter=destRouter="${ids.c}"%20and%20cost>10`), 'ac');
  t.equal(await found('?filter=state="Connected"%20and%20protocol="tls"%20limit%202'), 'ab ac');
  t.equal(await found('?filter=dialAddress="tls:bc:6000"'), 'bc');
  for (const name of ['down', 'tags.a', 'createdAt', 'isSystem', 'name']) {
    const answer = await network.call('GET', `F:/links?filter=${name}=1`);
    t.match(answer, { status: 400, code: 'INVALID_FILTER' }, name);
  }
  await network.stop();
});

t.test('a static cost and down count for paths at once', async (t) => {
  const { world, network, ids } = await triangle();
  const patch = (body: unknown) => network.call('PATCH', 'F:/links/ab', { body });
  t.equal(world.find(ids.a, ids.c), 'ab bc');
  t.match(await patch({ staticCost: 65_535 }), { status: 200 });
  await network.advance(1000);
  t.match(world.link('ab'), { staticCost: 65_535, down: false });
  t.equal(world.find(ids.a, ids.c), 'ac');
  t.match(await patch({ staticCost: 0 }), { status: 200 });
  t.match(await patch({ down: true }), { status: 200 });
  t.match(world.link('ab'), { staticCost: 0, down: true, state: 'connected' });
  await network.advance(1000);
  t.equal(world.find(ids.a, ids.b), 'ac bc');
  t.match(await patch({}), { status: 200 });
  t.match(world.link('ab'), { staticCost: 0, down: true });
  t.match(await patch({ down: false }), { status: 200 });
  await network.advance(1000);
  t.equal(world.find(ids.a, ids.b), 'ab');
  for (const staticCost of [-1, 65_536, 1.5]) {
    t.match(await patch({ staticCost }), { status: 400, cause: { field: 'staticCost' } });
  }
  t.match(await patch({ down: 'yes' }), { status: 400, cause: { field: 'down' } });
  t.match(world.link('ab'), { staticCost: 0, down: false });
  await network.stop();
});

t.test('both values survive another dial, and end with the link', async (t) => {
  const { world, network, ids, routers, link } = await triangle();
  await network.must('PATCH', 'F:/links/ab', { staticCost: 7, down: true });
  world.report(routers.ra, [link('ab', ids.b, 2)]);
  t.match(world.link('ab'), { staticCost: 7, down: true, iteration: 2 });
  await network.must('DELETE', 'F:/links/ab');
  world.report(routers.ra, [link('ab', ids.b, 3)]);
  t.match(world.link('ab'), { staticCost: 1, down: false, iteration: 3, state: 'connected' });
  await network.stop();
});

t.test('both routers are told of a link that is deleted', async (t) => {
  const { world, network, routers } = await triangle();
  const { ra, rb, rc } = routers;
  for (const router of [ra, rb, rc]) faultsOf(router);
  t.match(await network.call('DELETE', 'F:/links/ab'), { status: 200 });
  t.equal(world.link('ab'), undefined);
  const fault = { subject: fabric.FaultSubject.LINK_FAULT, id: 'ab', iteration: 1 };
  t.match([faultsOf(ra), faultsOf(rb), faultsOf(rc)], [[fault], [fault], []]);
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const answer = await network.call(
      method,
      'F:/links/ab',
      method === 'PATCH' ? { body: {} } : {},
    );
    t.match(answer, { status: 404, code: 'NOT_FOUND' }, method);
  }
  await network.stop();
});

t.test('links that go with their router are no news', async (t) => {
  const { network, ids, routers } = await triangle();
  faultsOf(routers.rb);
  await network.must('DELETE', `F:/routers/${ids.a}`);
  t.same(faultsOf(routers.rb), []);
  await network.stop();
});

t.test('an id that holds anything is shown, and found by it', async (t) => {
  const { world, network, ids, routers, link, list } = await triangle();
  const id = '"},/\\{%';
  world.report(routers.ra, [link(id, ids.b)]);
  t.ok((await list()).some((one) => one.id === id));
  const at = `F:/links/${encodeURIComponent(id)}`;
  t.match(await network.call('GET', at), { status: 200, data: { id } });
  t.match(await network.call('DELETE', at), { status: 200 });
  await network.stop();
});

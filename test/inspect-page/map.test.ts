// The map without its picture: what the stream tells, how everything is doing, and what is drawn.

import t from 'tap';
import type { MapCircuit, MapLink, MapRouter, MapRow } from '../../src/inspect/messages.ts';
import { drawingOf, drawnMax, noAttribute } from '../../src/inspect/page/map/drawing.ts';
import {
  afterCircuits,
  afterRows,
  type Fabric,
  noFabric,
} from '../../src/inspect/page/map/fabric.ts';
import { countsOf, overviewOf } from '../../src/inspect/page/map/overview.ts';
import { conditionChoices, selected } from '../../src/inspect/page/map/selection.ts';

const machines = {
  presence: { meanings: { online: 'good', offline: 'bad', syncing: 'waiting' } },
  link: { meanings: { connected: 'good', pending: 'waiting', failed: 'bad', duplicate: 'over' } },
} as const;

function router(id: string, more: Partial<MapRouter> = {}): MapRouter {
  return {
    kind: 'router',
    id,
    name: `router ${id}`,
    state: 'online',
    isEnrolled: true,
    isDisabled: false,
    isQuiesced: false,
    group: '',
    cost: 0,
    noTraversal: false,
    circuits: 0,
    version: 'v2.1.0',
    address: '10.0.0.1',
    closeReason: '',
    sinceMs: 1,
    ...more,
  };
}

function link(id: string, from: string, to: string, more: Partial<MapLink> = {}): MapLink {
  return {
    kind: 'link',
    id,
    from,
    to,
    state: 'connected',
    isDown: false,
    cost: 4,
    staticCost: 1,
    fromMs: 1,
    toMs: 2,
    protocol: 'tls',
    circuits: 0,
    sinceMs: 1,
    ...more,
  };
}

interface Told {
  readonly isFirst?: boolean;
  readonly isWhole?: boolean;
  readonly gone?: readonly Pick<MapRow, 'kind' | 'id'>[];
}

function told(fabric: Fabric, rows: readonly MapRow[], more: Told = {}): Fabric {
  const message = { isFirst: false, isWhole: true, gone: [], ...more };
  return afterRows(fabric, { type: 'map', rows, ...message }, 1000);
}

const fabricOf = (...rows: readonly MapRow[]) => told(noFabric, rows, { isFirst: true });
const overview = (...rows: readonly MapRow[]) => overviewOf(fabricOf(...rows), machines);

t.test('nothing is shown before all was told', async (t) => {
  const some = told(noFabric, [router('a')], { isFirst: true, isWhole: false });
  t.match(some, { isWhole: false });
  t.equal(some.routers.size, 0);
  const all = told(some, [router('b'), link('l', 'a', 'b')]);
  t.ok(all.isWhole);
  t.strictSame([...all.routers.keys(), ...all.links.keys()], ['a', 'b', 'l']);
  const again = told(all, [router('a')], { isFirst: true, isWhole: false });
  t.equal(again.routers.size, 2, 'what was known stays until then');
  t.strictSame([...told(again, []).routers.keys()], ['a']);
});

t.test('changes, and links that went away', async (t) => {
  const before = fabricOf(router('a'), router('b'), link('l', 'a', 'b'), link('m', 'a', 'x'));
  const gone = [
    { kind: 'link', id: 'l' },
    { kind: 'link', id: 'm' },
    { kind: 'link', id: 'z' },
  ] as const;
  const after = told(before, [router('a', { state: 'offline' })], { gone });
  t.equal(after.routers.get('a')?.state, 'offline');
  t.equal(before.routers.get('a')?.state, 'online', 'a value');
  t.match(after.lost, [
    { link: { id: 'l' }, fromName: 'router a', toName: 'router b', atMs: 1000 },
    { link: { id: 'm' }, toName: 'x' },
  ]);
  t.match(told(after, [link('l', 'a', 'b')]).lost, [{ link: { id: 'm' } }], 'one is back');
  const duplicate = told(before, [link('l', 'a', 'b', { state: 'duplicate' })]);
  t.strictSame(told(duplicate, [], { gone: gone.slice(0, 1) }).lost, [], 'nobody misses it');
});

t.test('circuits of another service than the chosen one come too late', async (t) => {
  const message = { type: 'circuits', serviceId: 's', circuits: [], total: 0 } as const;
  t.equal(afterCircuits(noFabric, message, 'other'), noFabric);
  t.strictSame(afterCircuits(noFabric, message, 's').circuits, {
    serviceId: 's',
    circuits: [],
    total: 0,
  });
});

t.test('conditions in words, the worst first, then by name', async (t) => {
  const { routers, links } = overview(
    router('a'),
    router('b'),
    router('c', { state: 'offline' }),
    router('d', { state: 'offline', isEnrolled: false }),
    router('e', { isDisabled: true, state: 'offline' }),
    router('f', { isQuiesced: true }),
    router('g'),
    link('l', 'a', 'b'),
    link('m', 'b', 'f', { state: 'failed', isDown: true }),
    link('n', 'a', 'f', { isDown: true }),
    link('o', 'b', 'unknown', { state: 'pending' }),
  );
  t.strictSame(
    routers.map(({ router: { id }, meaning, text, links: own }) => [id, meaning, text, own]),
    [
      ['c', 'bad', 'offline', 0],
      ['d', 'waiting', 'not enrolled', 0],
      ['f', 'waiting', 'online, quiesced', 0],
      ['g', 'waiting', 'online, no link', 0],
      ['a', 'good', 'online', 1],
      ['b', 'good', 'online', 1],
      ['e', 'over', 'disabled', 0],
    ],
  );
  t.strictSame(
    links.map(({ link: { id }, meaning, text, toName }) => [id, meaning, text, toName]),
    [
      ['m', 'bad', 'failed', 'router f'],
      ['n', 'waiting', 'connected, taken down', 'router f'],
      ['o', 'waiting', 'pending', 'unknown'],
      ['l', 'good', 'connected', 'router b'],
    ],
  );
  t.strictSame(
    countsOf(routers).map(({ text, count }) => `${count} ${text}`),
    [
      '1 offline',
      '1 not enrolled',
      '1 online, quiesced',
      '1 online, no link',
      '2 online',
      '1 disabled',
    ],
  );
});

t.test('a single router needs no link', async (t) => {
  t.match(overview(router('a'), router('b', { state: 'offline' })).routers[1], { text: 'online' });
});

t.test('what tables show', async (t) => {
  const all = overview(
    router('a', { group: 'north' }),
    router('b', { group: 'south', state: 'offline', address: '192.0.2.7' }),
    link('l', 'a', 'b', { state: 'failed' }),
    link('m', 'b', 'b'),
  );
  const ids = (selection: Partial<Parameters<typeof selected>[1]>) => {
    const found = selected(all, { group: undefined, only: '', sought: '', ...selection });
    return [...found.routers.map((one) => one.router.id), ...found.links.map((one) => one.link.id)];
  };
  t.strictSame(ids({}), ['b', 'a', 'l', 'm']);
  t.strictSame(ids({ group: 'north' }), ['a', 'l'], 'links that lead out of it, too');
  t.strictSame(ids({ only: 'trouble' }), ['b', 'l']);
  t.strictSame(ids({ only: 'router offline' }), ['b']);
  t.strictSame(ids({ only: 'link failed' }), ['l']);
  t.strictSame(ids({ sought: '192.0.2' }), ['b']);
  t.strictSame(ids({ sought: 'router a' }), ['a', 'l']);
  t.strictSame(conditionChoices(all), [
    ['', 'everything'],
    ['trouble', 'what needs attention (2)'],
    ['router offline', 'routers: offline (1)'],
    ['router online', 'routers: online (1)'],
    ['link failed', 'links: failed (1)'],
    ['link connected', 'links: connected (1)'],
  ]);
});

t.test('routers and links, with their facts', async (t) => {
  const { fromMs: _, ...unmeasured } = link('m', 'a', 'b');
  const { nodes, lines, isGrouped, left } = drawingOf(
    overview(
      router('b', { group: 'north', circuits: 3 }),
      router('a'),
      link('l', 'b', 'a', { circuits: 2 }),
      unmeasured,
      link('n', 'a', 'unknown'),
    ),
    undefined,
    undefined,
  );
  t.equal(isGrouped, false);
  t.strictSame(left, { routers: 0, links: 1 }, 'a link to a router that is not known');
  t.match(nodes, [
    { id: 'a', isGroup: false, meaning: 'good' },
    { id: 'b', circuits: 3 },
  ]);
  t.match(lines, [
    { id: 'm', from: 0, to: 1, lane: 0, lanes: 2, latencyMs: undefined },
    { id: 'l', from: 1, to: 0, lane: 1, lanes: 2, latencyMs: 1.5, circuits: 2, cost: 4 },
  ]);
  t.match(nodes[1]?.facts(), [/3 circuits/, /cost 0/, '10.0.0.1, v2.1.0', /north/]);
  t.match(lines[1]?.facts(), [
    'router b to router a',
    'latency 1 ms and 2 ms',
    /cost 4/,
    /2 circuits/,
  ]);
});

const path: MapCircuit = {
  id: 'c1',
  state: 'active',
  clientId: 'i',
  clientName: 'desk',
  routers: ['a', 'b', 'c'],
  links: ['l', 'm'],
};

t.test('the circuits of the chosen service', async (t) => {
  const rows = [
    ...['a', 'b', 'c'].map((id) => router(id, { group: id === 'a' ? 'north' : 'south' })),
    link('l', 'a', 'b'),
    link('m', 'b', 'c'),
    link('n', 'a', 'c'),
  ];
  const circuits = { serviceId: 's', circuits: [path, { ...path, id: 'c2' }], total: 2 };
  const { nodes, lines } = drawingOf(overview(...rows), undefined, circuits);
  t.strictSame(
    lines.map(({ id, chosen }) => `${id} ${chosen.map((one) => one.id)}`),
    ['l c1,c2', 'n ', 'm c1,c2'],
  );
  t.strictSame(
    nodes.map(({ isEnd }) => isEnd),
    [true, false, true],
  );
});

t.test('the routers of a group, with the links between them', async (t) => {
  const rows = [
    router('a', { group: 'north' }),
    router('b', { group: 'north' }),
    router('c'),
    link('l', 'a', 'b'),
    link('m', 'b', 'c'),
  ];
  const north = drawingOf(overview(...rows), 'north', undefined);
  t.strictSame([north.nodes.length, north.lines.map(({ id }) => id)], [2, ['l']]);
  t.strictSame(
    drawingOf(overview(...rows), '', undefined).nodes.map(({ id }) => id),
    ['c'],
  );
});

t.test('too many routers are drawn in groups by their first role attribute', async (t) => {
  const count = drawnMax.routers + 1;
  const rows: MapRow[] = Array.from({ length: count }, (_, n) =>
    router(`r${n}`, {
      group: ['north', 'south', ''][n % 3] ?? '',
      circuits: 1,
      ...(n === 0 ? { state: 'offline' } : {}),
    }),
  );
  // Of each three, one within a group and two between groups.
  for (let n = 0; n + 3 < 90; n += 1) {
    const more = n === 1 ? { state: 'failed' } : {};
    rows.push(link(`l${n}`, `r${n}`, `r${n + (n % 3 === 0 ? 3 : 1)}`, { circuits: 1, ...more }));
  }
  const { isGrouped, nodes, lines, left } = drawingOf(overview(...rows), undefined, undefined);
  t.ok(isGrouped);
  t.strictSame(left, { routers: 0, links: 0 });
  t.strictSame(
    nodes.map(({ id, name, routers, meaning }) => [id, name, routers, meaning]),
    [
      ['', noAttribute, 333, 'waiting'],
      ['north', 'north', 334, 'bad'],
      ['south', 'south', 334, 'waiting'],
    ],
  );
  t.match(nodes[1]?.text, /^334 routers, 1 offline, \d+ online, no link$/);
  t.strictSame(
    lines.map(({ from, to, links, meaning }) => [from, to, links, meaning]),
    [
      [0, 2, 29, 'bad'],
      [0, 1, 29, 'good'],
    ],
  );
  t.match(lines[0], { circuits: 29, latencyMs: 1.5, text: '29 links, 1 failed' });
});

t.test('too many of one group: the worst are drawn', async (t) => {
  const rows = Array.from({ length: drawnMax.routers + 5 }, (_, n) =>
    router(`r${n}`, n > drawnMax.routers ? { state: 'offline' } : {}),
  );
  const { nodes, left } = drawingOf(overview(...rows), '', undefined);
  t.equal(nodes.length, drawnMax.routers);
  t.equal(nodes.filter(({ meaning }) => meaning === 'bad').length, 4);
  t.strictSame(left, { routers: 5, links: 0 });
});

t.test('too many links are drawn in groups, too', async (t) => {
  const rows: MapRow[] = [router('a', { group: 'x' }), router('b', { group: 'y' })];
  for (let n = 0; n <= drawnMax.links; n += 1) rows.push(link(`l${n}`, 'a', 'b'));
  const { isGrouped, lines } = drawingOf(overview(...rows), undefined, undefined);
  t.ok(isGrouped);
  t.strictSame(
    lines.map(({ links }) => links),
    [drawnMax.links + 1],
  );
});

// Where the nodes of the map are placed, and how the picture is looked at.

import t from 'tap';
import {
  LabelRoom,
  lineEnds,
  panned,
  pointedAt,
  screenPlaces,
  wholeView,
  zoomed,
} from '../../src/inspect/page/map/camera.ts';
import type { Drawing, MapLine, MapNode } from '../../src/inspect/page/map/drawing.ts';
import { Layout } from '../../src/inspect/page/map/layout.ts';
import * as fc from '../properties.ts';

const ends = (...pairs: readonly (readonly [number, number])[]) => Uint32Array.from(pairs.flat());
const distance = (places: Float32Array, one: number, other: number) =>
  Math.hypot(
    (places[2 * one] ?? 0) - (places[2 * other] ?? 0),
    (places[2 * one + 1] ?? 0) - (places[2 * other + 1] ?? 0),
  );

t.test('neighbours are closer than others', async (t) => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const places = new Layout().place({
    ids,
    ends: ends([0, 1], [1, 2], [3, 4], [4, 5]),
    isAnew: false,
  });
  t.equal(places.length, 12);
  t.ok(distance(places, 0, 1) < distance(places, 0, 4));
  t.ok(distance(places, 3, 4) < distance(places, 3, 1));
});

t.test('the same orders give the same places, and nothing is not a number', async () => {
  const order = fc.integer({ min: 0, max: 40 }).chain((count) =>
    fc.record({
      count: fc.constant(count),
      pairs:
        count === 0
          ? fc.constant([])
          : fc.array(fc.tuple(fc.nat({ max: count - 1 }), fc.nat({ max: count - 1 })), {
              maxLength: 80,
            }),
    }),
  );
  fc.assert(
    fc.property(order, ({ count, pairs }) => {
      const ids = Array.from({ length: count }, (_, n) => `r${n}`);
      const place = () => new Layout().place({ ids, ends: ends(...pairs), isAnew: false });
      const [one, other] = [place(), place()];
      return one.every((value, n) => Number.isFinite(value) && value === other[n]);
    }),
    { numRuns: 30 },
  );
});

t.test('those that have a place keep it while others come and go', async (t) => {
  const layout = new Layout();
  const few = layout.place({ ids: ['a', 'b', 'c'], ends: ends([0, 1], [1, 2]), isAnew: false });
  const more = layout.place({
    ids: ['a', 'b', 'c', 'd'],
    ends: ends([0, 1], [1, 2], [2, 3]),
    isAnew: false,
  });
  t.strictSame(more.slice(0, 6), few);
  t.ok(distance(more, 2, 3) < 2.5, 'a new one is beside its neighbour');
  const less = layout.place({ ids: ['b', 'd'], ends: ends(), isAnew: false });
  t.strictSame(less, Float32Array.from([...more.slice(2, 4), ...more.slice(6, 8)]));
  const changed = layout.place({ ids: ['a', 'b', 'c'], ends: ends([0, 2]), isAnew: false });
  t.strictSame(changed, few, 'other lines move nothing');
});

t.test('when most are new, or on demand, all are placed again', async (t) => {
  const layout = new Layout();
  const ids = Array.from({ length: 10 }, (_, n) => `r${n}`);
  const pairs = ids.slice(1).map((_, n) => [0, n + 1] as const);
  layout.place({ ids: ids.slice(0, 2), ends: ends([0, 1]), isAnew: false });
  const all = layout.place({ ids, ends: ends(...pairs), isAnew: false });
  t.ok(all.every(Number.isFinite));
  const anew = layout.place({ ids, ends: ends(...pairs), isAnew: true });
  t.strictSame(anew, new Layout().place({ ids, ends: ends(...pairs), isAnew: false }));
});

const node = (id: string, isGroup = false): MapNode => ({
  id,
  name: id,
  isGroup,
  circuits: 0,
  routers: 1,
  meaning: 'good',
  text: 'online',
  facts: () => [],
  names: id,
  isEnd: false,
});
const line = (from: number, to: number, lane = 0, lanes = 1): MapLine => ({
  id: `${from} ${to}`,
  from,
  to,
  lane,
  lanes,
  links: 1,
  circuits: 0,
  cost: 1,
  latencyMs: 1,
  meaning: 'good',
  text: 'connected',
  facts: () => [],
  chosen: [],
});
const drawing: Drawing = {
  isGrouped: false,
  nodes: [node('a'), node('b'), node('c'), node('a', true)],
  lines: [line(0, 1), line(1, 2, 0, 2), line(2, 1, 1, 2)],
  left: { routers: 0, links: 0 },
};
const places = new Map([
  ['a', [-2, 0] as const],
  ['b', [2, 0] as const],
  ['c', [2, 3] as const],
]);
const extent = { width: 600, height: 400 };

t.test('the whole is in the picture, and a part of it', async (t) => {
  const camera = wholeView(drawing, places, extent);
  const { x, y } = screenPlaces(drawing, places, camera, extent);
  for (let n = 0; n < 3; n += 1) {
    t.ok((x[n] ?? 0) >= 40 && (x[n] ?? 0) <= 560, `x of ${n}`);
    t.ok((y[n] ?? 0) >= 40 && (y[n] ?? 0) <= 360, `y of ${n}`);
  }
  t.ok(Number.isNaN(x[3]), 'a group is not the router of its name');
  const part = wholeView(drawing, places, extent, (n) => n === 1);
  t.match(part, { x: 2, y: 0 });
  t.strictSame(wholeView({ ...drawing, nodes: [] }, places, extent), {
    scaleX: 1,
    scaleY: 1,
    x: 0,
    y: 0,
  });
});

t.test('what is looked at closer stays where it is', async (t) => {
  const camera = wholeView(drawing, places, extent);
  const before = screenPlaces(drawing, places, camera, extent);
  const at = [(before.x[1] ?? 0) - 300, (before.y[1] ?? 0) - 200] as const;
  const after = screenPlaces(drawing, places, zoomed(camera, 3, at), extent);
  t.ok(Math.abs((after.x[1] ?? 0) - (before.x[1] ?? 0)) < 0.01);
  t.ok(Math.abs((after.y[1] ?? 0) - (before.y[1] ?? 0)) < 0.01);
  const moved = screenPlaces(drawing, places, panned(camera, 10, -20), extent);
  t.ok(Math.abs((moved.x[0] ?? 0) - (before.x[0] ?? 0) + 10) < 0.01);
  t.ok(Math.abs((moved.y[0] ?? 0) - (before.y[0] ?? 0) - 20) < 0.01);
});

t.test('what is pointed at', async (t) => {
  const screen = screenPlaces(drawing, places, wholeView(drawing, places, extent), extent);
  const [x, y] = [screen.x[1] ?? 0, screen.y[1] ?? 0];
  t.strictSame(pointedAt(drawing, screen, x + 5, y + 5), { what: 'node', at: 1 });
  const middle = ((screen.x[0] ?? 0) + x) / 2;
  t.strictSame(pointedAt(drawing, screen, middle, y + 4), { what: 'line', at: 0 });
  t.equal(pointedAt(drawing, screen, middle, y - 40), undefined);
});

t.test('lines between the same nodes lie side by side, whatever their direction', async (t) => {
  const screen = { x: Float32Array.of(0, 0, 100), y: Float32Array.of(0, 0, 0) };
  t.strictSame(
    lineEnds(line(1, 2, 0, 2), screen),
    [-0, -3, 100, -3].map((value) => value + 0),
  );
  t.strictSame(
    [...lineEnds(line(2, 1, 1, 2), screen)].map((value) => value + 0),
    [100, 3, 0, 3],
  );
});

t.test('a label takes its room once', async (t) => {
  const room = new LabelRoom();
  t.ok(room.take(0, 100, 60));
  t.notOk(room.take(40, 100, 60));
  t.ok(room.take(40, 130, 60));
  t.ok(room.take(90, 100, 60));
});

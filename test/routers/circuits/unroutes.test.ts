// What routers must forget, also while they are away and after a connection that broke.

import t from 'tap';
import { Unroutes, unrouteBounds } from '../../../src/routers/circuits/unroutes.ts';
import { SimulatedClock } from '../../simulated/clock.ts';
import { RecordedRouters, recordedRouter } from '../../simulated/routers.ts';
import { unroutesOf } from './world.ts';

function open(bounds = unrouteBounds) {
  const clock = new SimulatedClock();
  const connected = new RecordedRouters();
  return { clock, connected, unroutes: new Unroutes(connected, clock, bounds) };
}

t.test('connected routers are told at once, the others on their return', async (t) => {
  const { connected, unroutes } = open();
  const here = recordedRouter('here');
  connected.add(here);
  unroutes.send(['here', 'away', 'away'], 'c', false);
  t.same(unroutesOf(here), ['c']);
  t.equal(unroutes.waiting, 1);
  const away = recordedRouter('away');
  connected.add(away);
  unroutes.returned('away');
  unroutes.returned('away');
  t.same(unroutesOf(away), ['c now']);
  t.equal(unroutes.waiting, 0);
});

t.test('bounds: per router, and of all', async (t) => {
  const { unroutes } = open({ unroutesPerRouterMax: 2, unroutesMax: 3 });
  for (const id of ['a', 'b', 'c']) unroutes.send(['r'], id, true);
  t.equal(unroutes.waiting, 2);
  for (const id of ['a', 'b', 'c']) unroutes.send(['s'], id, true);
  t.equal(unroutes.waiting, 3);
  unroutes.forget('r');
  t.equal(unroutes.waiting, 1);
  unroutes.forget('r');
  t.equal(unroutes.waiting, 1);
});

t.test('what was told in the last minute of a connection is told again', async (t) => {
  const { clock, connected, unroutes } = open({ unroutesPerRouterMax: 100, unroutesMax: 1000 });
  const router = recordedRouter('r');
  connected.add(router);
  unroutes.send(['r'], 'flowing', false);
  unroutes.send(['r'], 'old', true);
  clock.advance(30_000);
  for (let at = 0; at < 300; at++) unroutes.send(['r'], `c${at}`, true);
  clock.advance(31_000);
  connected.remove('r');
  unroutes.lost('r');
  t.ok(unroutes.waiting <= 100);
  const back = recordedRouter('r');
  connected.add(back);
  unroutes.returned('r');
  const told = unroutesOf(back);
  t.equal(told.includes('old now'), false);
  t.equal(told.includes('flowing now'), false);
  t.ok(told.includes('c299 now'), 'the newest are among them');
});

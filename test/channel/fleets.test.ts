// A fleet of 1,000 hostile routers beside one of 1,000 honest routers, which notices nothing.

import t from 'tap';
import { contentTypes } from '../../src/channel/content-types.ts';
import { campaignSeed } from '../campaigns.ts';
import { randomOf } from '../model/random-access.ts';
import { flood, type HostileAct, hostileActs } from '../simulated/hostile-twin.ts';
import { ChannelBench, type Connected } from './harness.ts';

const routers = 1000;
const acts: readonly HostileAct[] = Object.values(hostileActs);
const body = Buffer.alloc(60_000, 1);

t.test('an honest fleet beside a hostile one', async (t) => {
  const random = randomOf(campaignSeed('PROPERTY_SEED'));
  const bench = new ChannelBench({ heldBytesMax: 8 * 1024 * 1024 });
  const honest = Array.from({ length: routers }, (_, index) => open(bench, `honest${index}`));
  const hostile = Array.from({ length: routers }, (_, index) => attacker(bench, index));
  let answers = 0;
  let ends = 0;
  for (let second = 0; second < 60; second++) {
    for (let index = second % 4; index < routers; index += 4) {
      honest[index]?.twin.request({ contentType: contentTypes.ping }, () => {
        answers += 1;
      });
    }
    for (let index = 0; index < routers; index++) {
      const { twin, owner } = hostile[index] ?? attacker(bench, index);
      if (twin.isClosed) {
        ends += 1;
        hostile[index] = attacker(bench, index);
        continue;
      }
      const what = random(20);
      if (what < 5) acts[random(acts.length)]?.act(twin);
      else if (what === 5) flood(twin, 200);
      // The controller has something for it, which it may not read.
      else if (what < 11) owner.open.send({ contentType: contentTypes.apiSessionAdded, body });
    }
    bench.clock.advance(1000);
  }
  t.equal(answers, 15 * routers);
  t.equal(honest.filter(({ twin }) => twin.isClosed).length, 0);
  t.ok(ends > routers, `${ends} hostile channels have ended`);
  t.strictSame(bench.logged, []);
  const { closedMalformed, closedSilent, closedHeavy } = bench.channels.counts;
  const counts = { closedMalformed, closedSilent, closedHeavy };
  t.ok(
    Object.values(counts).every((count) => count > 0),
    JSON.stringify(counts),
  );
});

/** A router that keeps nothing of what it receives. */
function open(bench: ChannelBench, id: string, options = {}): Connected {
  const connected = bench.open(id, { keeps: false, ...options });
  connected.owner.onFrame = () => {
    connected.owner.frames.length = 0;
  };
  return connected;
}

/** A hostile router; of each five, one sends no heartbeats and one reads nothing. */
function attacker(bench: ChannelBench, index: number): Connected {
  const connected = open(bench, `hostile${index}`, { beats: index % 5 !== 1 });
  if (index % 5 === 2) connected.twin.wire.pause();
  return connected;
}

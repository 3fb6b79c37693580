// Mutated frames on the WebSocket of the fabric API: each is answered or closes its connection, and
// others go on. MUTATED_FRAMES sets their number.

import t from 'tap';
import { encodeFrame } from '../../src/channel/frame.ts';
import { encodeHeaders, textValue } from '../../src/channel/headers.ts';
import { fabricTypes } from '../../src/events/socket/fabric-types.ts';
import { campaignSeed, campaignSize } from '../campaigns.ts';
import { mutatedBy } from '../channel/mutated.ts';
import { randomOf } from '../model/random-access.ts';
import { bootNetwork } from '../simulated/network.ts';
import { connectClient } from './fabric-client.ts';

const size = campaignSize('MUTATED_FRAMES', { usual: 20_000, nightly: 200_000 });
const random = randomOf(campaignSeed('PROPERTY_SEED'));

function frame(contentType: number, body: Buffer | object): Buffer {
  const chunks: Buffer[] = [];
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const headers = encodeHeaders([
    [5, Buffer.alloc(8, 1)],
    [128, textValue('reflected')],
  ]);
  encodeFrame({ contentType, sequence: 7, headers, body: bytes }, chunks);
  return Buffer.concat(chunks);
}

const subscriptions = [
  { type: 'entityChange', options: { include: ['services'] } },
  { type: 'entityCount', options: { interval: '1m30s' } },
  { type: 'metrics', options: { sourceFilter: 'a(b|c)*', metricFilter: '^link' } },
  { type: 'usage', options: { version: 2 } },
];
const frames = [
  frame(fabricTypes.streamEvents, { format: 'json', subscriptions }),
  frame(fabricTypes.ping, Buffer.alloc(0)),
  frame(fabricTypes.streamTraces, Buffer.alloc(0)),
  frame(fabricTypes.inspect, Buffer.from('0a012e1207636f6e666967', 'hex')),
  frame(10_100, Buffer.from('0a0474727565', 'hex')),
];

t.test(`${size} mutated frames`, async (t) => {
  t.setTimeout(3_600_000);
  const network = await bootNetwork();
  t.teardown(() => network.stop());
  const honest = connectClient(network);
  honest.subscribe('entityChange');
  honest.frames();
  let hostile = connectClient(network);
  const counts = { answered: 0, closed: 0 };
  for (let number = 0; number < size; number++) {
    if (!hostile.socket.isOpen) {
      counts.closed += 1;
      hostile = connectClient(network);
    }
    hostile.socket.sayBinary(mutatedBy(random, frames[random(frames.length)] ?? Buffer.alloc(0)));
    if (number % 10 === 9) {
      await network.advance(1000);
      counts.answered += hostile.frames().length;
    }
  }
  t.ok(counts.closed > size / 10 && counts.answered > size / 100, JSON.stringify(counts));
  await network.create('services', { name: 'printer', encryptionRequired: true });
  await network.advance(0);
  t.match(honest.events(), [{ eventType: 'created' }, { eventType: 'committed' }]);
  t.equal(network.core.sources.core?.events.subscribers, hostile.socket.isOpen ? 2 : 1);
  t.same(
    network.logged.filter((line) => /"level":"?(error|50)/.test(line)),
    [],
  );
});

// A stream that is read no faster than what was read is taken.

import t from 'tap';
import { PacedStream } from '../../src/cluster/thread/paced-stream.ts';
import { SimulatedClock } from '../simulated/clock.ts';
import { SimulatedStream } from '../simulated/stream.ts';

function world() {
  const clock = new SimulatedClock();
  const server = new SimulatedStream({ clock });
  for (let n = 0; n < 20; n++) server.take({ headers: new Map(), body: Buffer.from([n]) });
  const seen: number[] = [];
  let taken = 0;
  const paced = new PacedStream(server.connect(), clock, () => seen.length - taken < 3);
  const following = paced.follow(1, {
    message: ({ sequence }) => seen.push(sequence),
    idle: () => undefined,
    interrupted: () => undefined,
    missed: () => undefined,
  });
  const take = async (count: number) => {
    taken += count;
    await pass();
  };
  const pass = async () => {
    for (let step = 0; step < 20; step++) {
      clock.advance(20);
      await clock.settle();
    }
  };
  return { paced, seen, take, pass, following };
}

t.test('it stops while there is no room, and no message is lost or comes twice', async (t) => {
  const { seen, take, pass, following } = world();
  await pass();
  t.strictSame(seen, [1, 2, 3]);
  await take(1);
  t.strictSame(seen, [1, 2, 3, 4]);
  await take(100);
  t.strictSame(
    seen,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  following.stop();
});

t.test('a read waits for room, and a stopped reader hears nothing more', async (t) => {
  const { paced, seen, take, pass, following } = world();
  await pass();
  let read: number | undefined;
  const reading = paced.read(7).then((message) => {
    read = message?.sequence;
  });
  await pass();
  t.equal(read, undefined);
  following.stop();
  await take(100);
  await reading;
  t.equal(read, 7);
  t.equal(seen.length, 3);
});

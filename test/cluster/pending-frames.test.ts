// Frames that wait: however they come, they leave whole, in order and within the bound.

import t from 'tap';
import { frameBytesAt } from '../../snapshots/log/frame.ts';
import { PendingFrames } from '../../src/cluster/log/pending-frames.ts';
import fc from '../properties.ts';
import { framed } from './groups.ts';

const groupBytesMax = 256;

t.test('groups are made of whole frames, as many as fit', async () => {
  const region = fc.array(fc.string({ maxLength: 200 }), { maxLength: 6 });
  const steps = fc.array(fc.oneof(region, fc.constant('cut' as const)), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (steps) => {
      const pending = new PendingFrames(groupBytesMax);
      const [came, left]: [Buffer[], Buffer[]] = [[], []];
      const cut = () => {
        const waits = pending.bytes;
        const group = pending.cut();
        left.push(group);
        if (group.length > groupBytesMax || !isWhole(group)) throw new Error('no whole group');
        if (pending.bytes !== waits - group.length) throw new Error('bytes are counted wrongly');
        const next = Buffer.concat(came).subarray(Buffer.concat(left).length);
        const fits = next.length > 0 && group.length + frameBytesAt(next, 0) <= groupBytesMax;
        if (fits) throw new Error('one more frame fits');
      };
      for (const step of steps) {
        if (step === 'cut') {
          if (pending.bytes > 0) cut();
          continue;
        }
        const frames = Buffer.concat(step.map(framed));
        pending.add(frames);
        came.push(Buffer.from(frames));
        // The caller's memory may be used again.
        frames.fill(255);
      }
      while (pending.bytes > 0) cut();
      return Buffer.concat(came).equals(Buffer.concat(left));
    }),
  );
});

t.test(
  'a frame that is too large for any group is refused, and so is nothing at all',
  async (t) => {
    const pending = new PendingFrames(groupBytesMax);
    t.throws(() => pending.cut(), RangeError);
    pending.add(framed('x'.repeat(300)));
    t.throws(() => pending.cut(), RangeError);
  },
);

function isWhole(frames: Buffer): boolean {
  let at = 0;
  while (at < frames.length) at += frameBytesAt(frames, at);
  return at === frames.length;
}

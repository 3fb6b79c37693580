// Damage to the files of a serving home: another snapshot repairs it.

import t from 'tap';
import { readManifest } from '../../snapshots/home/manifest.ts';
import type { Network } from '../simulated/network.ts';
import { type Damage, testDamages } from './damages.ts';
import { framesOfRun } from './scene.ts';

function newest({ disk }: Network): string {
  const [file] = disk.list('/home/snapshots');
  return `/home/snapshots/${file}`;
}

/** Two are kept, so that the first segments are let go of. */
async function takeSnapshots(network: Network): Promise<void> {
  for (let n = 0; n < 2; n++) {
    await network.create('identities', {
      name: `more ${network.core.journal.lastLsn} ${n}`,
      type: 'Default',
      isAdmin: false,
    });
    const taken = network.core.snapshotter.take();
    await network.clock.settle();
    await taken;
  }
}

const whole = ({ network }: { network: Network }) => {
  const manifest = readManifest(network.disk, '/home');
  // Later frames are the end of the run that wrote it, and the run that found all data whole.
  t.equal(manifest?.snapshots[0]?.lsn, network.core.journal.lastLsn - 1 - framesOfRun);
};

const damages: readonly Damage[] = [
  {
    what: 'a snapshot is missing',
    prepare: ({ network }) => takeSnapshots(network),
    do: ({ network }) => network.disk.remove(newest(network)),
    found: [/^the snapshot \d{16}\.snap, which the manifest names, is missing$/],
    after: whole,
  },
  {
    what: 'a snapshot is cut',
    prepare: ({ network }) => takeSnapshots(network),
    do({ network }) {
      const path = newest(network);
      network.disk.place(path, network.disk.bytesOf(path).subarray(0, 100));
    },
    found: [/^the snapshot \d{16}\.snap, which the manifest names, has 100 bytes, not \d+$/],
    after: whole,
  },
  {
    what: 'the head of a snapshot is damaged',
    prepare: ({ network }) => takeSnapshots(network),
    do({ network }) {
      const path = newest(network);
      const bytes = Buffer.from(network.disk.bytesOf(path));
      bytes[33] = 1;
      network.disk.place(path, bytes);
    },
    found: [/^the snapshot .+ does not read: the checksum of its header does not fit$/],
    after: whole,
  },
  {
    what: 'the manifest is missing',
    prepare: ({ network }) => takeSnapshots(network),
    do: ({ network }) => network.disk.remove('/home/manifest'),
    found: [/^the manifest is missing$/],
    after: whole,
  },
  {
    what: 'the manifest is that of another time',
    async prepare({ network }) {
      await takeSnapshots(network);
      const before = network.disk.bytesOf('/home/manifest');
      network.disk.place('/home/manifest.before', before);
      await takeSnapshots(network);
    },
    do: ({ network }) =>
      network.disk.place('/home/manifest', network.disk.bytesOf('/home/manifest.before')),
    found: [/^the manifest is not as it was written$/],
    after: whole,
  },
  {
    what: 'a segment of the log is missing',
    do: ({ network }) => network.disk.remove('/home/log/0000000000000001.log'),
    found: [/^the log has no segment that reads: a start would refuse it; take a snapshot/],
    left: [/^the log has no segment that reads: a start would refuse it; take a snapshot/],
  },
  {
    what: 'the head of a segment is damaged',
    do({ network }) {
      const path = '/home/log/0000000000000001.log';
      const bytes = network.disk.bytesOf(path);
      bytes[20] = (bytes[20] ?? 0) + 1;
      network.disk.place(path, bytes);
    },
    found: [
      /^the log segment 1 has no header that reads: a start would/,
      /^the log has no segment/,
    ],
    left: [/^the log segment 1 has no header that reads: a start would/, /^the log has no segment/],
  },
];

testDamages(t, damages);

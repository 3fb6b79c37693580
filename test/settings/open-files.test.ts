// The limit on open files, and the connections it allows.

import t from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { defaultLimits } from '../../src/settings/limits.ts';
import {
  capacityWithin,
  controlDescriptors,
  openFilesMax,
  requestDescriptors,
} from '../../src/settings/open-files.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

const limits = {
  connectionsMax: 1000,
  connectionsPerAddressMax: 250,
  descriptorsReservedMin: 200,
};

t.test('the limit is read from /proc', async (t) => {
  const disk = new SimulatedDisk(1);
  t.equal(openFilesMax(disk), undefined);
  const lines = [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    'Max processes             63716                63716                processes ',
    'Max open files            4096                 524288               files     ',
  ];
  disk.place('/proc/self/limits', Buffer.from(lines.join('\n')));
  t.equal(openFilesMax(disk), 4096);
  disk.place('/proc/self/limits', Buffer.from('Max open files            unlimited  unlimited'));
  t.equal(openFilesMax(disk), undefined);
  if (process.platform === 'linux') t.ok((openFilesMax(nodeDisk) ?? 0) > 0);
});

t.test('each connection has room for the three descriptors that it may take', async (t) => {
  const ports = { workers: 2, controlWorkers: 0, isNode: false };
  const allowed = (openFiles: number | undefined) => capacityWithin(limits, openFiles, ports);
  t.equal(allowed(undefined).connectionsMax, 1000);
  const reserved = 200 + 2 * 11;
  const room = (connectionsMax: number, descriptorsMax: number) => ({
    connectionsMax,
    connectionsPerAddressMax: Math.floor(connectionsMax / 4),
    descriptorsMax,
    controlPortDescriptorsMax: 0,
  });
  t.same(allowed(reserved + 3 * 2 * 1000), room(1000, 3000));
  t.same(allowed(reserved + 3 * 2 * 1000 - 1), room(999, 2999));
  t.same(allowed(reserved + 20_000), room(1000, 10_000));
  t.equal(allowed(reserved + 6).connectionsMax, 1);
  t.throws(() => allowed(reserved + 5), StartProblem);
  t.throws(() => allowed(64), {
    message: /^The limit on open files is 64, and the controller needs 228: raise it/,
  });
});

t.test(
  'the control port has 55 % of the descriptors, workers for the API share the rest',
  async (t) => {
    const ports = { workers: 2, controlWorkers: 1, isNode: false };
    const allowed = (openFiles: number | undefined) => capacityWithin(limits, openFiles, ports);
    t.equal(allowed(undefined).connectionsMax, 1000);
    t.ok(allowed(undefined).controlPortDescriptorsMax > 1_000_000);
    const reserved = 200 + 3 * 11 + 11;
    t.same(allowed(reserved + 6001), {
      connectionsMax: 450,
      connectionsPerAddressMax: 112,
      descriptorsMax: 1350,
      controlPortDescriptorsMax: 3300,
    });
    t.same(allowed(reserved + 12), {
      connectionsMax: 1,
      connectionsPerAddressMax: 1,
      descriptorsMax: 3,
      controlPortDescriptorsMax: 6,
    });
    t.throws(() => allowed(reserved + 11), { message: /the controller needs 256: raise it/ });
    const two = capacityWithin(limits, reserved + 22 + 6001, { ...ports, controlWorkers: 2 });
    t.match(two, { descriptorsMax: 1350, controlPortDescriptorsMax: 1650 }, 'two share them');
  },
);

t.test('a router takes one: 10,000 fit in a limit of 20,000, beside 2,900 clients', async (t) => {
  const alone = capacityWithin(defaultLimits, 20_000, {
    workers: 1,
    controlWorkers: 0,
    isNode: false,
  });
  t.ok(alone.descriptorsMax >= 10_000 * controlDescriptors + 3_000 * requestDescriptors);
  for (const workers of [1, 3, 15]) {
    const room = capacityWithin(defaultLimits, 20_000, {
      workers,
      controlWorkers: 1,
      isNode: false,
    });
    t.ok(room.controlPortDescriptorsMax >= 10_000 * controlDescriptors);
    t.ok(room.connectionsMax * workers >= 2_900);
  }
});

t.test('an address keeps its share where connections are fewer than configured', async (t) => {
  const ports = { workers: 1, controlWorkers: 0, isNode: false };
  const share = (connectionsPerAddressMax: number, openFiles: number | undefined) =>
    capacityWithin({ ...limits, connectionsPerAddressMax }, openFiles, ports)
      .connectionsPerAddressMax;
  t.equal(share(250, undefined), 250);
  t.equal(share(250, 400), 15);
  t.equal(share(1, 400), 1);
  t.equal(share(1000, 400), 63);
  t.equal(share(20_000, 400), 63, 'no more than all');
  const [connectionsMax, connectionsPerAddressMax] = [98, 2];
  const few = { ...limits, connectionsMax, connectionsPerAddressMax };
  t.match(capacityWithin(few, undefined, ports), { connectionsMax, connectionsPerAddressMax });
});

t.test('a node keeps room for the connections between nodes and to NATS', async (t) => {
  const front = { workers: 4, controlWorkers: 1 };
  const alone = capacityWithin(limits, 4000, { ...front, isNode: false });
  const node = capacityWithin(limits, 4000, { ...front, isNode: true });
  const taken = ({ descriptorsMax, controlPortDescriptorsMax }: typeof alone) =>
    4 * descriptorsMax + controlPortDescriptorsMax;
  // 148 of the node and 5 of each thread, but for what does not divide by 4.
  t.ok(Math.abs(taken(alone) - taken(node) - (148 + 5 * 5)) < 4);
});

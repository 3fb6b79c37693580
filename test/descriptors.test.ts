// The limit on open files, and the connections it allows.

import t from 'tap';
import { nodeDisk } from '../snapshots/home/disk.ts';
import { connectionsWithin, openFilesMax } from '../src/descriptors.ts';
import { StartProblem } from '../src/errors.ts';
import { SimulatedDisk } from './simulated/disk.ts';

const limits = { connectionsMax: 1000, descriptorsReservedMin: 200 };

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
  t.equal(connectionsWithin(limits, undefined, 2), 1000);
  const reserved = 200 + 2 * 8;
  t.equal(connectionsWithin(limits, reserved + 3 * 2 * 1000, 2), 1000);
  t.equal(connectionsWithin(limits, reserved + 3 * 2 * 1000 - 1, 2), 999);
  t.equal(connectionsWithin(limits, reserved + 6, 2), 1);
  t.throws(() => connectionsWithin(limits, reserved + 5, 2), StartProblem);
  t.throws(() => connectionsWithin(limits, 64, 2), {
    message: /^The limit on open files is 64, and the controller needs 222: raise it/,
  });
});

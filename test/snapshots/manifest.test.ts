// The manifest: replaced as a whole, checked as a whole.

import t from 'tap';

import { LogCorrupt, NewerFormat } from '../../snapshots/errors.ts';
import { readManifest, writeManifest } from '../../snapshots/home/manifest.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

const dataSetId = '00112233445566778899aabbccddeeff';
const older = { dataSetId, snapshots: [] };
const newer = { dataSetId, snapshots: [{ file: 'a.snap', lsn: 7, records: 3, bytes: 99 }] };

function diskWith(manifest: typeof newer | typeof older): SimulatedDisk {
  const disk = new SimulatedDisk(1);
  disk.makeDirectory('/home');
  writeManifest(disk, '/home', manifest);
  return disk;
}

t.test('what is written is read, after a crash too', async (t) => {
  t.equal(readManifest(new SimulatedDisk(1), '/home'), undefined);
  t.strictSame(readManifest(diskWith(newer), '/home'), newer);
  t.strictSame(readManifest(diskWith(newer).crash(), '/home'), newer);
});

t.test('a crash at any call leaves the older or the newer', async (t) => {
  for (let call = 1; call <= 6; call++) {
    for (let times = 0; times < 20; times++) {
      const disk = diskWith(older);
      disk.failCall(call, 'crash');
      try {
        writeManifest(disk, '/home', newer);
      } catch {}
      const found = readManifest(disk.crash(), '/home');
      if (found === undefined) t.fail(`lost by a crash at call ${call}`);
      else if (disk.crashed && call <= 3) t.strictSame(found, older);
    }
  }
});

t.test('every flipped bit is noticed', async (t) => {
  const disk = diskWith(newer);
  const bits = disk.bytesOf('/home/manifest').length * 8;
  for (let bit = 0; bit < bits; bit++) {
    const flip = (bytes: Buffer) => {
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    };
    disk.corrupt('/home/manifest', flip);
    try {
      readManifest(disk, '/home');
      t.fail(`bit ${bit} went unnoticed`);
    } catch (error) {
      if (!(error instanceof LogCorrupt || error instanceof NewerFormat)) throw error;
    }
    disk.corrupt('/home/manifest', flip);
  }
});

t.test('a newer format is refused by name', async (t) => {
  const disk = diskWith(older);
  disk.place('/home/manifest', Buffer.from('edge-control manifest 2 00000000\nanything'));
  t.throws(() => readManifest(disk, '/home'), NewerFormat);
  t.throws(() => readManifest(disk, '/home'), { message: /manifest format 2.*up to 1/ });
});

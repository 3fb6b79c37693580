// Nodes of a cluster tell whether they have the same keys, without showing them.

import { t } from 'tap';
import { withFile } from '../../snapshots/home/file-access.ts';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { makeKey } from '../../src/pki/authority/issue.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import { differingKeys, sharedKeysOf } from '../../src/pki/shared-keys.ts';
import { keyToPem } from '../../src/pki/x509/pem.ts';
import {
  systemClock as clock,
  systemRandom as random,
} from '../../src/platform/clock-and-random.ts';
import { SimulatedDisk } from '../simulated/disk.ts';

const sharedKeyNames = ['CA', 'API key', 'sealing key'];

async function pki(disk: SimulatedDisk, folder: string): Promise<void> {
  const settings = { keyType: 'ec-p256' } as const;
  await openAuthority({ disk, clock, random, directory: folder, host: 'localhost', settings });
  if (!disk.exists(`${folder}/server.key`)) throw new Error('the authority has made no server key');
  put(disk, `${folder}/sealing.key`, `${random.bytes(32).toString('hex')}\n`);
}

function put(disk: SimulatedDisk, path: string, text: string): void {
  if (disk.exists(path)) disk.remove(path);
  withFile(disk, path, 'create', (file) => file.write([Buffer.from(text)], 0));
}

function read(disk: SimulatedDisk, path: string): string {
  return withFile(disk, path, 'read', (file) => file.read(0, file.size()).toString());
}

function keysIn(disk: SimulatedDisk, folder: string) {
  return sharedKeysOf({ disk, folder, serverKey: undefined, issuerKey: undefined });
}

t.test('a copy has the same keys, and each other key is named', async (t) => {
  const disk = new SimulatedDisk(1);
  await pki(disk, '/a');
  await pki(disk, '/b');
  disk.makeDirectory('/copy');
  for (const name of disk.list('/a')) put(disk, `/copy/${name}`, read(disk, `/a/${name}`));
  const [a, b] = [keysIn(disk, '/a'), keysIn(disk, '/b')];
  t.same(keysIn(disk, '/copy'), a);
  t.same(differingKeys(a, b), sharedKeyNames);
  t.same(differingKeys(a, {}), sharedKeyNames);
  const files = { 'API key': 'server.key', 'sealing key': 'sealing.key' };
  for (const [name, file] of Object.entries(files)) {
    put(disk, `/copy/${file}`, read(disk, `/b/${file}`));
    t.same(differingKeys(a, keysIn(disk, '/copy')), [name]);
    put(disk, `/copy/${file}`, read(disk, `/a/${file}`));
  }
  put(disk, '/copy/intermediate.key', read(disk, '/b/intermediate.key'));
  t.same(differingKeys(a, keysIn(disk, '/copy')), ['CA']);
  t.notOk(JSON.stringify(a).includes(read(disk, '/a/sealing.key').trim()));
});

t.test('the token key of a former release is compared while both have its file', async (t) => {
  const disk = new SimulatedDisk(1);
  await pki(disk, '/a');
  const [one, other] = [await makeKey('ec-p256'), await makeKey('ec-p256')].map(keyToPem);
  const inLog = keysIn(disk, '/a');
  put(disk, '/a/token.key', one ?? '');
  const former = keysIn(disk, '/a');
  put(disk, '/a/token.key', other ?? '');
  t.same(differingKeys(former, keysIn(disk, '/a')), ['token key']);
  t.same(differingKeys(former, former), []);
  t.same(differingKeys(former, inLog), [], 'the other one has it in the log');
  put(disk, '/a/token.key', 'no key');
  t.throws(() => keysIn(disk, '/a'), { message: /token\.key/ });
});

t.test('a file that is missing or no key', async (t) => {
  const disk = new SimulatedDisk(1);
  await pki(disk, '/a');
  put(disk, '/a/sealing.key', 'abc');
  t.throws(() => keysIn(disk, '/a'), new PkiProblem('sealing.key holds no key.'));
  disk.remove('/a/server.key');
  t.throws(() => keysIn(disk, '/a'), { message: /server\.key/ });
});

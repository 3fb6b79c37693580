// Which files a backup contains, and which keys a restore requires.

import t from 'tap';
import { homeFiles } from '../../../src/commands/backup/home-files.ts';
import { checkKeys } from '../../../src/commands/backup/required-keys.ts';
import { openAuthority } from '../../../src/pki/authority/authority.ts';
import { systemClock, systemRandom } from '../../../src/platform/clock-and-random.ts';
import { type Config, loadConfig } from '../../../src/settings/config.ts';
import { SimulatedDisk } from '../../simulated/disk.ts';

const [clock, random] = [systemClock, systemRandom];

/** The configuration of a home at `/home`, with these settings of its PKI. */
function configWith(pki: Readonly<Record<string, string>> = {}): Config {
  const text = JSON.stringify({ pki });
  return loadConfig({
    flags: { home: '/home' },
    environment: {},
    directory: '/',
    cores: 1,
    readFile: () => text,
  });
}

async function homeWithKeys(): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk(1);
  const directory = '/home/pki';
  const settings = { keyType: 'ec-p256' } as const;
  await openAuthority({ disk, clock, random, directory, host: 'localhost', settings });
  return disk;
}

const made = [
  'pki/ca-chain.pem',
  'pki/ca.pem',
  'pki/intermediate.key',
  'pki/intermediate.pem',
  'pki/root.key',
  'pki/root.pem',
  'pki/server.key',
  'pki/server.pem',
];

t.test('all files except drafts', async (t) => {
  const disk = await homeWithKeys();
  const options = { withKeys: true, configFile: undefined };
  t.same(homeFiles(disk, configWith(), options), { files: made, elsewhere: [] });
  for (const name of ['admin-password', 'config.json', 'pki/server.pem.new', 'pki/sealing.key']) {
    disk.place(`/home/${name}`, Buffer.from('x'));
  }
  const files = ['admin-password', 'config.json', ...made, 'pki/sealing.key'].sort();
  t.same(homeFiles(disk, configWith(), options).files, files);
  const bare = homeFiles(disk, configWith(), { ...options, withKeys: false });
  t.same(bare, { files: ['config.json'], elsewhere: [] });
});

t.test(
  'files that settings name: taken from the home, told of where they lie elsewhere',
  async (t) => {
    const disk = await homeWithKeys();
    disk.place('/home/tls/server.pem', Buffer.from('x'));
    const config = configWith({
      serverCert: 'tls/server.pem',
      serverKey: '/etc/server.key',
      ca: '/home/pki/ca.pem',
    });
    const { files, elsewhere } = homeFiles(disk, config, {
      withKeys: true,
      configFile: '/etc/edge.json',
    });
    t.same(files, [...made, 'tls/server.pem']);
    t.same(elsewhere, [
      { setting: '--config', path: '/etc/edge.json' },
      { setting: 'pki.serverKey', path: '/etc/server.key' },
    ]);
  },
);

t.test('keys that clients trust are required', async (t) => {
  const disk = await homeWithKeys();
  const check = (config = configWith(), ...kinds: string[]) =>
    checkKeys({ disk, clock, random, folder: '/home/pki', config, kinds: new Set(kinds) });
  t.throws(() => check(), { message: /lacks token\.key: / }, 'no record holds it');
  disk.place('/home/pki/token.key', Buffer.from('of a former release'));
  check();
  const sealedKinds = ['mfaEnrollment', 'apiSession', 'enrollment', 'tokenKey'];
  const sealed = (kind: string) => () => check(configWith(), 'identity', kind);
  for (const kind of sealedKinds) {
    t.throws(sealed(kind), { name: 'StartProblem', message: /lacks sealing\.key: / });
  }
  disk.place('/home/pki/sealing.key', Buffer.from('x'));
  for (const kind of sealedKinds) sealed(kind)();
  const required = ['ca.pem', 'token.key', 'root.pem', 'intermediate.pem', 'intermediate.key'];
  for (const name of [...required, 'server.key']) {
    const bytes = disk.bytesOf(`/home/pki/${name}`);
    disk.remove(`/home/pki/${name}`);
    t.throws(() => check(), { message: new RegExp(`^/home/pki lacks ${name}: `) });
    disk.place(`/home/pki/${name}`, bytes);
  }
  const own = disk.bytesOf('/home/pki/intermediate.key');
  disk.remove('/home/pki/intermediate.key');
  disk.place('/home/pki/intermediate.key', disk.bytesOf('/home/pki/server.key'));
  t.throws(() => check(), { name: 'PkiProblem' });
  disk.remove('/home/pki/intermediate.key');
  disk.remove('/home/pki/server.key');
  const supplied = configWith({
    issuerCert: '/i.pem',
    issuerKey: '/i.key',
    serverCert: '/s.pem',
    serverKey: '/s.key',
    ca: '/ca.pem',
  });
  check(supplied);
  disk.place('/home/pki/intermediate.key', own);
});

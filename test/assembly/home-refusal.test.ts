// Directories that a first start leaves alone.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Test, t } from 'tap';
import { nodeDisk } from '../../snapshots/home/disk.ts';
import { refuseForeignFiles } from '../../src/assembly/home-refusal.ts';
import { StartProblem } from '../../src/errors/errors.ts';
import { type Config, type ConfigSources, loadConfig } from '../../src/settings/config.ts';

/** The configuration of a home that holds these files, and directories where names end with `/`. */
function configOf(t: Test, names: readonly string[], given: Partial<ConfigSources> = {}): Config {
  const home = join(t.testdir(), `home-${number++}`);
  mkdirSync(home);
  for (const name of names) {
    if (name.endsWith('/')) mkdirSync(join(home, name));
    else writeFileSync(join(home, name), '');
  }
  const readFile = (path: string): string => {
    const text = given.readFile?.(path);
    if (text !== undefined) return text;
    throw Object.assign(new Error(path), { code: 'ENOENT' });
  };
  return loadConfig({
    environment: given.environment ?? {},
    directory: home,
    cores: 2,
    readFile,
    flags: { home, ...given.flags },
  });
}

let number = 0;

t.test('files of somebody else are named', async (t) => {
  const refused = (names: readonly string[]) => {
    const config = configOf(t, names);
    t.throws(() => refuseForeignFiles(nodeDisk, config), StartProblem);
    try {
      refuseForeignFiles(nodeDisk, config);
    } catch (error) {
      return error instanceof Error ? error.message.replace(config.home, 'HOME') : '';
    }
    return '';
  };
  t.equal(
    refused(['package.json', 'src/']),
    'The home HOME holds files of somebody else: "package.json", "src". Name a new or an empty directory by --home, or start with --force to use this one.',
  );
  t.match(refused(['a', 'b', 'c', 'd', 'e/', 'log/']), /: "a", "b", "c" and 2 more\. /);
  t.match(refused(['notes\u001b[2J']), /: "notes\\u001b\[2J"\. /);
});

t.test('what a home has before its first start is over', async (t) => {
  const own = ['config.json', 'admin-password', 'lock', 'lock.12', 'pki/', 'run/', 'log/'];
  const replaced = ['aside/', 'incoming/', 'cluster', 'cluster.tmp', 'lock', 'pki/'];
  for (const names of [
    [],
    own,
    replaced,
    ['snapshots/', 'manifest.tmp'],
    ['lost+found/', '.snapshot/'],
  ]) {
    refuseForeignFiles(nodeDisk, configOf(t, names));
  }
  const missing = configOf(t, []);
  refuseForeignFiles(nodeDisk, { ...missing, home: join(missing.home, 'none') });
  refuseForeignFiles(nodeDisk, { ...missing, home: '/proc/self/exe' });
});

t.test('a node of a cluster that has no manifest keeps what else is in its home', async (t) => {
  const config = configOf(t, ['cluster', 'aside/', 'notes.txt']);
  refuseForeignFiles(nodeDisk, config);
  const given = {
    environment: { EDGE_CLUSTER_SERVERS: '127.0.0.1:1', EDGE_CLUSTER_LISTEN: '127.0.0.1:2' },
  };
  const other = configOf(t, ['notes.txt'], given);
  t.not(other.cluster, undefined);
  t.throws(() => refuseForeignFiles(nodeDisk, other), {
    message: /: "notes\.txt"\. Name a new or an empty directory by --home\.$/,
  });
});

t.test('files that settings name, and --force', async (t) => {
  const names = ['certificates/', 'edge.json', 'password'];
  const settings = { pki: { serverCert: 'certificates/server.pem', serverKey: 'server.key' } };
  const given = {
    flags: { config: 'edge.json', adminPasswordFile: 'password' },
    readFile: (path: string) => (path.endsWith('.json') ? JSON.stringify(settings) : 'password'),
  };
  refuseForeignFiles(nodeDisk, configOf(t, names, given));
  const other = configOf(t, [...names, 'other'], given);
  t.throws(() => refuseForeignFiles(nodeDisk, other), { message: /somebody else: "other"\. / });
  refuseForeignFiles(nodeDisk, { ...other, force: true });
  writeFileSync(join(other.home, 'manifest'), '');
  refuseForeignFiles(nodeDisk, other);
});

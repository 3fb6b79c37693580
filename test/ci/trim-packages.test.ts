// What `npm ci` deletes from installed packages, and that none warns about the Node of the user.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';

const root = join(import.meta.dirname, '../..');
const { platform, arch, versions } = process;
const uws = 'uWebSockets.js/dist/bin';
const own = `${uws}/uws_${platform}_${arch}_${versions.modules}.node`;
const older = `${uws}/uws_${platform}_${arch}_115.node`;
const other = `${uws}/uws_none_${arch}_${versions.modules}.node`;
const header = `node/node_modules/node-${platform}-${arch}/include/node/node.h`;
const map = 'some/dist/index.js.map';
const guide = 'some/docs/guide.md';
const license = 'some/License-of.md';
const files = [
  own,
  older,
  other,
  header,
  map,
  guide,
  license,
  'some/dist/index.js',
  `${uws}/notes.txt`,
];

function install(packages: string): void {
  for (const path of files) {
    mkdirSync(dirname(join(packages, path)), { recursive: true });
    writeFileSync(join(packages, path), '');
  }
}

function trim(checkout: string): void {
  const script = join(checkout, 'bin/trim-packages.mjs');
  cpSync(join(root, 'bin/trim-packages.mjs'), script);
  execFileSync(process.execPath, [script]);
}

const left = (packages: string) => files.filter((path) => existsSync(join(packages, path)));

t.test('a checkout keeps what its own Node loads', async (t) => {
  const room = t.testdir({ 'index.js.map': '' });
  const packages = join(room, 'node_modules');
  install(packages);
  for (let runs = 0; runs < 2; runs++) {
    trim(room);
    t.same(left(packages), [own, license, 'some/dist/index.js', `${uws}/notes.txt`]);
  }
  t.ok(existsSync(join(room, 'index.js.map')), 'nothing beside the packages is touched');
});

t.test('beside other packages, what another Node may load stays', async (t) => {
  const packages = join(t.testdir({}), 'node_modules');
  install(packages);
  trim(join(packages, 'edge-control'));
  t.same(left(packages), [
    own,
    older,
    map,
    guide,
    license,
    'some/dist/index.js',
    `${uws}/notes.txt`,
  ]);
});

t.test('linked packages, those of another platform, and none at all', async (t) => {
  const room = t.testdir({ elsewhere: {}, linked: {}, empty: {}, foreign: {} });
  install(join(room, 'elsewhere/node_modules'));
  symlinkSync(join(room, 'elsewhere/node_modules'), join(room, 'linked/node_modules'));
  trim(join(room, 'linked'));
  t.same(left(join(room, 'elsewhere/node_modules')), files);
  trim(join(room, 'empty'));
  const binary = join(room, 'foreign/node_modules', other);
  mkdirSync(dirname(binary), { recursive: true });
  writeFileSync(binary, '');
  trim(join(room, 'foreign'));
  t.ok(existsSync(binary));
});

// They run on the pinned Node 22, so npm's warning about an older one that installs them is wrong;
// their `engines` are left out of the lock.
t.test('no package of the lock warns on Node 20', async (t) => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>>;
  };
  const warning = Object.entries(lock.packages).filter(([, { engines }]) =>
    /^>=? *2[1-9]/.test(engines?.node ?? ''),
  );
  t.same(warning, []);
});

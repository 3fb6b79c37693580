// The package as it is shipped: unpacked somewhere else, with its dependencies beside it, it serves
// the API and the inspector's page, and the example of docs/client.md fits its types and runs
// there.

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { t } from 'tap';
import { Agent, request } from 'undici';
import { type Lock, pack } from '../../.ci/pack.ts';
import { connect, logIn } from './client.ts';
import {
  adminPassword,
  makeHome,
  roomOf,
  type Serving,
  startProcess,
  whenReady,
} from './process.ts';

const root = join(import.meta.dirname, '../..');

t.test('what is packed runs', async (t) => {
  const room = roomOf(t);
  run('tar', ['-xzf', pack(root, room)], room);
  const unpacked = join(room, 'package');
  t.same(readdirSync(unpacked).sort(), [
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'examples',
    'npm-shrinkwrap.json',
    'package.json',
  ]);
  symlinkSync(join(root, 'node_modules'), join(unpacked, 'node_modules'));

  const home = makeHome(t);
  const program = [join(unpacked, 'bin/edge-control')] as const;
  const serving = await whenReady(startProcess(t, home, [], program), home);
  t.ok((await logIn(connect(t, serving))).token);
  const dispatcher = new Agent({ connect: { ca: serving.ca } });
  t.teardown(() => dispatcher.destroy());
  const page = await request(`${serving.url}/inspect`, { dispatcher });
  t.equal(page.statusCode, 200);
  const links = [...(await page.body.text()).matchAll(/(?:src|href)="(\/inspect\/[^"]+)"/g)];
  t.ok(links.length >= 2, 'a script and a style sheet');
  for (const [, path = ''] of links) {
    const asset = await request(`${serving.url}${path}`, { dispatcher });
    t.equal(asset.statusCode, 200, path);
    t.ok((await asset.body.text()).length > 1000);
  }
  t.equal(await ticketsOf(serving), 0, 'no session tickets, which nobody could use');
  t.match(runExample(unpacked, serving), /^created [\w.-]+\nweb \[ 'public' \]\n404 NOT_FOUND /);
  t.equal(typeErrors(unpacked, example()), '', 'the types fit the example');
  const misspelt = example().replace('encryptionRequired', 'encryptionNeeded');
  t.match(typeErrors(unpacked, misspelt), /'encryptionNeeded' does not exist in type/);
  t.equal((await serving.process.stop()).code, 0);
});

t.test('what is packed names the versions that were tested, and nothing else', async (t) => {
  const room = roomOf(t);
  run('tar', ['-xzf', pack(root, room)], room);
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const lock = read(join(root, 'package-lock.json')) as Lock;
  const packed = read(join(room, 'package/npm-shrinkwrap.json')) as Lock;
  const manifest = read(join(room, 'package/package.json'));
  t.same(manifest.scripts, { dependencies: 'node bin/trim-packages.mjs' });
  t.equal(manifest.devDependencies, undefined);
  const { '': own, ...packages } = packed.packages;
  t.match(own, { dependencies: manifest.dependencies, devDependencies: undefined });
  for (const name of Object.keys(manifest.dependencies)) {
    t.ok(packages[`node_modules/${name}`], name);
  }
  for (const [place, { engines, ...rest }] of Object.entries(packages)) {
    t.equal(engines, undefined);
    t.match(lock.packages[place], rest, place);
  }
  const development = Object.values(lock.packages).filter(({ dev }) => dev === true).length;
  t.equal(Object.keys(packages).length + 1 + development, Object.keys(lock.packages).length);
});

/** Runs the example of the documentation there. @returns what it prints */
function runExample(directory: string, { home, port }: Serving): string {
  writeFileSync(join(directory, 'services.mts'), example());
  writeFileSync(join(home, 'admin-password'), `${adminPassword}\n`);
  const { status, stdout, stderr } = spawnSync('npx', ['--no-install', 'node', 'services.mts'], {
    cwd: directory,
    env: { ...process.env, EDGE_HOME: home, EDGE_URL: `https://localhost:${port}` },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the example ended with ${status}: ${stderr}`);
  return stdout;
}

/** How many session tickets a connection of TLS 1.3 was sent before its first answer. */
async function ticketsOf({ port, ca }: Serving): Promise<number> {
  const client = connectTls({ host: 'localhost', port, ca, minVersion: 'TLSv1.3' });
  let tickets = 0;
  client.on('session', () => void tickets++);
  client.write('GET /version HTTP/1.1\r\nhost: localhost\r\n\r\n');
  await once(client, 'data');
  client.destroy();
  return tickets;
}

function example(): string {
  const text = readFileSync(join(root, 'docs/client.md'), 'utf8');
  return /```ts\n(.*?)```/s.exec(text)?.[1] ?? '';
}

/** What the compiler says of a program there, declarations of the package included. */
function typeErrors(directory: string, program: string): string {
  writeFileSync(join(directory, 'checked.mts'), program);
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const flags = '--ignoreConfig --noEmit --strict --target es2023 --module nodenext --types node';
  const words = [compiler, ...flags.split(' '), 'checked.mts'];
  return spawnSync(process.execPath, words, { cwd: directory, encoding: 'utf8' }).stdout;
}

function run(file: string, words: readonly string[], directory: string): void {
  const { status, stderr } = spawnSync(file, words, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
}

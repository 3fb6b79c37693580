// The package as npm would ship it: unpacked somewhere else, with its dependencies beside it, it
// serves the API and the inspector's page.

import { spawnSync } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { Agent, request } from 'undici';
import { connect, logIn } from './client.ts';
import { makeHome, roomOf, startProcess, whenReady } from './process.ts';

const root = join(import.meta.dirname, '../..');

t.test('what is packed runs', async (t) => {
  const room = roomOf(t);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', room], root);
  const archive = readdirSync(room).find((name) => name.endsWith('.tgz')) ?? '';
  run('tar', ['-xzf', archive], room);
  const unpacked = join(room, 'package');
  t.same(readdirSync(unpacked).sort(), [
    'LICENSE',
    'README.md',
    'bin',
    'dist',
    'docs',
    'examples',
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
  t.equal((await serving.process.stop()).code, 0);
});

function run(file: string, words: readonly string[], directory: string): void {
  const { status, stderr } = spawnSync(file, words, { cwd: directory, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
}

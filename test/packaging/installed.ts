// The package as docs/installation.md has it installed: unpacked into an empty directory, its
// dependencies by `npm ci`, and started where nothing of the repository can be seen.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../.ci/build.ts';
import { type Lock, pack } from '../../.ci/pack.ts';
import { type Endings, Lacking, temporaryDirectory } from '../system/endings.ts';
import { allHold, startIsolated } from './isolated.ts';

const root = join(import.meta.dirname, '../..');

/** Packs, installs, starts and looks. @returns whether all is well */
export async function installedRuns(endings: Endings): Promise<boolean> {
  const room = temporaryDirectory(endings, 'edge-installed-');
  const program = join(room, 'program');
  mkdirSync(program);
  await build(root);
  const unpacking = ['--extract', '--gzip', '--strip-components=1', '--directory', program];
  const unpacked = spawnSync('tar', [...unpacking, '--file', pack(root, room)]);
  if (unpacked.status !== 0) throw new Error('the archive cannot be unpacked');
  const installed = npm(['ci', '--prefer-offline'], program);
  if (!existsSync(join(program, 'node_modules/yaml'))) {
    throw new Lacking(`the registry does not serve the dependencies: ${installed}`);
  }
  const prefix = join(room, 'global');
  const linked = npm(['install', '--global', '--prefix', prefix, '.'], program);
  const version = spawnSync(join(prefix, 'bin/edge-control'), ['version'], { encoding: 'utf8' });
  const project = join(room, 'project');
  mkdirSync(project);
  const made = npm(['init', '--yes'], project) + npm(['install', '../program'], project);
  const client = join(project, 'node_modules/edge-control/dist/src/client/index.js');
  const isolated = await startIsolated(endings, {
    room,
    program,
    user: '10001:10001',
    environment: {
      EDGE_HOME: '/var/lib/edge-control/home',
      HOME: '/var/lib/edge-control',
    },
    command: ['/opt/edge-control/bin/edge-control', 'run'],
  });
  const { inside } = isolated;
  const said = [installed, linked, made].join('');
  const facts = {
    'npm warns of nothing': !/warn/i.test(said),
    'what is installed are the versions of the lock': hasLockedVersions(program),
    'packages are trimmed': !existsSync(join(program, 'node_modules/uWebSockets.js/README.md')),
    'npm i -g . gives the command': version.stdout.startsWith('edge-control '),
    'a project that links the directory finds the client': existsSync(client),
    'it starts, and says that it is ready': isolated.process.stdout !== '',
    'nothing of the repository is seen': inside(['ls', root]) !== 0,
    'the documents are there': inside(['ls', '/opt/edge-control/docs/operations.md']) === 0,
  };
  process.kill(Number(isolated.pid), 'SIGKILL');
  const { stderr } = await isolated.process.ended;
  return allHold(facts, said + stderr);
}

/** Whether npm has noted the same version for each package that it installed. */
function hasLockedVersions(program: string): boolean {
  const read = (path: string) => (JSON.parse(readFileSync(path, 'utf8')) as Lock).packages;
  const wanted = read(join(root, 'package-lock.json'));
  const present = Object.entries(read(join(program, 'node_modules/.package-lock.json')));
  const isLocked = ([place, { version }]: (typeof present)[number]) =>
    version === wanted[place]?.version;
  return present.length > 50 && present.every(isLocked);
}

/** Runs npm there. @returns all that it says */
function npm(words: readonly string[], directory: string): string {
  const { stdout, stderr } = spawnSync('npm', words, { cwd: directory, encoding: 'utf8' });
  return stdout + stderr;
}

// The package as npm installs it from its archive into an empty directory, started by npx where
// nothing of the repository can be seen.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endings, Lacking, temporaryDirectory } from '../system/endings.ts';
import { allHold, startIsolated } from './isolated.ts';

const root = join(import.meta.dirname, '../..');

/** Packs, installs, starts and looks. @returns whether all is well */
export async function installedRuns(endings: Endings): Promise<boolean> {
  const room = temporaryDirectory(endings, 'edge-installed-');
  const program = join(room, 'program');
  mkdirSync(program);
  writeFileSync(join(program, 'package.json'), '{"private":true}');
  if (!npm(['pack', '--pack-destination', room], root)) throw new Error('npm pack has failed');
  const archive = readdirSync(room).find((name) => name.endsWith('.tgz')) ?? '';
  if (!npm(['install', '--prefer-offline', join(room, archive)], program)) {
    throw new Lacking('the registry does not serve the dependencies');
  }
  const installed = '/opt/edge-control/node_modules';
  const isolated = await startIsolated(endings, {
    room,
    program,
    user: '10001:10001',
    environment: {
      EDGE_HOME: '/var/lib/edge-control/home',
      HOME: '/var/lib/edge-control',
    },
    command: ['sh', '-c', 'cd /opt/edge-control && npx --no-install edge-control run'],
  });
  const { inside } = isolated;
  const facts = {
    'npx starts it, and it says that it is ready': isolated.process.stdout !== '',
    'nothing of the repository is seen': inside(['ls', root]) !== 0,
    'the documents are there': inside(['ls', `${installed}/edge-control/docs/operations.md`]) === 0,
  };
  process.kill(Number(isolated.pid), 'SIGKILL');
  const { stderr } = await isolated.process.ended;
  return allHold(facts, stderr);
}

function npm(words: readonly string[], directory: string): boolean {
  return spawnSync('npm', words, { cwd: directory, stdio: 'inherit' }).status === 0;
}

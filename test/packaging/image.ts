// Runs the program as the image of the Dockerfile would, but without a container runtime: with the
// same files, user, environment and command, in a read-only root.

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endings, temporaryDirectory } from '../system/endings.ts';
import {
  copiesOf,
  environmentOf,
  readDockerfile,
  type Stage,
  textsOf,
  wordsOf,
} from './dockerfile.ts';
import { allHold, startIsolated } from './isolated.ts';

const root = join(import.meta.dirname, '../..');

/** Builds what the image holds, starts it, and looks at it. @returns whether all is well */
export async function imageRuns(endings: Endings): Promise<boolean> {
  const [build, image] = readDockerfile();
  if (build === undefined || image === undefined) throw new Error('the Dockerfile has no stages');
  const room = temporaryDirectory(endings, 'edge-image-');
  const program = join(room, 'program');
  makeProgram(build, image, { room, program });
  const user = textsOf(image, 'USER').at(-1) ?? '';
  const environment = environmentOf(image);
  const command = [...wordsOf(image, 'ENTRYPOINT'), ...wordsOf(image, 'CMD')];
  const isolated = await startIsolated(endings, { room, program, user, environment, command });
  const { pid, inside } = isolated;
  const facts = {
    'the health check of the image succeeds': inside(wordsOf(image, 'HEALTHCHECK')) === 0,
    'the root is read-only': inside(['touch', '/opt/edge-control/x']) !== 0,
    'the volume is writable': inside(['touch', '/var/lib/edge-control/x']) === 0,
    ...rightsOf(pid, Number(user.split(':')[0])),
  };
  process.kill(Number(pid), 'SIGTERM');
  const { code, stderr } = await isolated.process.ended;
  return allHold({ ...facts, 'SIGTERM ends it cleanly': code === 0 }, stderr);
}

/** The stage that builds, and what is copied of it. */
function makeProgram(
  build: Stage,
  image: Stage,
  { room, program }: { readonly room: string; readonly program: string },
): void {
  const built = join(room, 'build');
  for (const { from, to } of copiesOf(build)) {
    cpSync(join(root, from), join(built, to), { recursive: true });
  }
  for (const command of textsOf(build, 'RUN')) {
    if (spawnSync('sh', ['-c', command], { cwd: built, stdio: 'inherit' }).status !== 0) {
      throw new Error(`a command of the image failed: ${command}`);
    }
  }
  for (const { from, to } of copiesOf(image)) {
    cpSync(join(root, from), join(program, to), { recursive: true });
  }
  for (const { from, to } of copiesOf(image, true)) {
    cpSync(from.replace('/opt/edge-control', built), join(program, to), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

function rightsOf(pid: string, uid: number): Readonly<Record<string, boolean>> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    'it is the first process of its namespace': /^NSpid:\t\d+\t1$/m.test(status),
    'it runs as the user of the image': new RegExp(`^Uid:(\t${uid}){4}$`, 'm').test(status),
    'it has no capabilities': /^CapEff:\t0+$/m.test(status),
  };
}

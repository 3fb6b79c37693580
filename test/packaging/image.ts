// What the image of the Dockerfile would run, without a container runtime: the same files, user,
// environment and command in a read-only root.

import { spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endings, Lacking, temporaryDirectory } from '../system/endings.ts';
import { Process } from '../system/process.ts';
import {
  copiesOf,
  environmentOf,
  readDockerfile,
  type Stage,
  textsOf,
  wordsOf,
} from './dockerfile.ts';

const root = join(import.meta.dirname, '../..');
const isolation = ['--mount', '--pid', '--net', '--fork'] as const;

/** Builds what the image holds, starts it, and looks at it. @returns whether all is well */
export async function imageRuns(endings: Endings): Promise<boolean> {
  const [build, image] = readDockerfile();
  if (build === undefined || image === undefined) throw new Error('the Dockerfile has no stages');
  if (spawnSync('unshare', [...isolation, 'true']).status !== 0) {
    throw new Lacking('unshare makes no namespaces here');
  }
  const room = temporaryDirectory(endings, 'edge-image-');
  const [program, volume, empty] = ['program', 'volume', 'root'].map((name) => join(room, name));
  if (program === undefined || volume === undefined || empty === undefined) throw new Error(room);
  for (const path of [volume, empty]) mkdirSync(path);
  makeProgram(build, image, { room, program });
  const user = textsOf(image, 'USER').at(-1) ?? '';
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  chownSync(volume, uid, gid);

  const { PATH = '', ...environment } = environmentOf(image);
  const started = new Process(
    endings,
    [...[empty, program, volume, user], ...wordsOf(image, 'ENTRYPOINT'), ...wordsOf(image, 'CMD')],
    { ...environment, PATH: `${PATH}:${process.env['PATH']}` },
    ['unshare', ...isolation, '--kill-child', 'sh', join(import.meta.dirname, 'image-root.sh')],
  );
  await started.says('stdout', 'ready https://');
  const first = firstProcessOf(started);
  const inside = (words: readonly string[]) =>
    spawnSync(
      'nsenter',
      [
        ...['--target', first, '--mount', '--net', '--pid', '--root'],
        ...['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...words],
      ],
      { stdio: 'ignore' },
    ).status;
  const facts = {
    'the health check of the image succeeds': inside(wordsOf(image, 'HEALTHCHECK')) === 0,
    'the root is read-only': inside(['touch', '/opt/edge-control/x']) !== 0,
    'the volume is writable': inside(['touch', '/var/lib/edge-control/x']) === 0,
    ...rightsOf(first, uid),
  };
  process.kill(Number(first), 'SIGTERM');
  const { code, stderr } = await started.ended;
  return told({ ...facts, 'SIGTERM ends it cleanly': code === 0 }, stderr);
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
      throw new Lacking(`the registry does not serve: ${command}`);
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

/** The process that unshare started, by its id outside of the namespace. */
function firstProcessOf({ child: { pid } }: Process): string {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
}

function rightsOf(pid: string, uid: number): Readonly<Record<string, boolean>> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    'it is the first process of its namespace': /^NSpid:\t\d+\t1$/m.test(status),
    'it runs as the user of the image': new RegExp(`^Uid:(\t${uid}){4}$`, 'm').test(status),
    'it has no capabilities': /^CapEff:\t0+$/m.test(status),
  };
}

/** Prints the facts, and with one that is wrong what the process said. */
function told(facts: Readonly<Record<string, boolean>>, stderr: string): boolean {
  for (const [fact, isTrue] of Object.entries(facts)) {
    console.log(`${isTrue ? 'ok' : 'not ok'} - ${fact}`);
  }
  const isWell = Object.values(facts).every((isTrue) => isTrue);
  if (!isWell) console.log(stderr);
  return isWell;
}

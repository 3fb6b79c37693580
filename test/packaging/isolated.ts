// A controller that sees a read-only root with its program and one volume, and nothing else of
// this machine: as in a container, without a container runtime.

import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Endings, Lacking } from '../system/endings.ts';
import { Process } from '../system/process.ts';

const isolation = ['--mount', '--pid', '--net', '--fork'] as const;

/** @throws Lacking where there are no namespaces. */
export function needNamespaces(): void {
  if (spawnSync('unshare', [...isolation, 'true']).status !== 0) {
    throw new Lacking('unshare makes no namespaces here');
  }
}

/** The program that runs isolated, and its surroundings. */
export interface IsolatedProgram {
  /** A directory for the root and the volume. */
  readonly room: string;
  /** It becomes /opt/edge-control. */
  readonly program: string;
  /** UID:GID. */
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly command: readonly string[];
}

/** A controller that serves. */
export interface Isolated {
  readonly process: Process;
  /** The id of its first process, outside of its namespace, which ends with that. */
  readonly pid: string;
  /** Runs a command beside it, as its user. @returns the exit code */
  inside(words: readonly string[]): number | null;
}

/** Starts a controller and waits until it serves. */
export async function startIsolated(
  endings: Endings,
  { room, program, user, environment, command }: IsolatedProgram,
): Promise<Isolated> {
  const [volume, empty] = [join(room, 'volume'), join(room, 'root')];
  for (const path of [volume, empty]) mkdirSync(path);
  const [uid = 0, gid = 0] = user.split(':').map(Number);
  chownSync(volume, uid, gid);
  const script = join(import.meta.dirname, 'isolated-root.sh');
  const path = `${environment['PATH'] ?? ''}:${process.env['PATH']}`;
  const started = new Process(
    endings,
    [empty, program, volume, user, ...command],
    { ...environment, PATH: path },
    ['unshare', ...isolation, '--kill-child', 'sh', script],
  );
  await started.says('stdout', 'ready https://');
  const { pid: parent } = started.child;
  const pid = readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').trim();
  const kill = () => process.kill(Number(pid), 'SIGKILL');
  const ended = started.ended.then(() => true);
  // With the first process its namespace ends; unshare alone could be killed without it.
  endings.teardown(async () => {
    if (started.child.exitCode === null && started.child.signalCode === null) kill();
    await ended;
  });
  const entering = `--target=${pid} --mount --net --pid --root`.split(' ');
  const becoming = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  return {
    process: started,
    pid,
    inside: (words) =>
      spawnSync('nsenter', [...entering, ...becoming, ...words], { stdio: 'ignore' }).status,
  };
}

/** Prints the facts, and with one that is wrong what the process said. @returns whether all hold */
export function allHold(facts: Readonly<Record<string, boolean>>, stderr: string): boolean {
  for (const [fact, isTrue] of Object.entries(facts)) {
    console.log(`${isTrue ? 'ok' : 'not ok'} - ${fact}`);
  }
  const isWell = Object.values(facts).every((isTrue) => isTrue);
  if (!isWell) console.log(stderr);
  return isWell;
}

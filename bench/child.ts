// Starts what needs a process of its own, so that its CPU and its heap are its alone.

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nodePath } from './server/controller-process.ts';
import { nextMessage } from './server/next-message.ts';

/** A started process that speaks by messages. */
export interface BenchProcess {
  readonly pid: number;
  /** Sends a message and waits for the answer. */
  ask(question: object): Promise<unknown>;
  /** Waits for a message that nobody asked for. */
  hear(): Promise<unknown>;
  stop(): void;
}

/** Forks a module. */
export function forkBench(module: URL, words: readonly string[]): BenchProcess {
  const file = fileURLToPath(module);
  const child = fork(file, words, {
    execPath: nodePath,
    execArgv: ['--disable-warning=ExperimentalWarning'],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // The pool that the controller gives itself (src/main.ts).
    env: { ...process.env, UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())) },
  });
  const hear = (): Promise<unknown> => nextMessage(child, file);
  return {
    pid: child.pid ?? 0,
    hear,
    ask: (question) => {
      const answer = hear();
      child.send(question);
      return answer;
    },
    stop: () => {
      if (child.connected) child.disconnect();
    },
  };
}

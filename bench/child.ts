// Starts modules in a process of their own, with CPU and heap of their own.

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nodePath } from './server/controller-process.ts';
import { nextMessage } from './server/next-message.ts';

/** A started process that communicates by messages. */
export interface BenchProcess {
  readonly pid: number;
  /** Sends a message and waits for the answer. */
  ask(question: object): Promise<unknown>;
  /** Waits for a message that is not an answer. */
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
    // The size of the pool that the controller sets for itself (src/main.ts).
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

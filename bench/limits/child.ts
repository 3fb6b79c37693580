// Starts the limits that need a process of their own, so that their CPU is theirs alone.

import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nodePath } from '../server/controller-process.ts';
import { nextMessage } from '../server/next-message.ts';

/** A started process that speaks by messages. */
export interface LimitProcess {
  readonly pid: number;
  /** Sends a message and waits for the answer. */
  ask(question: object): Promise<unknown>;
  /** Waits for a message that nobody asked for. */
  hear(): Promise<unknown>;
  stop(): void;
}

/** Forks `file` of this folder. */
export function forkLimit(file: 'argon2.ts' | 'empty-handler.ts', words: string[]): LimitProcess {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), words, {
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

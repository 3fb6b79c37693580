// Waits for a message of a forked process, or for its end.

import type { ChildProcess } from 'node:child_process';

/** The next message of `child`. Rejects if it ends instead, with `name` in the message. */
export function nextMessage(child: ChildProcess, name: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const heard = (message: unknown): void => {
      child.off('exit', ended);
      resolve(message);
    };
    const ended = (code: number | null): void => {
      child.off('message', heard);
      reject(new Error(`${name} ended with ${code}`));
    };
    child.once('message', heard);
    child.once('exit', ended);
  });
}

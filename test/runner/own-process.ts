// Runs a test file in a process of its own.

import { once } from 'node:events';
import { type FileRun, readRun } from './file-run.ts';
import { fileTimeoutMs, killLater, startNode } from './process.ts';

/** Runs the file at a path below the root of the project. */
export async function runAlone(file: string, timeoutMs: number = fileTimeoutMs): Promise<FileRun> {
  const startedAtMs = performance.now();
  const child = startNode(file, ['ignore', 'pipe', 'pipe']);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const deadline = killLater(child, timeoutMs);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  const end = `${signal ?? code}${deadline.remark()}`;
  return readRun(output, { isOk: code === 0, end, startedAtMs });
}

// A small program with an inspector, as a real process of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import type { Test } from 'tap';
import { inspectorFlags } from '../../bench/server/inspector.ts';

/** One that runs. */
export interface InspectedProgram {
  /** Its standard error, which tells where its inspector is. */
  readonly logFile: string;
  readonly stdin: Writable;
  /** What it says, line by line. */
  readonly lines: AsyncIterator<string>;
}

/** Starts `file` of the folder `room`; the test's end kills it. */
export function startInspected(t: Test, room: string, file: string): InspectedProgram {
  const logFile = join(room, 'log');
  writeFileSync(logFile, '');
  const log = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...inspectorFlags, join(room, file)], {
    stdio: ['pipe', 'pipe', log],
  });
  closeSync(log);
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('no pipes');
  const closed = once(child, 'close');
  t.teardown(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return { logFile, stdin, lines: createInterface(stdout)[Symbol.asyncIterator]() };
}

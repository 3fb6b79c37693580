// Runs the program of this directory, which asks Porcupine about histories.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildGoProgram } from '../../go-program.ts';
import type { Operation } from '../history.ts';

/** Ignored by git. */
const output = join(import.meta.dirname, '../../../../.tap/linearizability');

/** The verdict of the program. */
export interface Verdict {
  readonly isLinearizable: boolean;
  /** Which record is not, and where a picture of it is; or why there is no verdict. */
  readonly text: string;
}

/** The checker of histories. */
export class Checker {
  readonly #program: string;

  private constructor(program: string) {
    this.#program = program;
  }

  /**
   * Builds it, and sees to it that it accepts what is linearizable and nothing else.
   * @throws Lacking where there is no Go, or its modules cannot be had
   */
  static open(directory: string): Checker {
    const module = import.meta.dirname;
    const place = { module, program: '.', output, name: 'linearizability' };
    const checker = new Checker(buildGoProgram(place));
    for (const [name, { is, history }] of Object.entries(samples)) {
      const path = join(directory, `sample-${name}.jsonl`);
      writeFileSync(path, history.map((line) => `${JSON.stringify(line)}\n`).join(''));
      const { isLinearizable, text } = checker.check(path);
      if (isLinearizable === (is === 'linearizable')) continue;
      throw new Error(`the checker is wrong about the sample ${name}: ${text}`);
    }
    return checker;
  }

  /** Checks a file of JSON lines. @throws Error if it cannot be decided */
  check(path: string): Verdict {
    const { status, stdout, stderr, error } = spawnSync(this.#program, [path], {
      encoding: 'utf8',
    });
    const text = `${stdout}${stderr}${error ?? ''}`.trim();
    if (status !== 0 && status !== 1) throw new Error(`no verdict on ${path}: ${text}`);
    return { isLinearizable: status === 0, text };
  }
}

interface Sample {
  readonly is: 'linearizable' | 'not linearizable';
  readonly history: readonly Operation[];
}

/** Histories of one or two records, of which it is plain what they are. */
const samples: Readonly<Record<string, Sample>> = {
  'one-after-the-other': {
    is: 'linearizable',
    history: [read(0, 0, 1), write(1, 2, 3), read(1, 4, 5)],
  },
  'at-the-same-time': {
    is: 'linearizable',
    history: [write(1, 0, 10), read(0, 1, 2), read(1, 3, 4), write(2, 3, 5), read(2, 6, 7)],
  },
  'open-and-done-later': {
    is: 'linearizable',
    history: [write(1, 0), write(2, 1, 2), read(2, 3, 4), read(1, 5, 6)],
  },
  'open-and-never-done': {
    is: 'linearizable',
    history: [write(1, 0), write(2, 1, 2), read(2, 3, 4)],
  },
  'stale-read': {
    is: 'not linearizable',
    history: [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)],
  },
  'lost-write': {
    is: 'not linearizable',
    history: [write(1, 0, 1), read(0, 2, 3)],
  },
  'read-before-it-was-written': {
    is: 'not linearizable',
    history: [read(1, 0, 1), write(1, 2, 3)],
  },
  'done-twice': {
    is: 'not linearizable',
    history: [write(1, 0), read(1, 1, 2), write(2, 3, 4), read(2, 5, 6), read(1, 7, 8)],
  },
  'seen-and-unseen': {
    is: 'not linearizable',
    history: [write(1, 0, 10), read(1, 1, 2), read(0, 3, 4)],
  },
  'second-record': {
    is: 'not linearizable',
    history: [write(1, 0, 1), read(1, 2, 3), { ...read(7, 0, 1), record: 'other' }],
  },
};

function write(value: number, invoked: number, returned?: number): Operation {
  const asked = { record: 'one', client: value, kind: 'write', value, invoked } as const;
  return returned === undefined ? asked : { ...asked, returned };
}

function read(value: number, invoked: number, returned: number): Operation {
  return { record: 'one', client: 9, kind: 'read', value, invoked, returned };
}

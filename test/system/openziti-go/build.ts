// Builds the Go programs of this directory: the client of `run.ts`, the router and the traffic of
// `../go-router/run.ts` and `../stock-router/run.ts`.

import { join } from 'node:path';
import { buildGoProgram } from '../go-program.ts';

/** Ignored by git. */
const output = join(import.meta.dirname, '../../../.tap/openziti-go');

const names = { '.': 'client', './twin': 'twin', './traffic': 'traffic' } as const;

/** A program by the package that it is built of. */
export type GoProgram = '.' | './twin' | './traffic';

/** Builds a program. @returns its path @throws Lacking */
export function buildGo(program: GoProgram): string {
  return buildGoProgram({ module: import.meta.dirname, program, output, name: names[program] });
}

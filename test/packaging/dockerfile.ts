// The Dockerfile as data: its stages and their instructions.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** One instruction, such as `COPY bin/ bin/`. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** From one FROM to the next. */
export interface Stage {
  readonly base: string;
  readonly instructions: readonly Instruction[];
}

/** Reads the Dockerfile of the repository. */
export function readDockerfile(): readonly Stage[] {
  const whole = readFileSync(join(root, 'Dockerfile'), 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const stages: { base: string; instructions: Instruction[] }[] = [];
  for (const line of whole.split('\n').filter((one) => one !== '')) {
    const [, name = '', text = ''] = /^\s*([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') stages.push({ base: text, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, text });
  }
  return stages;
}

/** The texts of the instructions of that name. */
export function textsOf({ instructions }: Stage, name: string): readonly string[] {
  return instructions.filter((one) => one.name === name).map(({ text }) => text);
}

/** What `COPY` takes from the repository or, with `fromBuild`, from the first stage. */
export function copiesOf(
  stage: Stage,
  fromBuild = false,
): readonly { readonly from: string; readonly to: string }[] {
  return textsOf(stage, 'COPY').flatMap((text) => {
    const words = text.split(' ').filter((word) => word !== '--from=build');
    if (text.includes('--from=') !== fromBuild) return [];
    const to = words.pop() ?? '';
    return words.map((from) => ({ from, to: to === './' ? from : to }));
  });
}

/** The variables that it sets. */
export function environmentOf(stage: Stage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    textsOf(stage, 'ENV').map((text) => {
      const [name = '', value = ''] = text.split(/=(.*)/);
      return [name, value] as const;
    }),
  );
}

/** The words of an instruction in the form of a JSON array, the last of that name. */
export function wordsOf(stage: Stage, name: string): readonly string[] {
  const text = textsOf(stage, name).at(-1) ?? '[]';
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

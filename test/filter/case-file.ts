// Reads cases.txt: a table of things, then filters with the result of each.

import type { Thing } from './things.ts';

/** A filter and what must come of it. */
export interface Case {
  readonly line: number;
  readonly title: string;
  readonly filter: string;
  readonly result: string;
}

export interface CaseFile {
  readonly things: readonly Thing[];
  readonly cases: readonly Case[];
}

/** @throws SyntaxError with the line that is not understood. */
export function readCaseFile(text: string): CaseFile {
  const things: Thing[] = [];
  const cases: Case[] = [];
  let title = '';
  let filter: string | undefined;
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('## ')) title = line.slice(3);
    else if (line.startsWith('#') || line.trim() === '') continue;
    else if (title === '') {
      if (!line.startsWith('id ')) things.push(thingOf(line));
    } else if (filter === undefined) filter = line;
    else {
      cases.push({ line: at + 1, title, filter, result: resultOf(line, at + 1) });
      filter = undefined;
    }
  }
  if (filter !== undefined) throw new SyntaxError(`the last filter has no result: ${filter}`);
  return { things, cases };
}

function resultOf(line: string, at: number): string {
  if (line === '=> nothing') return '';
  if (line.startsWith('=> ')) return line.slice(3);
  if (line.startsWith('error at ')) return line;
  throw new SyntaxError(`line ${at}: neither \`=> …\` nor \`error at …\``);
}

function thingOf(line: string): Thing {
  const cells = line.trim().split(/ {2,}/);
  const cell = (at: number): string | undefined => (cells[at] === '-' ? undefined : cells[at]);
  const list = (at: number): string[] => cell(at)?.split(',') ?? [];
  const [id = '', cost, isAdmin, createdAt] = [cells[0], cell(2), cell(3), cell(4)];
  return {
    id,
    name: cell(1),
    cost: cost === undefined ? undefined : Number(cost),
    isAdmin: isAdmin === undefined ? undefined : isAdmin === 'true',
    createdAt: createdAt === undefined ? undefined : Date.parse(createdAt),
    roleAttributes: list(5),
    ports: list(6).map(Number),
    flags: [],
    visits: [],
    tags: JSON.parse(cells[7] ?? '') as Thing['tags'],
    friends: list(8),
  };
}

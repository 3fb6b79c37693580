// The cases of cases.txt, as they stand there.

import { readFileSync } from 'node:fs';
import t from 'tap';
import { parseQuery } from '../../src/filter/parse.ts';
import { FilterError } from '../../src/filter/scope.ts';
import { readCaseFile } from './case-file.ts';
import { chosen, type World, worldOf } from './things.ts';

const path = `${import.meta.dirname}/cases.txt`;
const { things, cases } = readCaseFile(readFileSync(path, 'utf8'));

/** What comes of a filter, as cases.txt spells it. */
function resultOf(filter: string, world: World): string {
  try {
    return chosen(parseQuery(filter), world)
      .map(({ id }) => id)
      .join(' ');
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    const { message, position, expected } = error;
    const wanted = expected.length === 0 ? '' : `; expected ${expected.join(', ')}`;
    return `error at ${position}: ${message}${wanted}`;
  }
}

/** Whether an actual result is the one that is written; `…` at its end stands for anything. */
function isResult(actual: string, written: string): boolean {
  return written.endsWith('…') ? actual.startsWith(written.slice(0, -1)) : actual === written;
}

t.test('the cases', async (t) => {
  const world = worldOf(things);
  t.ok(cases.length >= 100, `${cases.length} cases`);
  for (const { line, title, filter, result } of cases) {
    const actual = resultOf(filter, world);
    t.ok(isResult(actual, result), `${title}, line ${line}: ${filter}`, {
      wanted: result,
      found: actual,
    });
  }
});

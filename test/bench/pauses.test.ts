// Pauses, computed from how late a timer was, and how long it only waited for a core.

import { appendFileSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { pausesOf, pausesWhile } from '../../bench/server/pauses.ts';
import { startInspected } from './inspected-program.ts';

t.test('quantiles are of all lateness, the longest of its own without the waits', async (t) => {
  const found = Array.from({ length: 1000 }, (_, n): [number, number] => [n / 1000, 0]);
  found.push([12, 9], [7, 0.5]);
  const { p99Ms, longestMs, longestOwnMs } = pausesOf(found);
  t.equal(p99Ms, 0.991);
  t.equal(longestMs, 12);
  t.equal(longestOwnMs, 6.5, 'the one of 12 ms waited for most of it');
});

t.test('without samples there is no pause', async (t) => {
  t.same(pausesOf([]), { p99Ms: 0, p999Ms: 0, longestMs: 0, longestOwnMs: 0 });
});

/** It is hardly ever anywhere but in its timers: what an inspector asks for comes amid them. */
const program = `
  const again = () => setTimeout(again, 1);
  for (let count = 0; count < 300; count++) again();
  require('node:readline').createInterface(process.stdin).on('line', console.log);
`;

t.test(
  'the watched process continues, wherever it was when the watch began and ended',
  async (t) => {
    const room = t.testdir({ 'program.cjs': program });
    const { logFile, stdin, lines } = startInspected(t, room, 'program.cjs');
    const answers = async (line: string) => {
      stdin.write(`${line}\n`);
      return (await lines.next()).value;
    };
    t.equal(await answers('up'), 'up');
    for (let round = 0; round < 500; round++) {
      const { result } = await pausesWhile({ logFile }, () => answers(String(round)));
      if (result !== String(round)) return t.fail(`it has ended in round ${round}`);
    }
  },
);

t.test('an incomplete line of its log does not count', async (t) => {
  const room = t.testdir({ 'program.cjs': program });
  const { logFile, stdin, lines } = startInspected(t, room, 'program.cjs');
  stdin.write('up\n');
  await lines.next();
  const halfWritten = join(room, 'half-written');
  copyFileSync(logFile, halfWritten);
  appendFileSync(halfWritten, 'Debugger ending on ws://127.0.0.1:9/7c');
  const { result } = await pausesWhile({ logFile: halfWritten }, async () => 'watched');
  t.equal(result, 'watched');
});

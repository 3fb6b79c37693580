// Whatever the cases do, all data is whole afterwards: what an integrity run looks for is what the
// code keeps.

import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { bootNetwork } from '../simulated/network.ts';
import { AnswerCheck } from './answer-check.ts';
import { readCases } from './case-file.ts';
import type { Captures } from './match.ts';
import { take } from './take-step.ts';

const folder = new URL('./cases/', import.meta.url);
const check = new AnswerCheck();

for (const file of readdirSync(folder).sort()) {
  t.test(file, async (t) => {
    for (const { title, steps } of readCases(readFileSync(new URL(file, folder), 'utf8'))) {
      const network = await bootNetwork();
      const captures: Captures = new Map();
      for (const step of steps) await take(network, step, captures, check);
      const { integrity } = network.env;
      if (!integrity.results.inProgress) integrity.start(false);
      await network.advance(1000);
      const { inProgress, error, results } = integrity.results;
      t.same({ inProgress, error, results }, { inProgress: false, error: '', results: [] }, title);
      await network.stop();
    }
  });
}

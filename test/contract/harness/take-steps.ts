// Takes the steps of a case, up to the first that is not answered as it should be.

import type { Test } from 'tap';
import type { Network } from '../../simulated/network.ts';
import type { AnswerCheck } from './answer-check.ts';
import type { Case } from './case-file.ts';
import type { Captures } from './match.ts';
import { take } from './take-step.ts';

/** Takes all steps of a case; fails the test at the first problem, or if an error was logged. */
export async function takeSteps(
  t: Test,
  network: Network,
  { steps }: Case,
  check: AnswerCheck,
): Promise<void> {
  const captures: Captures = new Map();
  for (const step of steps) {
    const problem = await take(network, step, captures, check);
    if (problem === undefined) continue;
    t.fail(`line ${step.line}: ${problem}`);
    break;
  }
  t.same(network.logged, [], 'nothing went wrong inside');
}

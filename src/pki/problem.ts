// What is wrong with keys, certificates or their configuration, said in one sentence.

import { StartProblem } from '../errors.ts';

/**
 * A start that cannot go on for want of usable keys or certificates; `message` is for the operator.
 */
export class PkiProblem extends StartProblem {
  override readonly name = 'PkiProblem';
}

// The error for problems with keys, certificates or their configuration, as one sentence.

import { StartProblem } from '../errors/errors.ts';

/**
 * A start that cannot continue without usable keys or certificates; `message` is for the operator.
 */
export class PkiProblem extends StartProblem {
  override readonly name = 'PkiProblem';
}

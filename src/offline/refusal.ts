// Turns the reason why a command cannot read a home into one sentence for the operator.

import { NewerFormat } from '../../snapshots/errors.ts';
import { StartProblem } from '../errors.ts';
import { NewerRecord } from '../store/record.ts';

/**
 * The StartProblem for a refusal by the home or the system. Other errors are returned unchanged.
 */
export function asRefusal(thrown: unknown, home: string): unknown {
  if (thrown instanceof NewerFormat || thrown instanceof NewerRecord) {
    return new StartProblem(thrown.message);
  }
  if (!(thrown instanceof Error) || !('code' in thrown)) return thrown;
  return new StartProblem(`The home ${home} cannot be read: ${thrown.message}.`);
}

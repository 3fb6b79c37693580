// A question before something is changed.

import type { ProcessContext } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';

/** Asks at a terminal. @returns whether the answer is y or yes; nothing typed is no */
export async function agreed(
  question: string,
  context: Pick<ProcessContext, 'answerInput' | 'err'>,
): Promise<boolean> {
  try {
    const answer = await context.answerInput.ask(printable(question));
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    context.err('\n');
    return false;
  }
}

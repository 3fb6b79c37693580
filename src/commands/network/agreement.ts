// A question before something is changed.

import type { ProcessContext } from '../../assembly/process-context.ts';
import { printable } from '../../platform/printable.ts';
import { CommandFailure } from './command-failure.ts';

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

/** Refuses a question that nobody can answer. @throws CommandFailure before anything is sent */
export function refuseUnasked(
  flags: Readonly<Record<string, unknown>>,
  { answerInput }: Pick<ProcessContext, 'answerInput'>,
): void {
  if (flags['yes'] === true || answerInput.isTerminal) return;
  throw CommandFailure.wrong('there is nobody to ask: give --yes. Nothing was sent.');
}

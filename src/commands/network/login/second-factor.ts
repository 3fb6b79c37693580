// Asks a person for the code that a login still owes.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { answered, type ControllerClient, RequestRefused } from '../../../client/index.ts';
import { CommandFailure } from '../command-failure.ts';

/**
 * Completes the session of a client.
 * @throws CommandFailure for a wrong code, and without a terminal
 */
export async function giveSecondFactor(
  { client }: ControllerClient,
  { answerInput }: Pick<ProcessContext, 'answerInput'>,
): Promise<void> {
  if (!answerInput.isTerminal) {
    throw CommandFailure.notAllowed(
      'a second factor is needed, and there is nobody to ask for it.',
    );
  }
  const code = await answerInput.ask('Code of the second factor: ');
  try {
    await answered(client.POST('/authenticate/mfa', { body: { code: code.trim() } }));
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
    throw CommandFailure.notAllowed(`the code was refused: ${error.message}`);
  }
}

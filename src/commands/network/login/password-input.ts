// A password that a command needs: from a file, from standard input, or typed at the terminal.

import { resolve } from 'node:path';
import { reasonOf } from '../../../../snapshots/errors.ts';
import type { ProcessContext } from '../../../assembly/process-context.ts';
import { printable } from '../../../platform/printable.ts';
import { withoutLineEnd } from '../../../platform/terminal.ts';
import { CommandFailure } from '../command-failure.ts';
import { textOf } from '../connection/connection-plan.ts';

type Flags = Readonly<Record<string, unknown>>;

/** Refuses a question for a password that nobody can answer. @throws CommandFailure */
export function refuseWithoutPassword(
  owner: string,
  { passwordFile }: Flags,
  { secretInput }: Pick<ProcessContext, 'secretInput'>,
): void {
  if (passwordFile !== undefined || secretInput.isTerminal) return;
  throw CommandFailure.wrong(
    `there is nobody to ask for the password of ${owner}: give --password-file FILE, or - for standard input.`,
  );
}

/**
 * The password of `--password-file`, or the one that is typed without an echo.
 * @throws CommandFailure if it cannot be read
 */
export async function passwordOf(
  owner: string,
  { passwordFile }: Flags,
  context: ProcessContext,
): Promise<string> {
  if (typeof passwordFile === 'string') {
    const file = passwordFile === '-' ? '-' : resolve(context.directory, passwordFile);
    return withoutLineEnd(textOf(context, file));
  }
  try {
    return withoutLineEnd(await context.secretInput.ask(printable(`Password of ${owner}: `)));
  } catch (error) {
    throw CommandFailure.wrong(`the password cannot be read: ${reasonOf(error)}.`);
  }
}

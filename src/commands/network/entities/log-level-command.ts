// `log-level`: what a controller logs at present.

import { logLevels } from '../../../observe/logs.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import { announce, type ConnectedCommand } from '../connection/connected-command.ts';

/** Prints the least level that is logged, or changes it. @throws CommandFailure */
export async function showOrSetLogLevel(command: ConnectedCommand, word: string): Promise<void> {
  const { connection, context } = command;
  if (word === '') {
    const answer = await connection.ask('GET', '/inspect/log-level');
    const { data } = answer as { readonly data: { readonly level: string } };
    return context.out(`${printable(data.level)}\n`);
  }
  const level = logLevels.find((one) => one === word);
  if (level === undefined) {
    throw CommandFailure.wrong(
      `the level is ${JSON.stringify(word)} but must be one of ${logLevels.join(', ')}.`,
    );
  }
  announce(command);
  await connection.ask('PUT', '/inspect/log-level', { level });
  context.out(`the controller logs ${level} and above until its next start\n`);
}

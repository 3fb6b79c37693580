// A command that asks or changes a controller, and what all of them do alike.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { printable } from '../../../platform/printable.ts';
import { CommandFailure } from '../command-failure.ts';
import type { KindRow } from '../kinds/kind.ts';
import { type Entity, entityNamed } from '../kinds/names.ts';
import type { Connection } from './connection.ts';

/** A command with its connection and its flags. */
export interface ConnectedCommand {
  readonly connection: Connection;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly context: ProcessContext;
}

/** Names the controller on standard error, before something is changed there. */
export function announce({ connection, context }: ConnectedCommand): void {
  context.err(`controller: ${printable(connection.url)} (${printable(connection.shown)})\n`);
}

/**
 * The entity of a name; undefined, with a note, where none has it and `--ignore-missing` is given.
 * @throws CommandFailure
 */
export async function entityUnlessMissing(
  { connection, flags, context }: ConnectedCommand,
  kind: KindRow,
  name: string,
): Promise<Entity | undefined> {
  try {
    return await entityNamed(connection, kind, name);
  } catch (error) {
    const isMissing = error instanceof CommandFailure && error.details.code === 'NOT_FOUND';
    if (!isMissing || flags['ignoreMissing'] !== true) throw error;
    context.err(`there is no ${kind.title} ${JSON.stringify(name)}\n`);
    return undefined;
  }
}

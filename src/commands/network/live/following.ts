// Commands that go on until they are interrupted: they come back after a lost connection.

import type { ProcessContext } from '../../../assembly/process-context.ts';
import { StartProblem } from '../../../errors/errors.ts';
import { printable } from '../../../platform/printable.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandFailure } from '../command-failure.ts';
import { type Connection, whileConnected } from '../connection/connection.ts';
import type { NetworkFlags } from '../connection/connection-plan.ts';

/** How long it waits before it connects again. */
const againMs = 1000;

/** A command that goes on. */
export interface Following {
  readonly flags: NetworkFlags;
  readonly context: ProcessContext;
  /** Aborted by Ctrl-C, SIGTERM, or a key. */
  readonly stop: AbortSignal;
}

/** Begins such a command, which Ctrl-C and SIGTERM end. */
export function following(
  flags: NetworkFlags,
  context: ProcessContext,
  stop = new AbortController(),
): Following {
  context.onSignal(() => stop.abort());
  return { flags, context, stop: stop.signal };
}

/** Whether a command goes on: nobody has interrupted it, and somebody reads it. */
export function goesOn({ context, stop }: Following): boolean {
  return !stop.aborted && !context.outIsClosed();
}

/** Waits, but not longer than the command goes on. */
export async function pause({ context, stop }: Following, delayMs: number): Promise<void> {
  if (stop.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stop.addEventListener('abort', () => resolve(), { once: true });
  await Promise.race([context.sleep(delayMs), promise]);
}

/**
 * Lets `use` work with a connection, and with a new one whenever that one is lost or `use` returns,
 * until the command is interrupted. The session, the port of a home and the node of a cluster may
 * be others then.
 * @returns the exit code
 * @throws CommandFailure if the first connection fails, and for what another try would not change
 */
export async function whileFollowing(
  command: Following,
  use: (connection: Connection) => Promise<void>,
  notes: LossNotes,
): Promise<number> {
  return await Promise.race([followed(command, use, notes), interrupted(command)]);
}

/** How long an interrupted command may take to end by itself: a request may hang. @bound */
const endMsMax = 500;

/** The exit code of an interruption, once the command should have ended by itself. */
export async function interrupted({ context, stop }: Following): Promise<number> {
  await new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
  });
  await context.sleep(endMsMax);
  return exitCodes.interrupted;
}

async function followed(
  command: Following,
  use: (connection: Connection) => Promise<void>,
  notes: LossNotes,
): Promise<number> {
  let wasConnected = false;
  while (goesOn(command)) {
    let reason: string | undefined;
    try {
      await whileConnected(command.flags, command.context, async (connection) => {
        await connection.client();
        wasConnected = true;
        notes.back();
        await use(connection);
      });
    } catch (error) {
      if (!wasConnected || !isPassing(error)) throw error;
      reason = error.message;
    }
    if (!goesOn(command)) break;
    notes.lost(reason);
    await pause(command, againMs);
  }
  return command.stop.aborted ? exitCodes.interrupted : exitCodes.stopped;
}

/** Is told of lost connections. */
export interface LossNotes {
  /** @param reason undefined when the controller has ended the feed without an error */
  lost(reason: string | undefined): void;
  back(): void;
}

/** Says once per loss on standard error that the command waits for the controller. */
export function lossNotes(context: Pick<ProcessContext, 'err'>): LossNotes {
  let isLost = false;
  return {
    lost(reason) {
      if (reason === undefined || isLost) return;
      context.err(`${printable(reason)} Trying again.\n`);
      isLost = true;
    },
    back() {
      if (isLost) context.err('connected again\n');
      isLost = false;
    },
  };
}

/** Whether the same may succeed later: the controller is not there, or has no time. */
function isPassing(error: unknown): error is Error {
  // A home whose controller has ended says no port.
  if (error instanceof StartProblem) return true;
  if (!(error instanceof CommandFailure)) return false;
  return error.exitCode === exitCodes.unreachable || error.exitCode === exitCodes.notYetStarted;
}

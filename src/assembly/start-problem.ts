// Turns the error of a failed start into a sentence for the operator.

import * as durability from '../../snapshots/errors.ts';
import { StreamMisconfigured, StreamUnreachable } from '../cluster/stream.ts';
import { ApiError, StartProblem } from '../errors/errors.ts';
import { NewerRecord } from '../store/record.ts';
import { homeRefusal } from './home-refusal.ts';

/**
 * A problem that the operator can fix becomes one sentence; a bug in the program keeps its stack.
 */
export function asStartProblem(thrown: unknown, home: string): unknown {
  if (thrown instanceof StartProblem) return thrown;
  if (thrown instanceof ApiError) {
    const { cause } = thrown;
    const detail = cause !== undefined && 'field' in cause ? ` ${cause.field} ${cause.reason}` : '';
    return new StartProblem(`${thrown.message}${detail}`);
  }
  // The command line chooses its exit code by the cause.
  const because = { cause: thrown };
  if (thrown instanceof StreamMisconfigured) {
    const again = 'Change that, then start this node again.';
    return new StartProblem(
      `The NATS servers cannot be used: ${thrown.message}. ${again}`,
      because,
    );
  }
  if (thrown instanceof StreamUnreachable) {
    const again = 'Start this node again when a majority of them serves.';
    return new StartProblem(
      `The NATS servers cannot be asked: ${thrown.message}. ${again}`,
      because,
    );
  }
  const error = asError(thrown);
  const { code, syscall } = error as NodeJS.ErrnoException;
  const refusal = homeRefusal(home, error);
  if (refusal !== undefined) return new StartProblem(refusal, because);
  if (syscall !== undefined) {
    // An error of the operating system; a failed read does not even name its file.
    return new StartProblem(
      `The home ${home} cannot be used: ${error.message}. See to its disk and rights.`,
      because,
    );
  }
  const isKnown = ownErrors.some((type) => error instanceof type) || code !== undefined;
  return isKnown ? new StartProblem(error.message, because) : error;
}

/** Makes an `Error` of anything that was thrown. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const ownErrors: readonly (abstract new (...args: never[]) => Error)[] = [
  durability.HomeLocked,
  durability.LogCorrupt,
  durability.RecoverToUnreachable,
  durability.NewerFormat,
  durability.OtherMembership,
  durability.SyncFailed,
  NewerRecord,
];

// Turns errors of the client into failures of a command, with sentences and exit codes.

import { systemCodeOf } from '../../../../snapshots/errors.ts';
import { ControllerUnreachable, RequestRefused } from '../../../client/index.ts';
import { exitCodes } from '../../exit-codes.ts';
import { CommandFailure } from '../command-failure.ts';

/** The failure that an error of the client stands for; other errors are bugs and stay. */
export function failureOf(error: unknown): unknown {
  if (error instanceof ControllerUnreachable) {
    const isRefused = systemCodeOf(error.cause) === 'ECONNREFUSED';
    const advice = ' Is it running? On its machine: edge-control status --home DIR';
    return CommandFailure.unreachable(`${error.message}${isRefused ? advice : ''}`);
  }
  if (!(error instanceof RequestRefused)) return error;
  const { status, requestId, message } = error;
  const code = error.code === '' ? 'FAILED' : error.code;
  // Requests and codes mean nothing to a person; JSON has the code.
  const told = message.slice(Math.max(0, message.indexOf(`${code} `))).replace(`${code} `, '');
  const sentence = `the controller refused it: ${told}`;
  return new CommandFailure(exitCodeOf(status), sentence, { code, status, requestId });
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (status === 404) return exitCodes.notFound;
  return status === 429 || status === 503 ? exitCodes.notYetStarted : exitCodes.failed;
}

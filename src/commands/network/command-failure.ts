// Why a command of a network fails, with the exit code that scripts decide by.

import { exitCodes } from '../exit-codes.ts';

/** The members by which programs tell failures apart. */
export interface FailureDetails {
  /** A code of docs/generated/errors.md, or of this command line. */
  readonly code: string;
  /** HTTP status, where a controller answered. */
  readonly status?: number;
  readonly requestId?: string;
}

/** A command cannot be carried out; the message is a sentence without `edge-control:`. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;
  readonly details: FailureDetails;

  constructor(exitCode: number, message: string, details: FailureDetails) {
    super(message);
    this.exitCode = exitCode;
    this.details = details;
  }

  /** Wrong words, flags or files; nothing was sent. */
  static wrong(message: string): CommandFailure {
    return new CommandFailure(exitCodes.notStarted, message, { code: 'WRONG_COMMAND' });
  }

  /** Nothing, or more than one entity, has a name. */
  static notFound(message: string, code = 'NOT_FOUND'): CommandFailure {
    return new CommandFailure(exitCodes.notFound, message, { code });
  }

  /** Nobody is logged in, a second factor is missing, or the caller lacks a right. */
  static notAllowed(message: string, details: Partial<FailureDetails> = {}): CommandFailure {
    return new CommandFailure(exitCodes.notAllowed, message, { code: 'UNAUTHORIZED', ...details });
  }

  /** Whether an error is one that `notAllowed` makes. */
  static isNotAllowed(error: unknown): boolean {
    return error instanceof CommandFailure && error.exitCode === exitCodes.notAllowed;
  }

  /** No whole answer came, or another controller gave it. */
  static unreachable(message: string): CommandFailure {
    return new CommandFailure(exitCodes.unreachable, message, { code: 'UNREACHABLE' });
  }

  /** It failed in between, or a person answered no. */
  static failed(message: string): CommandFailure {
    return new CommandFailure(exitCodes.failed, message, { code: 'FAILED' });
  }
}

/** A failure as a line of standard error: a sentence, or JSON if the command prints JSON. */
export function failureText(
  { message, exitCode, details }: CommandFailure,
  isJson: boolean,
): string {
  if (!isJson) return `edge-control: ${message}`;
  const { code, status, requestId } = details;
  return JSON.stringify({ error: { code, message, status, requestId, exitCode } });
}

// What goes wrong below the application, as errors of the API.

import { FrameTooLarge, JournalStalled } from '../../../snapshots/errors.ts';
import type { Journal } from '../../../snapshots/journal.ts';
import { basePaths } from '../../declare/operations/apis.ts';
import { ApiError, fieldError } from '../../errors/errors.ts';
import { NotFinalized } from '../../store/record.ts';
import { DuplicateKey, TableFull } from '../../store/table.ts';
import { Busy } from '../../turns/admission.ts';
import { withoutLastSlash } from './routes.ts';

/** An error of the lower layers as an error of the API. */
export function translated(thrown: unknown): unknown {
  if (thrown instanceof DuplicateKey) {
    return fieldError(thrown.field, 'is in use already', thrown.value);
  }
  if (thrown instanceof NotFinalized) return new ApiError('UPGRADE_NOT_FINAL');
  if (thrown instanceof TableFull) return new ApiError('TOO_MANY_RECORDS');
  if (thrown instanceof Busy) return new ApiError('SERVER_TOO_MANY_REQUESTS');
  if (thrown instanceof JournalStalled) return new ApiError('STORAGE_UNAVAILABLE');
  if (thrown instanceof FrameTooLarge) {
    return fieldError('body', 'makes a record that is too large', '');
  }
  return thrown;
}

/** For an answer that depends on a change which does not become durable. */
export function notDurable(): ApiError {
  return new ApiError('STORAGE_UNAVAILABLE', {
    message:
      'The storage does not respond at the moment, and the answer depends on a change that is not durable yet.',
  });
}

/** Whether the log accepts writes but has no room at present. */
export function isCrowd(thrown: unknown, { health }: Journal): boolean {
  return thrown instanceof JournalStalled && health.state === 'writable';
}

/**
 * 404 for a path that no operation has: it says which paths there are (behaviour/requests#paths).
 */
export function unknownPath(path: string): ApiError {
  const { cause } = fieldError('path', 'is unknown', withoutLastSlash(path));
  return new ApiError('NOT_FOUND', cause === undefined ? {} : { message: served, cause });
}

const bases = new Intl.ListFormat('en').format(Object.values(basePaths));
const served = `There is nothing at this path. The controller serves ${bases}.`;

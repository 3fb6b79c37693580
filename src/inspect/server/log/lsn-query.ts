// Numbers of frames as clients send them.

import type { Lsn } from '../../../../snapshots/journal.ts';
import { fieldError } from '../../../errors/errors.ts';

/**
 * A whole number; undefined where `text` is empty or absent. @throws ApiError COULD_NOT_VALIDATE.
 */
export function wholeNumber(
  field: string,
  text: string | null,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): Lsn | undefined {
  if (text === null || text === '') return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw fieldError(field, `must be a whole number from ${least} to ${most}`, text);
}

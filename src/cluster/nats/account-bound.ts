// The room of the account at NATS, as its servers tell it.

import type { StoreBound } from '../shared-snapshots.ts';
import { isBytes } from './server-bound.ts';
import { fieldOf } from './sync-always.ts';

/**
 * The room of the account by what a server told; undefined if it has no limit, or if a limit is no
 * number of bytes. An account without one limit has others for streams with one number of copies.
 * Both count each copy.
 * @param copies that the streams have
 */
export function accountBound(told: unknown, copies: number): StoreBound | undefined {
  const account = fieldOf(fieldOf(told, 'tiers'), `R${copies}`) ?? told;
  const usedBytes = fieldOf(account, 'storage') ?? 0;
  const bytesMax = fieldOf(fieldOf(account, 'limits'), 'max_storage');
  if (!isBytes(usedBytes) || !isBytes(bytesMax) || bytesMax === 0) return undefined;
  return { of: 'The account at NATS', usedBytes, bytesMax, copies };
}

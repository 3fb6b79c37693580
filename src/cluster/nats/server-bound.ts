// The room of a NATS server, as its monitoring port tells it.

import type { StoreBound } from '../shared-snapshots.ts';
import { fieldOf } from './sync-always.ts';

/**
 * The room of a server by what its monitoring port told; undefined if it has no limit, or if that
 * is no answer of a server: a node's entry cannot hold what is no number of bytes.
 */
export function serverBound(address: string, told: unknown): StoreBound | undefined {
  const storage = fieldOf(told, 'storage');
  // NATS omits the field when it is 0.
  const usedBytes = storage === undefined ? 0 : storage;
  const bytesMax = fieldOf(fieldOf(told, 'config'), 'max_storage');
  if (!isBytes(usedBytes) || !isBytes(bytesMax) || bytesMax === 0) return undefined;
  const of = `The NATS server with the monitoring port ${address}`;
  return { of, usedBytes, bytesMax, copies: 1 };
}

/** Whether a field is a number of bytes: larger numbers than can be told apart are none. */
export function isBytes(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

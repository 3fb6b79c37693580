// The hash by which a record is found instead of its token, so that no start and no look-up opens a
// sealed text.

import { hash } from 'node:crypto';
import type { TokenHash } from '../platform/ids.ts';

/**
 * SHA-256 of a token in base64url. Tokens are UUIDs of 122 random bits: a token cannot be found by
 * its hash, so neither salt nor stretching is needed.
 */
export function tokenHash(token: string): TokenHash {
  return hash('sha256', token, 'base64url') as TokenHash;
}

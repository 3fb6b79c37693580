// What a record is found by in place of its token, so that no start and no look-up opens a sealed
// text.

import { hash } from 'node:crypto';

/**
 * SHA-256 of a token in base64url. Tokens are UUIDs of 122 random bits: nobody finds one by its
 * hash, so neither salt nor stretching is called for.
 */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'base64url');
}

// The part of the controller that the OIDC provider has for itself.

import type { Log } from '../observe/logs.ts';
import type { Random } from '../platform/ports.ts';
import type { Store } from '../store/store.ts';
import { WaitingRequests } from './auth-requests.ts';

/** The part of the provider. */
export interface OidcPart {
  readonly waitingRequests: WaitingRequests;
  /** 256 random bits in base64url: a code, or the value that only one login page has. */
  newSecret(): string;
  /** Logs that a refresh token was used after its successor. */
  logReuse(fields: { readonly identityId: string; readonly apiSessionId: string }): void;
  /** Logs that the claims of a token had to be shortened. */
  logShortened(fields: { readonly identityId: string }): void;
}

/** What the part is built from. */
export interface OidcOptions {
  readonly store: Store;
  readonly random: Random;
  readonly log: Log;
}

/** Creates the part. */
export function createOidc({ store, random, log }: OidcOptions): OidcPart {
  return {
    waitingRequests: new WaitingRequests(store),
    newSecret: () => random.bytes(32).toString('base64url'),
    logReuse: (fields) =>
      log.warn(
        fields,
        'a refresh token was used after its successor, so the API session was ended',
      ),
    logShortened: (fields) =>
      log.warn(
        fields,
        'a token was issued without config types and environment, as it was too long',
      ),
  };
}

// What authentication adds to what operations may use of the controller.

import type { Transaction } from '../store/transaction.ts';
import type { Activity } from './activity.ts';
import type { SharedHasher } from './admission.ts';
import type { CallerRates } from './caller-rates.ts';
import type { ClientChains } from './client-chain.ts';
import type { ExternalJwts } from './external-jwt.ts';
import type { Lockouts } from './lockout.ts';
import type { Mfa } from './mfa.ts';
import type { PasswordCheck } from './password.ts';
import type { RecentLogins } from './recent-logins.ts';
import type { Sealing } from './sealing.ts';

/** The part of authentication. */
export interface AuthEnvironment {
  readonly activity: Activity;
  /** Hashes through the bounded queue; rejects with Busy. */
  readonly hasher: SharedHasher;
  readonly checkPassword: PasswordCheck;
  readonly lockouts: Lockouts;
  /** Limits how fast each identity may log in, write and filter lists. */
  readonly rates: CallerRates;
  /** Recent logins by address and user name. */
  readonly recentLogins: RecentLogins;
  /** The secrets and codes of second factors. */
  readonly mfa: Mfa;
  /** Opens and seals the sealed values of records. */
  readonly sealing: Sealing;
  /** Judges the certificates that a client shows. */
  readonly clientChains: ClientChains;
  /** Judges the bearer tokens of a request. */
  readonly externalJwts: ExternalJwts;
  /** Ends all API sessions of an identity, large numbers of them by deferred cascades. */
  endApiSessions(tx: Transaction, identityId: string): void;
  /**
   * Ends the API sessions of an authenticator except one, if the configuration says that they end
   * with it. The sessions of a deleted authenticator end without this call.
   */
  endSessionsOfAuthenticator(tx: Transaction, id: string, exceptId: string | undefined): void;
}

declare module '../declare/environment.ts' {
  interface Environment extends AuthEnvironment {}
}

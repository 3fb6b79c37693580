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
  /** Behind the bounded queue; rejects with Busy. */
  readonly hasher: SharedHasher;
  readonly checkPassword: PasswordCheck;
  readonly lockouts: Lockouts;
  /** How fast each identity may log in, write and have lists filtered. */
  readonly rates: CallerRates;
  /** Who logged in from where, lately. */
  readonly recentLogins: RecentLogins;
  /** The secrets and codes of second factors. */
  readonly mfa: Mfa;
  /** Opens and seals what records hold sealed. */
  readonly sealing: Sealing;
  /** Who vouches for the certificates that a client shows. */
  readonly clientChains: ClientChains;
  /** What the bearer tokens of a request prove. */
  readonly externalJwts: ExternalJwts;
  /** Ends all API sessions of an identity, large numbers of them by deferred cascades. */
  endApiSessions(tx: Transaction, identityId: string): void;
  /**
   * Ends the API sessions that were opened by an authenticator, but for one, where the
   * configuration says that they end with it. Of one that is deleted they do so by themselves.
   */
  endSessionsOfAuthenticator(tx: Transaction, id: string, exceptId: string | undefined): void;
}

declare module '../declare/environment.ts' {
  interface Environment extends AuthEnvironment {}
}

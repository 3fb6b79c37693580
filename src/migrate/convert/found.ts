// What conversions ask about the records that were converted before them.

import type { X509Certificate } from 'node:crypto';
import type { AuthPolicyRecord } from '../../records/auth-policy.ts';
import type { PeerNetwork } from '../peer/entity.ts';
import { AdministratorLogins } from './administrators.ts';
import { endingSessions } from './ending-sessions.ts';
import { NewestTime } from './newest-time.ts';
import { SecondAuthenticators } from './second-authenticators.ts';

/** A third-party CA. */
export interface ThirdParty {
  readonly id: string;
  readonly certificate: X509Certificate;
}

/** The few values that decide about later records. Conversions write and read them. */
export class FoundRecords {
  readonly secondAuthenticators: SecondAuthenticators;
  /** API sessions whose deletion the peer had begun. */
  readonly endingSessions: ReadonlySet<string>;
  readonly newestTime = new NewestTime();
  /** Whether an administrator can log in. */
  readonly logins = new AdministratorLogins();
  /** The schema of each config type, as it is in the home. */
  readonly schemas = new Map<string, object>();
  /** The third-party CAs, each with its certificate. */
  readonly thirdParties: ThirdParty[] = [];
  /** What each auth policy demands besides the login. */
  readonly secondary = new Map<string, AuthPolicyRecord['secondary']>();
  /** The third-party CA of each authenticator that has one. */
  readonly caOfAuthenticators = new Map<string, string>();
  /** Identities with a verified second factor. */
  readonly secondFactors = new Set<string>();

  /** @throws SourceDamaged as `endingSessions` */
  constructor(network: PeerNetwork) {
    this.secondAuthenticators = new SecondAuthenticators(network);
    this.endingSessions = endingSessions(network);
  }
}

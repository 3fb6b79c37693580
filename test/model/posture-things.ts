// What the naive world of the posture model consists of: plain objects, as clients know them.

/** An identity with what its endpoints told. Times are wall-clock ms everywhere. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly isDefaultAdmin: boolean;
  attributes: readonly string[];
  isAdmin: boolean;
  /** Whether its auth policy is the one whose `requireTotp` is switched on and off. */
  isStrict: boolean;
  /** When its disabling ends, infinity for never; undefined while it is enabled. */
  disabledUntil: number | undefined;
  sdk: { readonly type: string; readonly version: string } | undefined;
  mfa: Mfa | undefined;
  readonly data: Submitted;
  /** Sessions that posture refused, as JSON, the oldest first; only memory knows them. */
  refused: string[];
  /** The stamp of its service updates is at least this. */
  mustAt: number;
  /** And it has not moved to a later moment than this. */
  mayAt: number;
}

/** An MFA enrollment. */
export interface Mfa {
  isVerified: boolean;
  readonly createdAt: number;
  /** Base32. */
  readonly secret: string;
  codes: readonly string[];
  /** The last time step that authenticate-MFA accepted. */
  lastStep: number;
  /** The last time step that any operation accepted. */
  usedStep: number;
  /**
   * Monotonic ms at which that was; undefined since a restart. While an app may still show the
   * code, it serves other operations too.
   */
  usedAt: number | undefined;
}

/** What the endpoints of an identity submitted. */
export interface Submitted {
  os?: { readonly type: string; readonly version: string };
  domain?: string;
  macAddresses?: readonly string[];
  /** The latest last. */
  processes: readonly SubmittedProcess[];
}

/** A response of type PROCESS. */
export interface SubmittedProcess {
  readonly checkId: string;
  readonly path: string;
  readonly isRunning: boolean;
  readonly hash: string;
  readonly signers: readonly string[];
}

/** An API session. */
export interface ApiSession {
  readonly id: string;
  readonly token: string;
  readonly identityId: string;
  readonly createdAt: number;
  isMfaRequired: boolean;
  isMfaComplete: boolean;
  mfaPassedAt: number | undefined;
  wokenAt: number | undefined;
  unlockedAt: number | undefined;
  /** The stamp of service updates that was read last. */
  lastRead: number | undefined;
}

/** A service or an edge router. */
export interface Member {
  readonly id: string;
  readonly name: string;
  attributes: readonly string[];
  /** Counts changes of any kind. */
  revision: number;
}

/** Kinds that policies select from. */
export type Space = 'identity' | 'service' | 'router' | 'check';

/** Families of policies, by the paths of their operations. */
export type Family = 'service-policies' | 'edge-router-policies' | 'service-edge-router-policies';

/** What sessions are for. */
export type AccessType = 'Dial' | 'Bind';

/** A policy of any family. */
export interface Policy {
  readonly id: string;
  readonly family: Family;
  readonly name: string;
  semantic: 'AllOf' | 'AnyOf';
  /** Of service policies. */
  type: AccessType | undefined;
  roles: Readonly<Partial<Record<Space, readonly string[]>>>;
}

/** A process that a check asks for. */
export interface WantedProcess {
  readonly osType: string;
  readonly path: string;
  readonly hashes: readonly string[];
  readonly signers: readonly string[];
}

/** What a check asks for, by type. */
export type Wanted =
  | {
      readonly typeId: 'OS';
      readonly systems: readonly { readonly type: string; readonly versions: readonly string[] }[];
    }
  | { readonly typeId: 'DOMAIN'; readonly domains: readonly string[] }
  | { readonly typeId: 'MAC'; readonly macAddresses: readonly string[] }
  | { readonly typeId: 'PROCESS'; readonly process: WantedProcess }
  | {
      readonly typeId: 'PROCESS_MULTI';
      readonly semantic: 'AllOf' | 'AnyOf';
      readonly processes: readonly WantedProcess[];
    }
  | {
      readonly typeId: 'MFA';
      /** -1 for never. */
      readonly timeoutSeconds: number;
      readonly promptOnWake: boolean;
      readonly promptOnUnlock: boolean;
      readonly ignoreLegacyEndpoints: boolean;
    };

/** A posture check. */
export interface Check extends Member {
  wanted: Wanted;
}

/** A session. */
export interface Session {
  readonly id: string;
  readonly apiSessionId: string;
  readonly identityId: string;
  readonly serviceId: string;
  readonly type: AccessType;
  /** Policies that passed when it was made. */
  readonly policyIds: readonly string[];
}

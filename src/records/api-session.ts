// API sessions: the life between authenticate and log-out (behaviour/api-sessions).

import Type from 'typebox';
import { apiSession, type JwtSession } from '../../machines/api-session.ts';
import {
  field,
  optional,
  optionalTokenHash,
  reference,
  sealedIfAny,
  time,
} from '../declare/kinds/field.ts';
import { defineKind, type RecordOf } from '../declare/kinds/kind.ts';
import { tokenHash } from './token-hash.ts';

const text = () => field(Type.String(), { fallback: '', write: 'never', symbol: 'string' });

const stamp = (since: number) => time({ write: 'never', show: 'never', since });

const flag = () => field(Type.Boolean(), { fallback: false, write: 'never', symbol: 'boolean' });

/** Indexes among the values of each version. */
const createdAtAt = 0;
const tokenAt = 5;
const isMfaCompleteAt = 11;
const mfaPassedAtAt = 14;

/** Records from this version on tell the client that logged in. */
const clientVersion = 5;

/** Records from this version on may have JWTs in place of an opaque token. */
const jwtVersion = 6;

/** As `JwtSession` says. */
const jwtSchema = Type.Object({
  clientId: Type.String(),
  began: Type.String(),
  factors: Type.Array(Type.String()),
  authenticatedAt: Type.Integer(),
  until: Type.Integer(),
  generation: Type.Integer(),
  usedAt: Type.Integer(),
});

/** The stored side of API sessions. */
export const apiSessionKind = defineKind({
  kind: 'apiSession',
  version: jwtVersion,
  fields: {
    state: field(Type.String(), { fallback: 'partial', write: 'never', show: 'never' }),
    /** Clients that call already have it; routers will need it for clients that do not call. */
    token: sealedIfAny(),
    identityId: reference('identity', {
      inverse: 'apiSessions',
      onDelete: 'cascade',
      write: 'never',
    }),
    authenticatorId: field(Type.String(), {
      fallback: '',
      write: 'never',
      symbol: 'string',
      grouped: true,
    }),
    configTypes: field(Type.Array(Type.String()), { fallback: [], write: 'never' }),
    ipAddress: text(),
    isMfaRequired: flag(),
    isMfaComplete: flag(),
    improperClientCertChain: flag(),
    lastActivityAt: time({ write: 'never' }),
    // Times of events that posture checks ask for (behaviour/posture#data); durable, so that a
    // restart ends no session.
    mfaPassedAt: stamp(2),
    wokenAt: stamp(2),
    unlockedAt: stamp(2),
    tokenHash: optionalTokenHash({ since: 3 }),
    /** The third-party CA that issued the certificate of the login. */
    caId: optional(Type.String(), { write: 'never', show: 'never', grouped: true, since: 3 }),
    /**
     * When the JWT expires that completed the second factor
     * (behaviour/api-sessions#secondary-jwts).
     */
    secondFactorUntil: stamp(4),
    /** SDK and application of the client as it named them at its login, for operators. */
    sdk: optional(Type.String(), { write: 'never', show: 'never', since: clientVersion }),
    client: optional(Type.String(), { write: 'never', show: 'never', since: clientVersion }),
    /** Undefined for a session with an opaque token. */
    jwt: optional(jwtSchema, { write: 'never', show: 'never', since: jwtVersion }),
  },
  migrations: {
    // Version 3 seals the token and appends tokenHash and caId.
    2: (values, seal) => {
      const token = String(values[tokenAt]);
      return [...values.with(tokenAt, seal('token', token)), tokenHash(token), undefined];
    },
    // Version 4 appends secondFactorUntil. From then on mfaPassedAt says whether a code was
    // accepted; in version 1 only isMfaComplete said so, and it was after the creation.
    3: (values) => {
      const isUntimed = values[isMfaCompleteAt] === true && values[mfaPassedAtAt] == null;
      const timed = isUntimed ? values.with(mfaPassedAtAt, values[createdAtAt]) : values;
      return [...timed, undefined];
    },
  },
  downgrades: {
    6: (values) => (values.at(-1) == null ? values.slice(0, -1) : undefined),
    5: (values) => {
      const [sdk, client] = values.slice(-2);
      return sdk == null && client == null ? values.slice(0, -2) : undefined;
    },
  },
  many: ['sessions', 'certificates'],
  recordsMax: 'apiSessionsMax',
  calledBy: ['identityId'],
  machine: { declaration: apiSession, creates: 'authenticate', removes: 'remove' },
});

/**
 * Whether API sessions may tell of their clients: not while nodes of the former release read what
 * is written (behaviour/cluster#formats), because no login may be refused for that.
 */
export function keepsClientFacts({ writtenVersion }: { readonly writtenVersion: number }): boolean {
  return writtenVersion >= clientVersion;
}

/** Whether API sessions may begin with the OIDC provider: not while older nodes read them. */
export function keepsJwts({ writtenVersion }: { readonly writtenVersion: number }): boolean {
  return writtenVersion >= jwtVersion;
}

/** The sort of an API session: whether its client has JWTs of the OIDC provider. */
export function sortOf({ jwt }: { readonly jwt?: JwtSession | undefined }): 'jwt' | 'legacy' {
  return jwt === undefined ? 'legacy' : 'jwt';
}

/** A stored API session. */
export type ApiSessionRecord = RecordOf<typeof apiSessionKind.fields>;

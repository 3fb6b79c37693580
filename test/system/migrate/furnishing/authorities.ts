// Who vouches for identities besides the network: CAs, signers of JWTs and auth policies.

import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { authorityExtensions, type OpensslCertificate } from '../../../simulated/openssl.ts';
import { management } from '../../client.ts';
import { happens, someOf, tagsOf } from './choices.ts';
import { type Furnishing, make, makeMany } from './furnishing.ts';

/** A CA that was verified, and a signer whose key is here. */
export interface Authorities {
  readonly ca: { readonly id: string; readonly certificate: OpensslCertificate };
  readonly signer: Signer;
  /** Authentication policies that let everybody in who has a certificate or a password. */
  readonly policies: readonly string[];
  /** The policy that asks for a second factor. */
  readonly secondFactor: string;
  /** The policy that locks out after three wrong passwords. */
  readonly lockout: string;
}

/** Whose JWTs a network accepts. */
export interface Signer {
  readonly id: string;
  readonly issuer: string;
  readonly audience: string;
  readonly kid: string;
  readonly key: KeyObject;
}

/** Makes two CAs, three signers and some policies. */
export async function makeAuthorities(furnishing: Furnishing): Promise<Authorities> {
  const ca = await makeCas(furnishing);
  const signer = await makeSigners(furnishing);
  return { ca, signer, ...(await makePolicies(furnishing, signer.id)) };
}

async function makeCas(furnishing: Furnishing): Promise<Authorities['ca']> {
  const { admin, dice, openssl } = furnishing;
  const certificate = openssl.certificate({
    subject: '/CN=Root of others',
    extensions: authorityExtensions,
  });
  const id = await make(furnishing, 'cas', {
    name: 'others',
    certPem: certificate.pem,
    identityRoles: someOf(dice, ['red', 'from others']),
    identityNameFormat: '[caName] [commonName]',
    isAuthEnabled: true,
    isOttCaEnrollmentEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    tags: tagsOf(dice),
  });
  const { verificationToken } = await admin.ask('GET', `${management}/cas/${id}`);
  const proof = openssl.certificate({ subject: `/CN=${verificationToken}`, issuer: certificate });
  const verify = { body: proof.pem, contentType: 'text/plain', token: admin.token };
  const { status } = await admin.client.call('POST', `${management}/cas/${id}/verify`, verify);
  if (status !== 200) throw new Error(`the CA was not verified: ${status}`);
  await make(furnishing, 'cas', {
    name: 'not verified',
    certPem: openssl.certificate({ subject: '/CN=Another root', extensions: authorityExtensions })
      .pem,
    identityRoles: [],
    isAuthEnabled: happens(dice, 5),
    isOttCaEnrollmentEnabled: happens(dice, 5),
    isAutoCaEnrollmentEnabled: happens(dice, 5),
    externalIdClaim: dice.one(externalIdClaims),
  });
  return { id, certificate };
}

const externalIdClaims = [
  {
    location: 'COMMON_NAME',
    index: 0,
    matcher: 'ALL',
    matcherCriteria: '',
    parser: 'NONE',
    parserCriteria: '',
  },
  {
    location: 'SAN_URI',
    index: 2,
    matcher: 'SCHEME',
    matcherCriteria: 'spiffe',
    parser: 'SPLIT',
    parserCriteria: ',',
  },
  {
    location: 'SAN_EMAIL',
    index: 1,
    matcher: 'SUFFIX',
    matcherCriteria: '@example.com',
    parser: 'NONE',
    parserCriteria: '',
  },
];

async function makeSigners(furnishing: Furnishing): Promise<Signer> {
  const { dice, openssl } = furnishing;
  const certificate = openssl.certificate({ subject: '/CN=Signer' });
  const named = { issuer: 'https://signer.example', audience: 'network', kid: 'key-1' };
  const id = await make(furnishing, 'external-jwt-signers', {
    name: 'by certificate',
    ...named,
    certPem: certificate.pem,
    enabled: true,
    useExternalId: true,
    claimsProperty: 'sub',
    tags: tagsOf(dice),
  });
  await make(furnishing, 'external-jwt-signers', {
    name: 'by address',
    issuer: 'https://provider.example',
    audience: 'network',
    jwksEndpoint: 'https://provider.example/keys',
    enabled: happens(dice, 5),
    useExternalId: happens(dice, 5),
    claimsProperty: dice.one(['email', 'sub', '/deep/claim']),
    externalAuthUrl: 'https://provider.example/login',
    clientId: 'network-client',
    scopes: someOf(dice, ['openid', 'email', 'offline_access']),
    targetToken: dice.one(['ACCESS', 'ID']),
  });
  return { id, ...named, key: keyOf(certificate) };
}

function keyOf({ keyPath }: OpensslCertificate): KeyObject {
  return createPrivateKey(readFileSync(keyPath));
}

async function makePolicies(
  furnishing: Furnishing,
  signerId: string,
): Promise<Pick<Authorities, 'policies' | 'secondFactor' | 'lockout'>> {
  const { dice } = furnishing;
  const policy = (updb: object, secondary: object) => ({
    primary: {
      cert: { allowed: true, allowExpiredCerts: happens(dice, 5) },
      extJwt: { allowed: happens(dice, 5), allowedSigners: someOf(dice, [signerId]) },
      updb: { ...openPasswords, ...updb },
    },
    secondary: { requireTotp: false, ...secondary },
    tags: tagsOf(dice),
  });
  const policies = await makeMany(furnishing, 'auth-policies', 3, (number) => ({
    name: `policy ${number}`,
    ...policy(
      {
        minPasswordLength: dice.integer(5, 12),
        requireMixedCase: happens(dice, 5),
        requireNumberChar: happens(dice, 5),
        requireSpecialChar: happens(dice, 5),
      },
      {},
    ),
  }));
  const secondFactor = await make(furnishing, 'auth-policies', {
    name: 'two factors',
    ...policy({}, { requireTotp: true }),
  });
  const lockout = await make(furnishing, 'auth-policies', {
    name: 'lock out',
    ...policy({ maxAttempts: 3, lockoutDurationMinutes: 600 }, {}),
  });
  await make(furnishing, 'auth-policies', {
    name: 'second token',
    ...policy({}, { requireExtJwtSigner: signerId }),
  });
  return { policies: ['default', ...policies], secondFactor, lockout };
}

const openPasswords = {
  allowed: true,
  lockoutDurationMinutes: 0,
  maxAttempts: 0,
  minPasswordLength: 5,
  requireMixedCase: false,
  requireNumberChar: false,
  requireSpecialChar: false,
};

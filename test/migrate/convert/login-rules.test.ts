// CAs, external JWT signers and auth policies of the peer: who may log in, and how.

import t from 'tap';
import { type Made, makeCertificate } from '../../simulated/certificates.ts';
import {
  entity,
  flag,
  int,
  long,
  map,
  nil,
  type PeerValues,
  set,
  text,
  time,
} from '../peer/database.ts';
import { converted, nowMs, remarksOn } from './converted.ts';

const ca = ({ pem, fingerprint }: Made, fields: PeerValues = {}) =>
  entity({
    name: text('third'),
    certPem: text(pem),
    fingerprint: text(fingerprint),
    isVerified: flag(true),
    verificationToken: text('vNqw8d202'),
    isAuthEnabled: flag(true),
    isAutoCaEnrollmentEnabled: flag(true),
    isOttCaEnrollmentEnabled: flag(true),
    identityNameFormat: text('[caName]'),
    identityRoles: set(['b', 'a']),
    ...fields,
  });

const claim = (fields: PeerValues = {}) =>
  map({
    'externalIdClaim.location': text('SAN_URI'),
    'externalIdClaim.matcher': text('SCHEME'),
    'externalIdClaim.matcherCriteria': text('spiffe'),
    'externalIdClaim.parser': text('SPLIT'),
    'externalIdClaim.parserSeparator': text('/'),
    'externalIdClaim.index': long(2),
    ...fields,
  });

const keyType = 'ec-p256';
const wanted = { name: 'third', as: 'authority', keyType, nowMs } as const;
const [made, other] = [await makeCertificate(wanted), await makeCertificate(wanted)];

t.test('CAs', (t) => {
  const { record, report } = converted({
    kinds: {
      cas: {
        a: ca(made, { externalIdClaim: claim() }),
        b: ca(other, {
          name: text('unverified'),
          isVerified: flag(false),
          identityNameFormat: text(''),
          identityRoles: set([]),
          fingerprint: text('ab'),
        }),
      },
    },
  });
  t.match(record('ca', 'a'), {
    state: 'verified',
    name: 'third',
    certPem: made.pem,
    fingerprint: made.fingerprint,
    verificationToken: 'vNqw8d202',
    identityNameFormat: '[caName]',
    identityRoles: ['a', 'b'],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
    externalIdClaim: {
      location: 'SAN_URI',
      matcher: 'SCHEME',
      matcherCriteria: 'spiffe',
      parser: 'SPLIT',
      parserCriteria: '/',
      index: 2,
    },
    jwt: undefined,
    isUnconfirmed: undefined,
  });
  t.match(record('ca', 'b'), {
    state: 'unverified',
    identityNameFormat: '[caName]-[commonName]',
    identityRoles: undefined,
    externalIdClaim: undefined,
    fingerprint: other.fingerprint,
  });
  t.same(remarksOn({ report }, 'cas', 'changed'), [
    'b: Its fingerprint was not that of its certificate, and is now.',
  ]);
  t.end();
});

t.test('CAs with claims that ours would not take', (t) => {
  const odd = claim({ 'externalIdClaim.matcher': text('PREFIX') });
  const unknown = claim({ 'externalIdClaim.parser': text('REGEX') });
  const { record, report } = converted({
    kinds: {
      cas: {
        a: ca(made, { externalIdClaim: odd }),
        b: ca(other, { name: text('other'), externalIdClaim: unknown }),
        c: ca(other, { name: text('broken'), certPem: text('no PEM') }),
      },
    },
  });
  t.match(record('ca', 'a'), { externalIdClaim: { matcher: 'PREFIX' } });
  t.match(record('ca', 'b'), { externalIdClaim: undefined });
  t.equal(record('ca', 'c'), undefined);
  t.match(remarksOn({ report }, 'cas', 'kept'), [
    'a: Its externalIdClaim is kept, although it is refused at a write: the matcher PREFIX is ' +
      'not for the location SAN_URI.',
  ]);
  t.match(remarksOn({ report }, 'cas', 'changed'), [
    'b: Its external id claim has a part that is unknown, and is dropped.',
  ]);
  t.match(remarksOn({ report }, 'cas', 'leftOut'), ['c: Its certificate text holds no PEM.']);
  t.end();
});

const signer = (fields: PeerValues = {}) =>
  entity({
    name: text('idp'),
    issuer: text('https://idp.example'),
    audience: text('edge'),
    kid: nil(),
    certPem: nil(),
    fingerprint: nil(),
    commonName: text(''),
    notBefore: nil(),
    notAfter: nil(),
    jwksEndpoint: text('https://idp.example/keys'),
    enabled: flag(true),
    claimsProperty: text('sub'),
    useExternalId: flag(true),
    externalAuthUrl: text('https://idp.example/login'),
    clientId: text('cli'),
    scopes: set(['openid']),
    targetToken: text('ACCESS'),
    enrollToCertEnabled: flag(false),
    enrollToTokenEnabled: flag(true),
    enrollNameClaimsSelector: text('/sub'),
    enrollAttributeClaimsSelector: text(''),
    enrollAuthPolicyId: text('default'),
    ...fields,
  });

t.test('external JWT signers', (t) => {
  const { record, report } = converted({
    kinds: {
      authPolicies: { strict: entity({ name: text('strict') }) },
      externalJwtSigners: {
        a: signer(),
        b: signer({
          name: text('b'),
          issuer: text('b'),
          audience: text(''),
          kid: text('k1'),
          certPem: text('PEM'),
          fingerprint: text('ABCD'),
          commonName: text('cn'),
          notBefore: time(1000),
          notAfter: time(2000),
          jwksEndpoint: nil(),
          claimsProperty: nil(),
          targetToken: text('REFRESH'),
          enrollAuthPolicyId: text('strict'),
          enrollNameClaimsSelector: nil(),
        }),
        c: signer({ name: text('c'), issuer: nil() }),
      },
    },
  });
  t.match(record('externalJwtSigner', 'a'), {
    name: 'idp',
    issuer: 'https://idp.example',
    audience: 'edge',
    kid: undefined,
    fingerprint: undefined,
    commonName: undefined,
    notBefore: undefined,
    jwksEndpoint: 'https://idp.example/keys',
    enabled: true,
    claimsProperty: 'sub',
    useExternalId: true,
    externalAuthUrl: 'https://idp.example/login',
    clientId: 'cli',
    scopes: ['openid'],
    targetToken: 'ACCESS',
    enrollToCertEnabled: undefined,
    enrollToTokenEnabled: true,
    enrollNameClaimsSelector: '/sub',
    enrollAttributeClaimsSelector: undefined,
    enrollAuthPolicyId: undefined,
  });
  t.match(record('externalJwtSigner', 'b'), {
    audience: undefined,
    kid: 'k1',
    certPem: 'PEM',
    fingerprint: 'abcd',
    commonName: 'cn',
    notBefore: 1000,
    notAfter: 2000,
    claimsProperty: '/sub',
    targetToken: 'ACCESS',
    enrollAuthPolicyId: 'strict',
  });
  t.same(remarksOn({ report }, 'externalJwtSigners', 'changed'), [
    'b: Its target token "REFRESH" is not known, and becomes ACCESS.',
  ]);
  t.same(remarksOn({ report }, 'externalJwtSigners', 'leftOut'), ['c: It names no issuer.']);
  t.end();
});

const policy = (name: string, fields: PeerValues = {}) =>
  entity({
    name: text(name),
    'primary.cert.allowed': flag(true),
    'primary.cert.allowExpiredCerts': flag(true),
    'primary.extJwt.allowed': flag(true),
    'primary.extJwt.allowedSigners': set([]),
    'primary.updb.allowed': flag(true),
    'primary.updb.lockoutDurationMinutes': long(5),
    'primary.updb.maxAttempts': long(4),
    'primary.updb.minPasswordLength': long(8),
    'primary.updb.requireMixedCase': flag(true),
    'primary.updb.requireNumberChar': flag(true),
    'primary.updb.requireSpecialChar': flag(true),
    'secondary.requireTotp': flag(true),
    'secondary.requireExtJwtSigner': nil(),
    ...fields,
  });

t.test('auth policies', (t) => {
  const { record, report } = converted({
    kinds: {
      externalJwtSigners: { idp: signer() },
      authPolicies: {
        a: policy('a', {
          'primary.extJwt.allowedSigners': set(['idp']),
          'secondary.requireExtJwtSigner': text('idp'),
        }),
        b: policy('b', {
          'primary.updb.minPasswordLength': long(1),
          'primary.updb.maxAttempts': int(-1),
          'primary.extJwt.allowedSigners': set(['gone', 'idp']),
        }),
        c: policy('c', { 'primary.extJwt.allowedSigners': set(['gone']) }),
        d: policy('d', { 'secondary.requireExtJwtSigner': text('gone') }),
      },
    },
  });
  t.match(record('authPolicy', 'a'), {
    primary: {
      cert: { allowed: true, allowExpiredCerts: true },
      extJwt: { allowed: true, allowedSigners: ['idp'] },
      updb: {
        allowed: true,
        lockoutDurationMinutes: 5,
        maxAttempts: 4,
        minPasswordLength: 8,
        requireMixedCase: true,
        requireNumberChar: true,
        requireSpecialChar: true,
      },
    },
    secondary: { requireTotp: true, requireExtJwtSigner: 'idp' },
  });
  t.match(record('authPolicy', 'b'), {
    primary: {
      extJwt: { allowed: true, allowedSigners: ['idp'] },
      updb: { minPasswordLength: 5, maxAttempts: 0 },
    },
  });
  t.match(record('authPolicy', 'c'), { primary: { extJwt: { allowed: false } } });
  t.match(
    record('authPolicy', 'd'),
    {
      primary: {
        cert: { allowed: false },
        extJwt: { allowed: false },
        updb: { allowed: false },
      },
      secondary: { requireTotp: true, requireExtJwtSigner: undefined },
    },
    'a demand that is dropped must not let anybody in',
  );
  t.same(remarksOn({ report }, 'authPolicies', 'changed'), [
    'b: It allows external JWT signers that do not exist, which are dropped: "gone".',
    'b: Its maxAttempts of -1 becomes 0, the least that there is.',
    'b: Its minPasswordLength of 1 becomes 5, the least that there is.',
    'c: It allows external JWT signers that do not exist, which are dropped: "gone". It allowed ' +
      'no others, so external JWTs are switched off in it.',
    'd: It demands a token of an external JWT signer that does not exist: the demand is dropped, ' +
      'and all its ways to log in are switched off.',
  ]);
  t.end();
});

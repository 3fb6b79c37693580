// MFA of the peer: secrets and codes are sealed in their places, and shorter ones taken.

import t from 'tap';
import { entity, flag, type PeerValues, set, text } from '../peer/database.ts';
import { type Converted, converted, identity, opened, remarksOn } from './converted.ts';

const factor = (fields: PeerValues = {}) =>
  entity({
    identity: text('me'),
    isVerified: flag(true),
    secret: text('ELK354EO3GGOQPBC'),
    salt: text(''),
    recoveryCodes: set(['2M74VB', '2X67OQ']),
    ...fields,
  });

const convertedOf = (fields: PeerValues): Converted =>
  converted({
    kinds: { identities: { me: identity('me') }, mfas: { mfa: factor(fields) } },
  });

t.test('secret and codes are sealed, each in its place', (t) => {
  const { record, report } = convertedOf({});
  const found = record('mfaEnrollment', 'mfa');
  t.match(found, { state: 'verified', identityId: 'me', wrongCodes: 0, lastTimeStep: 0 });
  const secret = opened(found?.['secret'], 'mfaEnrollment/mfa/secret');
  t.equal(secret.toString('hex'), '22d5bef08ed98ce83c22');
  const codes = opened(found?.['recoveryCodes'], 'mfaEnrollment/mfa/recoveryCodes');
  t.equal(codes.toString(), '2M74VB2X67OQ');
  t.notMatch(JSON.stringify(report), /ELK354EO3GGOQPBC|2M74VB/);
  t.end();
});

t.test('one that is not verified, without codes, with padding and a longer secret', (t) => {
  const { record } = convertedOf({
    isVerified: flag(false),
    recoveryCodes: set([]),
    secret: text(`${'mzxw6ytb'.repeat(4)}======`),
  });
  const found = record('mfaEnrollment', 'mfa');
  t.match(found, { state: 'pending' });
  const secret = opened(found?.['secret'], 'mfaEnrollment/mfa/secret');
  t.equal(secret.toString(), 'fooba'.repeat(4));
  t.equal(opened(found?.['recoveryCodes'], 'mfaEnrollment/mfa/recoveryCodes').length, 0);
  t.end();
});

t.test('codes of another length go, and are counted without being shown', (t) => {
  const { record, report } = convertedOf({ recoveryCodes: set(['ABCDEF', 'ABCDEFG', 'ÄÖÜÄÖÜ']) });
  const codes = record('mfaEnrollment', 'mfa')?.['recoveryCodes'];
  t.equal(opened(codes, 'mfaEnrollment/mfa/recoveryCodes').toString(), 'ABCDEF');
  t.same(remarksOn({ report }, 'mfas', 'changed'), [
    'mfa: Of its recovery codes, 2 do not have 6 characters and go.',
  ]);
  t.end();
});

t.test('a secret that cannot be read fails the migration: without it a login asks less', (t) => {
  for (const [secret, reason] of [
    ['', 'Its secret is no text in base32.'],
    ['no base 32', 'Its secret is no text in base32.'],
    ['MZXW6YTB', 'Its secret has 5 bytes, and not 10 to 64.'],
    ['A'.repeat(104), 'Its secret has 65 bytes, and not 10 to 64.'],
  ] as const) {
    const { record, report, book } = convertedOf({ secret: text(secret) });
    t.equal(record('mfaEnrollment', 'mfa'), undefined);
    t.equal(book.damagedCount, 1);
    t.same(remarksOn({ report }, 'mfas', 'damaged'), [`mfa: ${reason}`]);
  }
  t.end();
});

// Authenticators as they lie on disk: how the present version reads those of earlier ones.

import t from 'tap';
import { publicKeyFingerprint, publicKeyFingerprintIn } from '../../src/pki/x509/pem.ts';
import { type AuthenticatorRecord, authenticatorKind } from '../../src/records/authenticator.ts';
import { makeCertificate } from '../simulated/certificates.ts';

const nowMs = Date.UTC(2026, 0, 1);

t.test('a certificate of version 1 is known by its key, a password has none', async (t) => {
  const { pem, certificate, fingerprint } = await makeCertificate({
    name: 'one',
    as: 'end',
    keyType: 'ec-p256',
    nowMs,
  });
  const state = 'certificate:current,life:existing';
  const base = [nowMs, nowMs, null, null, state];
  const nothingPending = [null, null];
  const cert = [...base, 'cert', 'i', null, null, pem, fingerprint, ...nothingPending, true, null];
  const updb = [...base, 'updb', 'i', 'alice', 'phc', null, null, ...nothingPending, false, null];
  const read = (values: unknown[]) =>
    authenticatorKind.codec.decode('a', 1, values) as AuthenticatorRecord;
  t.match(read(cert), {
    certPem: pem,
    fingerprint,
    isIssuedByNetwork: true,
    publicKeyPrint: publicKeyFingerprint(certificate.publicKey),
    lastExtendRolledKeys: false,
    lastAuthResolvedToRoot: false,
  });
  t.match(read(updb), { username: 'alice', passwordHash: 'phc', lastAuthResolvedToRoot: false });
  t.same([read(cert).state, read(updb).state], [state, 'life:existing']);
  t.equal(read(updb).publicKeyPrint ?? undefined, undefined);
  const again = authenticatorKind.codec.encode(read(cert));
  t.same(authenticatorKind.codec.decode('a', 3, again), read(cert));
});

t.test(
  'the print of a key is SHA-256 of its DER, and none for what is no certificate',
  async (t) => {
    const { pem, certificate } = await makeCertificate({
      name: 'one',
      as: 'end',
      keyType: 'rsa-2048',
      nowMs,
    });
    const print = publicKeyFingerprint(certificate.publicKey);
    t.match(print, /^[0-9a-f]{64}$/);
    t.equal(publicKeyFingerprintIn(pem), print);
    t.equal(publicKeyFingerprintIn(pem + pem), print, 'the first of a chain');
    for (const none of [undefined, null, '', 'garbage', pem.slice(0, 200)]) {
      t.equal(publicKeyFingerprintIn(none), undefined);
    }
  },
);

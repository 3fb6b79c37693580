// The API key with EC and RSA keys: what it signs verifies, and what it publishes is its public
// half with the certificates above it.

import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import t from 'tap';
import { createApiKey } from '../../src/pki/tokens/signer.ts';
import { fingerprint } from '../../src/pki/x509/pem.ts';
import { makeCertificate } from '../simulated/certificates.ts';

const nowMs = Date.UTC(2026, 0, 1);

for (const [keyType, algorithm] of [
  ['ec-p256', 'ES256'],
  ['rsa-2048', 'RS256'],
] as const) {
  t.test(keyType, async (t) => {
    const root = await makeCertificate({ name: 'root', as: 'authority', keyType, nowMs });
    const wanted = { name: 'server', as: 'end', keyType, nowMs, issuer: root } as const;
    const { key, certificate } = await makeCertificate(wanted);
    const { signer, jwk } = createApiKey({ key, certificate, chain: [certificate] });
    t.match({ signer, jwk }, { signer: { algorithm }, jwk: { alg: algorithm, use: 'sig' } });
    t.equal(signer.kid, fingerprint(certificate));
    t.equal(jwk.kid, signer.kid);
    const [der = ''] = jwk.x5c ?? [];
    const published = new X509Certificate(Buffer.from(der, 'base64'));
    t.equal(published.fingerprint256, certificate.fingerprint256);
    const publicKey = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    t.ok(publicKey.equals(certificate.publicKey));
    const signature = Buffer.from(signer.signText('Zoë'), 'base64');
    const checked = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
    t.ok(verify('sha256', Buffer.from('Zoë'), checked, signature));
    // A server certificate that signed itself has nothing above it, and is still shown.
    t.equal(createApiKey({ key, certificate, chain: [] }).jwk.x5c?.length, 1);
  });
}

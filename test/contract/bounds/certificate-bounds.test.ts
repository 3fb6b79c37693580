// The bound of PEM text, wherever callers send some.

import t from 'tap';
import { pemCharactersMax } from '../../../src/pki/x509/certificate-text.ts';
import { makeCertificate } from '../../simulated/certificates.ts';
import { bootNetwork } from '../../simulated/network.ts';

t.test('PEM text over pemCharactersMax is refused', async (t) => {
  const network = await bootNetwork();
  const { pem } = await makeCertificate({
    name: 'root',
    as: 'authority',
    keyType: 'ec-p256',
    nowMs: network.clock.now(),
  });
  const most = pem.padEnd(pemCharactersMax, '\n');
  const wordy = `${most}\n`;
  const ca = {
    name: 'ca',
    identityRoles: [],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: true,
  };
  const signer = { name: 'signer', issuer: 'i', audience: 'a', enabled: true };
  const id = await network.create('cas', { ...ca, certPem: most });
  await network.create('external-jwt-signers', { ...signer, certPem: most });
  const alice = await network.createUser('alice', 'alice-password');
  const refused = [
    ['M:/cas', { ...ca, certPem: wordy }],
    ['M:/external-jwt-signers', { ...signer, certPem: wordy }],
    ['M:/authenticators', { method: 'cert', identityId: alice, certPem: wordy }],
  ] as const;
  for (const [path, body] of refused) {
    const answer = await network.call('POST', path, { body });
    t.match(answer, { status: 400, cause: { field: 'certPem' } }, path);
    t.ok(answer.body.length < 1000, 'and not all of it is echoed');
  }
  const answer = await network.call('POST', `M:/cas/${id}/verify`, { body: wordy });
  t.match(answer, { status: 400, code: 'COULD_NOT_PARSE_BODY' });
  t.same(network.logged, []);
  await network.stop();
});

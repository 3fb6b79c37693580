// Certificate requests that this program writes: read by our own reader, and by openssl.

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { t } from 'tap';
import { readCertificateRequest } from '../../src/pki/x509/csr.ts';
import { certificateRequest } from '../../src/pki/x509/csr-writer.ts';
import { Openssl } from '../simulated/openssl.ts';

t.test('a request names its subject and holds its key', (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const pem = certificateRequest(privateKey, 'aB3-x.9');
  const { commonName, publicKey, alternativeNames } = readCertificateRequest(pem, 'csr');
  t.equal(commonName, 'aB3-x.9');
  t.ok(publicKey.equals(createPublicKey(privateKey)));
  t.same(alternativeNames, []);
  const room = t.testdir();
  writeFileSync(join(room, 'request.pem'), pem);
  new Openssl(room).run('req', '-verify', '-noout', '-in', 'request.pem');
  t.end();
});

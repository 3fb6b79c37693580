// Bundles of certificates as OpenSSL reads them.

import { execFileSync } from 'node:child_process';
import type { X509Certificate } from 'node:crypto';
import t from 'tap';
import { openAuthority } from '../../src/pki/authority/authority.ts';
import { base64Lines, certificateBundle } from '../../src/pki/x509/ca-bundle.ts';
import { parseCertificates } from '../../src/pki/x509/pem.ts';
import { homesIn, pkiContext } from './context.ts';

/** The certificates that OpenSSL finds in a bundle, by fingerprint. */
function readBack(der: Buffer): string[] {
  const words = ['pkcs7', '-inform', 'DER', '-print_certs'];
  const pem = execFileSync('openssl', words, { input: der, stdio: 'pipe' }).toString();
  return pem.includes('BEGIN') ? printsOf(parseCertificates(pem, 'bundle')) : [];
}

const printsOf = (certificates: readonly X509Certificate[]) =>
  certificates.map(({ fingerprint256 }) => fingerprint256).sort();

t.test('OpenSSL finds in a bundle what was put in', async (t) => {
  const home = homesIn(t.testdir());
  const { anchors, intermediates, server } = await openAuthority(pkiContext(home()));
  const certificates = [...anchors, ...intermediates, server.certificate];
  t.equal(certificates.length, 3);
  t.same(readBack(certificateBundle(certificates)), printsOf(certificates));
  t.same(readBack(certificateBundle(anchors)), printsOf(anchors));
  t.same(readBack(certificateBundle([])), [], 'none at all');
});

t.test('the order of certificates makes no difference', async (t) => {
  const home = homesIn(t.testdir());
  const { anchors, intermediates } = await openAuthority(pkiContext(home()));
  const [root, below] = [...anchors, ...intermediates] as [X509Certificate, X509Certificate];
  t.same(certificateBundle([root, below]), certificateBundle([below, root]));
});

t.test('lengths of one to three bytes', async (t) => {
  const home = homesIn(t.testdir());
  const { anchors } = await openAuthority(pkiContext(home()));
  for (const count of [1, 2, 100, 300]) {
    const certificates = new Array(count).fill(anchors[0]) as X509Certificate[];
    t.equal(readBack(certificateBundle(certificates)).length, count, `${count} certificates`);
  }
});

t.test('base64 in lines of 64 characters', async (t) => {
  const bytes = Buffer.alloc(100, 7);
  const lines = base64Lines(bytes).split('\n');
  t.same(
    lines.map(({ length }) => length),
    [64, 64, 8, 0],
  );
  t.same(Buffer.from(lines.join(''), 'base64'), bytes);
  t.equal(base64Lines(Buffer.alloc(48)).split('\n').length, 2, 'no empty line at the end');
});

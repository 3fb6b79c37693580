// Our certificate writer gives the same bytes as the library, up to the signature.

import { generateKeyPairSync, type X509Certificate } from 'node:crypto';
import t from 'tap';
import {
  type CertificateContent,
  type CertifiedKey,
  type KeyType,
  makeKey,
} from '../../src/pki/authority/issue.ts';
import { PkiProblem } from '../../src/pki/problem.ts';
import { Certificate } from '../../src/pki/x509/certificate.ts';
import {
  certificateSigner,
  selfSigner,
  writeCertificate,
} from '../../src/pki/x509/certificate-writer.ts';
import { DerReader, derTag } from '../../src/pki/x509/der.ts';
import { isIssuedBy } from '../../src/pki/x509/pem.ts';
import { seededRandom, startMs } from './context.ts';
import { libraryCertificate } from './library-certificate.ts';

const keyTypes = ['ec-p256', 'rsa-2048'] as const;

/** What is signed. */
function contentOf({ raw }: X509Certificate): Buffer {
  return new DerReader(raw).enter(derTag.sequence).next(derTag.sequence).whole;
}

async function rootOf(keyType: KeyType): Promise<CertifiedKey> {
  const key = await makeKey(keyType);
  const certificate = await libraryCertificate(
    {
      subject: 'O=Zoë\\, Inc,CN=Root',
      publicKey: key,
      alternativeNames: [],
      notBeforeMs: startMs,
      notAfterMs: Date.UTC(2060, 0, 1),
      use: { as: 'authority', pathLength: 1 },
    },
    { key, certificate: 'self' },
    seededRandom('root'),
  );
  return { key, certificate };
}

const addresses = ['10.1.2.255', '::', '::1', '1::', '2001:db8::7:0:1', 'fe80:0:0:0:1:2:3:abcd'];

t.test('the same bytes as the library', async (t) => {
  const publicKey = await makeKey('rsa-2048');
  const shared = { publicKey, notBeforeMs: startMs };
  const contents: readonly Omit<CertificateContent, 'commonName'>[] = [
    {
      ...shared,
      alternativeNames: [
        { type: 'url', value: 'spiffe://td/identity/x' },
        { type: 'dns', value: 'a.example' },
        { type: 'email', value: 'a@b' },
        ...addresses.map((value) => ({ type: 'ip', value }) as const),
      ],
      notAfterMs: Date.UTC(2049, 11, 31, 23, 59, 59),
      use: { as: 'end', extendedUsages: ['clientAuth', 'serverAuth'] },
    },
    {
      ...shared,
      alternativeNames: [{ type: 'url', value: `https://long/${'x'.repeat(70_000)}` }],
      notAfterMs: Date.UTC(2050, 0, 1),
      use: { as: 'end', extendedUsages: ['clientAuth'] },
    },
    {
      ...shared,
      alternativeNames: [],
      notAfterMs: Date.UTC(2099, 0, 1),
      use: { as: 'authority', pathLength: 0 },
    },
  ];
  for (const keyType of keyTypes) {
    const issuer = await rootOf(keyType);
    for (const content of contents) {
      const subject = 'C=US,O=a\\, "b",CN=x';
      const theirs = await libraryCertificate({ ...content, subject }, issuer, seededRandom('one'));
      const name = Buffer.from(new Certificate(theirs.raw).subject, 'latin1');
      const signer = certificateSigner(issuer);
      const ours = writeCertificate({ ...content, subject: name }, signer, seededRandom('one'));
      t.ok(contentOf(ours).equals(contentOf(theirs)), keyType);
      t.ok(isIssuedBy(ours, issuer.certificate), keyType);
    }
  }
});

t.test('the same root as the library', async (t) => {
  for (const keyType of keyTypes) {
    const { key, certificate } = await rootOf(keyType);
    const name = Buffer.from(new Certificate(certificate.raw).subject, 'latin1');
    const text = {
      subject: name,
      publicKey: key,
      alternativeNames: [],
      notBeforeMs: startMs,
      notAfterMs: Date.UTC(2060, 0, 1),
      use: { as: 'authority', pathLength: 1 } as const,
    };
    const ours = writeCertificate(text, selfSigner(key, name), seededRandom('root'));
    t.ok(contentOf(ours).equals(contentOf(certificate)), keyType);
    t.ok(isIssuedBy(ours, ours), keyType);
  }
});

t.test('a key that cannot sign certificates', async (t) => {
  const { certificate } = await rootOf('ec-p256');
  const { privateKey } = generateKeyPairSync('ed25519');
  t.throws(() => certificateSigner({ certificate, key: privateKey }), PkiProblem);
  t.throws(() => selfSigner(privateKey, Buffer.alloc(0)), PkiProblem);
});

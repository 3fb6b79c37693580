// Certificates that the controller issues: subjects, usages, lifetimes, and refusals.

import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Authority, openAuthority } from '../../src/pki/authority/authority.ts';
import { createIssuing, type Issued } from '../../src/pki/authority/issuing.ts';
import { Certificate } from '../../src/pki/x509/certificate.ts';
import { type CertificateRequest, readCertificateRequest } from '../../src/pki/x509/csr.ts';
import { toPem } from '../../src/pki/x509/pem.ts';
import { Openssl, type OpensslKey } from '../simulated/openssl.ts';
import { homesIn, pkiContext, seededRandom, startMs } from './context.ts';

const directory = t.testdir();
const openssl = new Openssl(directory);
const newHome = homesIn(directory);
const nowMs = Math.trunc(startMs / 1000) * 1000;
const yearMs = 365 * 24 * 3600 * 1000;

const authority = await openAuthority(pkiContext(newHome()));
const issuing = issuingOf(authority);
const { trustDomain } = authority;

function issuingOf(from: Authority) {
  return createIssuing(from, { now: () => startMs }, seededRandom('issuing'));
}

function request(subject: string, key: OpensslKey = 'p-256', names?: string): CertificateRequest {
  const extensions = names === undefined ? [] : [`subjectAltName=${names}`];
  return readCertificateRequest(openssl.request({ subject, key, extensions }).pem, 'csr', 16_384);
}

interface Expected {
  readonly names: string | undefined;
  readonly usage: 'clientAuth' | 'serverAuth';
  readonly lifetimeMs?: number;
  readonly from?: Authority;
}

/** What holds for each kind; openssl evaluates the chain. */
function checked(t: Test, issued: Issued, asked: CertificateRequest, expected: Expected): void {
  const { names, usage, lifetimeMs = yearMs, from = authority } = expected;
  const { certificate, chainPem, caPem, fingerprint } = issued;
  t.ok(certificate.publicKey.equals(asked.publicKey));
  t.equal(certificate.subjectAltName, names);
  t.same(certificate.keyUsage, [
    usage === 'clientAuth' ? '1.3.6.1.5.5.7.3.2' : '1.3.6.1.5.5.7.3.1',
  ]);
  t.equal(certificate.ca, false);
  t.equal(certificate.validFromDate.getTime(), nowMs - 60_000);
  t.equal(certificate.validToDate.getTime(), nowMs + lifetimeMs);
  t.match(certificate.serialNumber, /^[4-7][0-9A-F]{31}$/);
  t.equal(fingerprint, certificate.fingerprint.replaceAll(':', '').toLowerCase());
  t.equal(chainPem, toPem([certificate, ...from.issuer.chain]));
  t.equal(caPem, toPem(from.anchors));
  const [leafPath, chainPath, caPath] = ['leaf', 'chain', 'ca'].map((name) =>
    join(directory, name),
  );
  if (leafPath === undefined || chainPath === undefined || caPath === undefined) return;
  writeFileSync(leafPath, certificate.toString());
  writeFileSync(chainPath, chainPem);
  writeFileSync(caPath, caPem);
  const purpose = usage === 'clientAuth' ? 'sslclient' : 'sslserver';
  const words = ['-x509_strict', '-purpose', purpose, '-CAfile', caPath, '-untrusted', chainPath];
  t.match(openssl.run('verify', ...words, leafPath).toString(), /: OK\n$/);
  const text = openssl.run('x509', '-in', leafPath, '-noout', '-ext', 'keyUsage').toString();
  t.match(text, /critical\s+Digital Signature, Key Encipherment, Data Encipherment\n/);
}

t.test('an identity gets the subject it asked for and no name but its own', async (t) => {
  for (const key of ['rsa-2048', 'p-256', 'p-384'] as const) {
    const asked = request('/O=a, "b"+c\\/d/CN=Zoë', key, 'DNS:other.example');
    const issued = issuing.identityClient(asked, 'id-1');
    checked(t, issued, asked, {
      names: `URI:spiffe://${trustDomain}/identity/id-1`,
      usage: 'clientAuth',
    });
    const { subject } = new Certificate(issued.certificate.raw);
    t.same(Buffer.from(subject, 'latin1'), asked.subject, 'byte for byte');
  }
});

t.test('an empty subject is signed, its names critical', async (t) => {
  const asked = request('/');
  const issued = issuing.identityClient(asked, 'id-1');
  checked(t, issued, asked, {
    names: `URI:spiffe://${trustDomain}/identity/id-1`,
    usage: 'clientAuth',
  });
});

t.test('an extension keeps the names and takes subject and key of the request', async (t) => {
  const first = issuing.identityClient(request('/CN=first'), 'id-1');
  const asked = request('/CN=second', 'rsa-2048', 'URI:spiffe://elsewhere/x');
  const issued = issuing.extended(asked, new Certificate(first.certificate.raw));
  checked(t, issued, asked, { names: first.certificate.subjectAltName, usage: 'clientAuth' });
  t.equal(issued.certificate.subject, 'CN=second');
});

t.test('a router gets the names it asked for', async (t) => {
  const names = `DNS:r.example,IP:10.0.0.1,IP:::1,email:a@b,URI:spiffe://${trustDomain}/router/r1`;
  const asked = request('/CN=r1', 'p-256', names);
  const expected = {
    names: `DNS:r.example, IP Address:10.0.0.1, IP Address:0:0:0:0:0:0:0:1, email:a@b, URI:spiffe://${trustDomain}/router/r1`,
  };
  const client = issuing.routerClient(asked, 'r1', 'certCsr');
  checked(t, client, asked, { ...expected, usage: 'clientAuth' });
  const server = issuing.routerServer(asked, 'r1', 'serverCertCsr');
  checked(t, server, asked, { ...expected, usage: 'serverAuth' });
  t.not(client.fingerprint, server.fingerprint);
  const other = request('/CN=anything');
  checked(t, issuing.routerServer(other, 'r1', 'serverCertCsr'), other, {
    names: undefined,
    usage: 'serverAuth',
  });
});

t.test('a router must be called by its id', async (t) => {
  for (const subject of ['/CN=r2', '/CN=R1', '/O=r1', '/CN=r1/CN=r2']) {
    t.throws(() => issuing.routerClient(request(subject), 'r1', 'certCsr'), {
      code: 'COULD_NOT_PROCESS_CSR',
      status: 400,
      cause: { code: 'EDGE_ROUTER_ENROLL_COMMON_NAME_INVALID' },
    });
  }
});

t.test('a router gets no SPIFFE name of another one of this network', async (t) => {
  const taken = ['', '/', '/identity/x', '/router/r2', '/router/r12', '/router'];
  for (const path of taken.flatMap((end) => [
    `${trustDomain}${end}`,
    `${trustDomain.toUpperCase()}${end}`,
  ])) {
    const asked = request('/CN=r1', 'p-256', `URI:spiffe://${path}`);
    const error = { code: 'COULD_NOT_PROCESS_CSR', cause: { field: 'csr', reason: /SPIFFE name/ } };
    t.throws(() => issuing.routerClient(asked, 'r1', 'csr'), error, path);
    t.throws(() => issuing.routerServer(asked, 'r1', 'csr'), error, path);
  }
  const free = `URI:spiffe://${trustDomain}x/y,URI:spiffe://${trustDomain}/router/r1/z`;
  const asked = request('/CN=r1', 'p-256', free);
  t.ok(issuing.routerClient(asked, 'r1', 'csr'));
});

t.test('a session certificate is of the identity, for twelve hours', async (t) => {
  const asked = request('/CN=whoever', 'p-256', 'DNS:x');
  const owner = { identityId: 'ab.c-d_1', apiSessionId: 'cses', id: 'cert' };
  const issued = issuing.session(asked, owner);
  checked(t, issued, asked, {
    names: `URI:spiffe://${trustDomain}/identity/ab.c-d_1/apiSession/cses/apiSessionCertificate/cert`,
    usage: 'clientAuth',
    lifetimeMs: 12 * 3600 * 1000,
  });
  t.equal(issued.certificate.subject, 'CN=ab.c-d_1');
});

t.test('an RSA issuer, and one of the user below an intermediate', async (t) => {
  const rsa = await openAuthority(pkiContext(newHome(), { keyType: 'rsa-2048' }));
  const asked = request('/CN=r1');
  const names = `URI:spiffe://${rsa.trustDomain}/identity/i`;
  const issued = issuingOf(rsa).identityClient(asked, 'i');
  checked(t, issued, asked, { names, usage: 'clientAuth', from: rsa });

  const ca = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign'];
  const keys = ['subjectKeyIdentifier=hash', 'authorityKeyIdentifier=keyid'];
  const extensions = [...ca, ...keys];
  const root = openssl.certificate({ subject: '/CN=Root', key: 'p-384', extensions });
  const upper = openssl.certificate({ subject: '/CN=Upper', extensions, issuer: root });
  const lower = openssl.certificate({
    subject: '/O=a, b/CN=Lower',
    key: 'rsa-2048',
    extensions,
    issuer: upper,
  });
  const chainPath = join(directory, 'issuer-chain');
  writeFileSync(chainPath, lower.pem + upper.pem);
  const settings = { issuerCert: chainPath, issuerKey: lower.keyPath, ca: root.path };
  const supplied = await openAuthority(pkiContext(newHome(), { ...settings, trustDomain: 'td' }));
  const below = issuingOf(supplied).identityClient(asked, 'i');
  const { validToDate } = new X509Certificate(lower.pem);
  t.equal(below.certificate.validToDate.getTime(), validToDate.getTime(), 'ends with its issuer');
  checked(t, below, asked, {
    names: 'URI:spiffe://td/identity/i',
    usage: 'clientAuth',
    lifetimeMs: validToDate.getTime() - nowMs,
    from: supplied,
  });
  t.equal(new Certificate(below.certificate.raw).issuer, new Certificate(lower.der).subject);
});

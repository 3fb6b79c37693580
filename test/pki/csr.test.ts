// Certificate requests: those that are taken, and every way to be refused.

import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import forge from 'node-forge';
import t, { type Test } from 'tap';
import { ApiError } from '../../src/errors/errors.ts';
import { csrBytesMax, readCertificateRequest } from '../../src/pki/x509/csr.ts';
import * as fc from '../properties.ts';
import { makeRequest } from '../simulated/certificates.ts';
import { Openssl } from '../simulated/openssl.ts';

const openssl = new Openssl(t.testdir());
const good = openssl.request({ subject: '/CN=good' }).pem;
const goodDer = derOf(good);

function derOf(pem: string): Buffer {
  return Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');
}

function pemOf(der: Buffer, label = 'CERTIFICATE REQUEST'): string {
  return `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
}

function refused(t: Test, sent: Buffer | string, reason: RegExp, name: string): void {
  const expected = {
    code: 'COULD_NOT_PROCESS_CSR',
    status: 400,
    cause: { field: 'clientCsr', reason, value: '' },
  };
  t.throws(() => readCertificateRequest(sent, 'clientCsr'), expected, name);
}

t.test('keys of every kind that is taken', async (t) => {
  for (const key of ['rsa-2048', 'rsa-4096', 'p-256', 'p-384', 'p-521'] as const) {
    const { pem, keyPath } = openssl.request({ subject: `/O=x/CN=${key}`, key });
    const { commonName, publicKey } = readCertificateRequest(pem, 'csr');
    t.equal(commonName, key);
    t.ok(publicKey.equals(createPublicKey(readFileSync(keyPath))), key);
  }
});

t.test('PEM, PEM of the other label, PEM with text around, base64, DER', async (t) => {
  const old = pemOf(goodDer, 'NEW CERTIFICATE REQUEST');
  const explained = `Certificate Request:\n    Version: 1\n${good}\ntrailing words\n`;
  const base64 = goodDer.toString('base64').replace(/.{64}/g, '$&\r\n');
  const forms = [good, Buffer.from(good), good.replaceAll('\n', '\r\n'), old, explained];
  for (const sent of [...forms, base64, Buffer.from(base64), goodDer]) {
    t.equal(readCertificateRequest(sent, 'csr').commonName, 'good');
  }
});

t.test('requests of a second library', async (t) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pkcs1 = { type: 'pkcs1', format: 'pem' } as const;
  const request = forge.pki.createCertificationRequest();
  request.publicKey = forge.pki.publicKeyFromPem(publicKey.export(pkcs1).toString());
  request.setSubject([
    { name: 'organizationName', value: 'Example' },
    { name: 'commonName', value: 'desk' },
  ]);
  request.setAttributes([
    { name: 'challengePassword', value: 'secret' },
    {
      name: 'extensionRequest',
      extensions: [
        { name: 'basicConstraints', cA: false },
        {
          name: 'subjectAltName',
          altNames: [
            { type: 2, value: 'desk.example' },
            { type: 7, ip: '192.0.2.7' },
          ],
        },
      ],
    },
  ]);
  const key = forge.pki.privateKeyFromPem(privateKey.export(pkcs1).toString());
  for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
    request.sign(key, forge.md[hash].create());
    const der = Buffer.from(
      forge.asn1.toDer(forge.pki.certificationRequestToAsn1(request)).getBytes(),
      'latin1',
    );
    for (const sent of [forge.pki.certificationRequestToPem(request), der]) {
      const read = readCertificateRequest(sent, 'csr');
      t.equal(read.commonName, 'desk', hash);
      t.ok(read.publicKey.equals(publicKey), hash);
      t.same(read.alternativeNames, [
        { type: 'dns', value: 'desk.example' },
        { type: 'ip', value: '192.0.2.7' },
      ]);
    }
  }
  request.sign(key, forge.md.sha1.create());
  refused(t, forge.pki.certificationRequestToPem(request), /algorithm is weak/, 'SHA-1');
});

t.test('names with commas and quotes come as they are', async (t) => {
  const extensions = [
    'subjectAltName=DNS:a.example,IP:10.0.0.1,IP:2001:db8::1,email:a@b.example,URI:https://x/?a=1',
  ];
  const subject = '/O=a, "b" + c/CN=first/CN=Zoë, \\"the\\" last';
  const { pem } = openssl.request({ subject, extensions });
  const read = readCertificateRequest(pem, 'csr');
  t.equal(read.commonName, 'Zoë, "the" last', 'the last of several');
  t.same(read.alternativeNames, [
    { type: 'dns', value: 'a.example' },
    { type: 'ip', value: '10.0.0.1' },
    { type: 'ip', value: '2001:db8:0:0:0:0:0:1' },
    { type: 'email', value: 'a@b.example' },
    { type: 'url', value: 'https://x/?a=1' },
  ]);
  t.equal(
    readCertificateRequest(openssl.request({ subject: '/O=x' }).pem, 'csr').commonName,
    undefined,
    'no common name is no error here',
  );
});

t.test('weak keys and signatures', async (t) => {
  const cases = [
    ['rsa-1024', /1024 bits, fewer than 2048/],
    ['secp256k1', /not on the curve P-256/],
    ['ed25519', /kind ed25519/],
    ['rsa-pss', /kind rsa-pss/],
  ] as const;
  for (const [key, reason] of cases) {
    refused(t, openssl.request({ subject: '/CN=x', key }).pem, reason, key);
  }
  for (const digest of ['sha1', 'md5'] as const) {
    const { pem } = openssl.request({ subject: '/CN=x', key: 'rsa-2048', digest });
    refused(t, pem, /signature algorithm is weak/, digest);
  }
});

t.test('an RSA key of more than 8192 bits', async (t) => {
  // Made up: to generate one takes half a minute. The key is evaluated before the signature.
  const length = (bytes: number) => Buffer.from([0x82, bytes >> 8, bytes & 0xff]);
  const element = (tag: number, ...content: Buffer[]): Buffer => {
    const all = Buffer.concat(content);
    return Buffer.concat([Buffer.from([tag]), length(all.length), all]);
  };
  const modulus = Buffer.alloc(1025, 0xc1);
  modulus[0] = 0x01;
  const exponent = Buffer.from('0203010001', 'hex');
  const rsa = Buffer.from('300d06092a864886f70d0101010500', 'hex');
  const key = element(0x30, element(0x02, modulus), exponent);
  // The lengths are short enough for their form only where there are 256 bytes or more.
  const spki = element(0x30, rsa, element(0x03, Buffer.from([0]), key));
  const info = element(0x30, Buffer.from('0201003000', 'hex'), spki, Buffer.from('a000', 'hex'));
  const algorithm = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
  const signature = element(0x03, Buffer.alloc(1026));
  refused(t, element(0x30, info, algorithm, signature), /8193 bits, more than 8192/, 'too long');
});

t.test('a signature that is not of its key', async (t) => {
  const flipped = Buffer.from(goodDer);
  flipped[goodDer.length - 1] = (flipped[goodDer.length - 1] ?? 0) ^ 1;
  refused(t, flipped, /not signed by the key it holds/, 'another signature');
  const renamed = Buffer.from(goodDer.toString('latin1').replace('good', 'evil'), 'latin1');
  refused(t, renamed, /not signed by the key it holds/, 'another subject');
});

t.test('what is no request', async (t) => {
  const key = readFileSync(openssl.request({ subject: '/CN=x' }).keyPath, 'utf8');
  const certificate = openssl.certificate({ subject: '/CN=x' });
  const cases: readonly (readonly [string, Buffer | string, RegExp])[] = [
    ['nothing', '', /is empty/],
    ['white space', ' \r\n', /is empty/],
    ['words', 'no request at all', /not PEM, base64 or DER/],
    ['JSON', '{"clientCsr":1}', /not PEM, base64 or DER/],
    ['base64 of words', 'bm8gcmVxdWVzdA==', /not laid out/],
    ['zeros', Buffer.alloc(100), /not PEM, base64 or DER/],
    ['DER with a byte behind', Buffer.concat([goodDer, Buffer.from([0])]), /bytes behind/],
    ['the same in PEM', pemOf(Buffer.concat([goodDer, goodDer])), /bytes behind/],
    ['DER cut off', goodDer.subarray(0, -1), /cut off/],
    ['PEM cut off', good.slice(0, -30), /cut off or damaged/],
    ['two blocks', good + good, /more than one/],
    ['a second block begun', `${good}-----BEGIN `, /more than one/],
    ['broken base64', good.replace(/\n[A-Za-z]/, '\n*'), /not PEM, base64 or DER/],
    ['a key', key, /of the kind PRIVATE KEY/],
    ['a certificate', certificate.pem, /of the kind CERTIFICATE$/],
    ['a certificate by another label', pemOf(certificate.der), /version is unknown/],
    ['too long', `${good}${' '.repeat(csrBytesMax)}`, /longer than 16384 bytes/],
    ['a megabyte', Buffer.alloc(1 << 20, '-----BEGIN A-----'), /longer than 16384 bytes/],
  ];
  for (const [name, sent, reason] of cases) refused(t, sent, reason, name);
  refused(
    t,
    Buffer.alloc(csrBytesMax, '-----BEGIN A-----'),
    /cut off or damaged/,
    'only beginnings',
  );
});

t.test('no bytes whatever do more than be refused', async () => {
  const change = fc.record({
    at: fc.nat(goodDer.length - 1),
    byte: fc.integer({ min: 0, max: 255 }),
    cut: fc.option(fc.nat(goodDer.length)),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let der = Buffer.from(goodDer);
      for (const { at, byte, cut } of changes) {
        if (at < der.length) der[at] = byte;
        if (cut !== null) der = der.subarray(0, Math.max(1, cut));
      }
      if (der.equals(goodDer)) return;
      try {
        readCertificateRequest(der, 'csr');
      } catch (error) {
        if (error instanceof ApiError && error.code === 'COULD_NOT_PROCESS_CSR') return;
        throw error;
      }
      throw new Error('it was taken');
    }),
    { numRuns: 2000 },
  );
});

t.test('names with control characters', async (t) => {
  const unwanted = ['\u0001', '\t', '\n', '\u001b[31m', '\u007f', '\u0085', '\u2028', '\u202e'];
  for (const one of unwanted) {
    const name = `U+${(one.codePointAt(0) ?? 0).toString(16)}`;
    const subjects = [`/CN=a${one}b`, `/O=a${one}b/CN=good`, `/CN=a${one}b/CN=good`];
    for (const subject of subjects) {
      const reason = /its subject must not hold control characters/;
      refused(t, openssl.request({ subject }).pem, reason, `${name}, ${subjects.indexOf(subject)}`);
    }
  }
  const nul = await makeRequest('good\u0000.evil');
  refused(t, nul, /its subject must not hold control characters/, 'NUL');
  const alternative = openssl.request({
    subject: '/CN=good',
    extensions: ['subjectAltName=URI:urn:a\u001bb'],
  });
  refused(t, alternative.pem, /a name that it asks for must not hold/, 'an alternative name');
  for (const subject of ['/CN=Zoë 👩‍💻', '/CN=שלום‏/O=नमस्ते', '/CN=a\u200cb']) {
    const { pem } = openssl.request({ subject });
    t.equal(readCertificateRequest(pem, 'csr').commonName, /CN=([^/]*)/.exec(subject)?.[1]);
  }
});

t.test('texts of a subject that cannot be read', async (t) => {
  const value = (tag: number, bytes: string) => {
    const name = Buffer.from('good');
    const at = goodDer.indexOf(name) - 2;
    const changed = Buffer.from(goodDer);
    changed[at] = tag;
    Buffer.from(bytes, 'latin1').copy(changed, at + 2);
    return changed;
  };
  refused(t, value(0x1c, 'good'), /cannot be read/, 'UniversalString');
  refused(t, value(0x1e, '\xd8\x00\x00a'), /cannot be read/, 'half a pair in a BMPString');
  refused(t, value(0x1e, '\x00a\x00\x07'), /control characters/, 'a bell in a BMPString');
  refused(t, value(0x14, 'a\x9bbc'), /control characters/, 'C1 in a TeletexString');
  refused(t, value(0x0c, 'a\xffbc'), /not UTF-8/, 'no UTF-8');
});

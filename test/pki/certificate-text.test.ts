// PEM text that callers send: what is read, and what is refused with which reason.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import {
  commonName,
  isInDate,
  readCertificates,
  subjectText,
} from '../../src/pki/x509/certificate-text.ts';
import { type Made, makeCertificate, type Wanted } from '../simulated/certificates.ts';

const nowMs = Date.UTC(2026, 0, 1);
const charactersMax = 65_536;

const make = (wanted: Partial<Wanted> = {}): Promise<Made> =>
  makeCertificate({ name: 'one', as: 'end', keyType: 'ec-p256', nowMs, ...wanted });

const block = (label: string, content: string) =>
  `-----BEGIN ${label}-----\n${content}\n-----END ${label}-----\n`;

const pemOf = (der: Buffer) => block('CERTIFICATE', der.toString('base64'));

/** The code of a refusal, or the common names that were read. */
function outcome(text: string, most = charactersMax): string {
  const read = readCertificates(text, most);
  return 'unreadable' in read ? read.unreadable : read.certificates.map(commonName).join(' ');
}

t.test('certificates are read in their order, whatever stands between them', async (t) => {
  const one = await make();
  const two = await make({ name: 'two', keyType: 'rsa-2048' });
  t.equal(outcome(one.pem), 'one');
  t.equal(outcome(two.pem), 'two');
  t.equal(outcome(`Certificate:\n  Data: …\n${two.pem}and\n\n${one.pem}the end`), 'two one');
  t.equal(outcome(one.pem.replaceAll('\n', '\r\n')), 'one', 'lines as on Windows');
});

t.test('text without a whole PEM block', async (t) => {
  const { pem } = await make();
  for (const text of ['', ' ', 'garbage', '-----BEGIN', 'x'.repeat(charactersMax)]) {
    t.equal(outcome(text), 'COULD_NOT_PARSE_BODY', text.slice(0, 20));
  }
  for (const length of [27, 28, pem.length >> 1, pem.length - 10]) {
    t.equal(outcome(pem.slice(0, length)), 'COULD_NOT_PARSE_BODY', `cut off after ${length}`);
  }
  t.equal(outcome(pem + pem.slice(0, 100)), 'COULD_NOT_PARSE_BODY', 'a second one is cut off');
  t.equal(outcome('-----BEGIN CERTIFICATE-----\n'.repeat(2000)), 'COULD_NOT_PARSE_BODY');
  t.equal(outcome('-----BEGIN '.repeat(5000)), 'COULD_NOT_PARSE_BODY');
});

t.test('more characters than the bound', async (t) => {
  const { pem } = await make();
  t.equal(outcome(pem, pem.length), 'one');
  t.equal(outcome(pem, pem.length - 1), 'COULD_NOT_PARSE_BODY');
});

t.test('PEM of another kind', async (t) => {
  const { pem } = await make();
  t.equal(outcome(block('PRIVATE KEY', 'MIIB')), 'EXPECTED_PEM_CERTIFICATE');
  t.equal(outcome(pem.replaceAll('CERTIFICATE', 'X509 CRL')), 'EXPECTED_PEM_CERTIFICATE');
  t.equal(outcome(pem + block('PRIVATE KEY', 'MIIB')), 'EXPECTED_PEM_CERTIFICATE');
});

t.test('a block that is not exactly one certificate in DER', async (t) => {
  const { certificate, pem } = await make();
  const der = certificate.raw;
  const damaged = [
    ['nothing', block('CERTIFICATE', '')],
    ['no base64', block('CERTIFICATE', 'this is no base64')],
    ['base64 of a wrong length', block('CERTIFICATE', 'MIIBA')],
    ['base64 with other characters', pem.replace('\nMII', '\nM*II')],
    ['cut off', pemOf(der.subarray(0, der.length - 1))],
    ['with bytes behind it', pemOf(Buffer.concat([der, Buffer.from([0])]))],
    ['with itself behind it', pemOf(Buffer.concat([der, der]))],
    ['other bytes', pemOf(Buffer.alloc(500, 0x30))],
  ] as const;
  for (const [what, text] of damaged) {
    t.equal(outcome(text), 'COULD_NOT_PARSE_DER_BLOCK', what);
    t.equal(outcome(pem + text), 'COULD_NOT_PARSE_DER_BLOCK', `${what}, behind a good one`);
  }
});

t.test('a bit of a certificate turned is read as another one, or not at all', async (t) => {
  const { certificate } = await make();
  const { raw } = certificate;
  for (let at = 0; at < raw.length; at++) {
    const turned = Buffer.from(raw);
    turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
    const read = readCertificates(pemOf(turned), charactersMax);
    if ('unreadable' in read) t.equal(read.unreadable, 'COULD_NOT_PARSE_DER_BLOCK', `byte ${at}`);
    else t.same(read.certificates[0].raw, turned, `byte ${at}`);
  }
});

t.test('the common name is the name itself', async (t) => {
  for (const name of ['a,b=c', 'with "quotes" + \\ slash', ' spaces ', '#hash']) {
    const { certificate } = await make({ name });
    t.equal(commonName(certificate), name);
  }
});

t.test('a process that first reads a name can speak TLS afterwards', async (t) => {
  const { pem } = await make();
  const module = import.meta.resolve('../../src/pki/x509/certificate-text.ts');
  const script = `
    const { X509Certificate } = await import('node:crypto');
    const { commonName } = await import(${JSON.stringify(module)});
    const name = commonName(new X509Certificate(${JSON.stringify(pem)}));
    console.log(name, typeof (await import('node:tls')).createSecureContext);`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    '--input-type=module',
    '--eval',
    script,
  ]);
  t.equal(stdout, 'one function\n');
});

t.test('the subject as one text', async (t) => {
  t.equal(subjectText({ subject: 'O=Example\nCN=desk' }), 'CN=desk,O=Example');
  t.equal(subjectText({ subject: undefined }), '', 'Node has none for an empty name');
});

t.test('dates', async (t) => {
  const { certificate } = await make();
  const day = 86_400_000;
  t.equal(isInDate(certificate, nowMs), true);
  t.equal(isInDate(certificate, nowMs - 11 * day), false);
  t.equal(isInDate(certificate, nowMs + 3651 * day), false);
  const { certificate: late } = await make({ isExpired: true });
  t.equal(isInDate(late, nowMs), false);
});

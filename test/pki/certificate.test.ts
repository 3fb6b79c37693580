// Reading certificates: strict DER, names of every string type, and bytes that are anything.

import t from 'tap';
import { Certificate } from '../../src/pki/x509/certificate.ts';
import { alternativeNamesIn, commonNameIn } from '../../src/pki/x509/certificate-names.ts';
import { DerProblem, DerReader, derTag, wholeElement } from '../../src/pki/x509/der.ts';
import { derElement, derObjectId, derSequence } from '../../src/pki/x509/der-writer.ts';
import * as fc from '../properties.ts';
import { authorityExtensions, Openssl } from '../simulated/openssl.ts';

function bytes(hex: string): Buffer {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex');
}

t.test('DER and nothing but', async (t) => {
  const refused = [
    ['', /cut off/],
    ['30', /cut off/],
    ['30 01', /cut off/],
    ['30 84 ff ff ff ff', /cut off/],
    ['30 80 00 00', /not DER/],
    ['30 81 01 00', /not DER/],
    [`30 82 00 80 ${'00'.repeat(128)}`, /not DER/],
    ['30 85 00 00 00 00 00', /not DER/],
    ['31 00', /laid out/],
    ['1f 81 01 00', /tag/],
    ['30 00 00', /bytes behind/],
  ] as const;
  for (const [hex, message] of refused) {
    t.throws(() => wholeElement(bytes(hex), derTag.sequence), { name: 'DerProblem', message }, hex);
  }
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const written = derElement(derTag.octetString, Buffer.alloc(length, 7));
    t.equal(wholeElement(written, derTag.octetString).content.length, length);
  }
  t.equal(new DerReader(bytes('')).optional(derTag.boolean), undefined);
});

t.test('common names of every string type', async (t) => {
  const name = (tag: number, content: Buffer): Buffer =>
    derSequence(
      derElement(derTag.set, derSequence(derObjectId('550403'), derElement(tag, content))),
    );
  const cases = [
    [derTag.utf8String, Buffer.from('Zoë 🐈'), 'Zoë 🐈'],
    [derTag.printableString, Buffer.from('a, b'), 'a, b'],
    [derTag.ia5String, Buffer.from('a@b'), 'a@b'],
    [derTag.teletexString, Buffer.from('Zo\xeb', 'latin1'), 'Zoë'],
    [derTag.bmpString, Buffer.from('Zoë', 'utf16le').swap16(), 'Zoë'],
    [derTag.utf8String, Buffer.from('admin\0@x'), 'admin\0@x'],
  ] as const;
  for (const [tag, content, expected] of cases) t.equal(commonNameIn(name(tag, content)), expected);
  const refused = [
    [derTag.utf8String, Buffer.from([0xff])],
    [derTag.printableString, Buffer.from([0xeb])],
    [derTag.bmpString, Buffer.from([0])],
    [derTag.bitString, Buffer.from([0])],
    [derTag.universalString, Buffer.alloc(4)],
  ] as const;
  for (const [tag, content] of refused) {
    t.throws(() => commonNameIn(name(tag, content)), DerProblem, `${tag}`);
  }
  t.throws(() => alternativeNamesIn(bytes('30 03 81 01 ff')), /not ASCII/);
  t.throws(() => alternativeNamesIn(bytes('30 03 87 01 ff')), /IP address/);
  t.same(alternativeNamesIn(bytes('30 06 a0 02 05 00 88 00')), [], 'other kinds are passed over');
});

t.test('no bytes whatever do more than be refused', async () => {
  const openssl = new Openssl(t.testdir());
  const { der } = openssl.certificate({
    subject: '/CN=x',
    extensions: [...authorityExtensions, 'subjectAltName=URI:urn:x,IP:::1,email:a@b'],
  });
  const change = fc.record({
    at: fc.nat(der.length - 1),
    byte: fc.integer({ min: 0, max: 255 }),
    cut: fc.option(fc.nat(der.length)),
  });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
      let damaged = Buffer.from(der);
      for (const { at, byte, cut } of changes) {
        if (at < damaged.length) damaged[at] = byte;
        if (cut !== null) damaged = damaged.subarray(0, cut);
      }
      try {
        const certificate = new Certificate(damaged);
        certificate.isIssuedBy(certificate, 0, { left: 1 });
      } catch (error) {
        if (!(error instanceof DerProblem)) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});

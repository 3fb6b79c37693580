// The encodings of headers: round trips, wrong lengths, bounds.

import t from 'tap';
import { type Headers, MalformedMessage } from '../../src/channel/contract.ts';
import {
  booleanHeader,
  booleanValue,
  byteHeader,
  bytesMapHeader,
  bytesMapValue,
  byteValue,
  capabilitiesHeader,
  capabilitiesValue,
  decodeHeaders,
  encodeHeaders,
  textHeader,
  textListHeader,
  textListValue,
  textMapHeader,
  textMapValue,
  textValue,
  uint32Header,
  uint32Value,
  versionHeader,
  versionValue,
} from '../../src/channel/headers.ts';
import * as fc from '../properties.ts';

const key = 77;
const of = (value: Buffer): Headers => new Map([[key, value]]);
const none: Headers = new Map();
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

t.test('a section is read as it was written', async () => {
  const entries = fc.uniqueArray(
    fc.tuple(
      fc.integer(),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    ),
    { selector: ([number]) => number, maxLength: 20 },
  );
  fc.assert(
    fc.property(entries, (written) => {
      const read = [...decodeHeaders(encodeHeaders(written))];
      return (
        read.length === written.length &&
        read.every(([number, value], index) => {
          const [sameNumber, sameValue] = written[index] ?? [];
          return number === sameNumber && sameValue !== undefined && value.equals(sameValue);
        })
      );
    }),
  );
});

t.test('every truncation of a section is refused, but those between two headers', async (t) => {
  const section = encodeHeaders([
    [1, uint32Value(7)],
    [2, textValue('abc')],
  ]);
  for (let length = 0; length < section.length; length++) {
    const read = () => decodeHeaders(section.subarray(0, length)).size;
    if (length === 0 || length === 12) t.equal(read(), length / 12);
    else t.throws(read, MalformedMessage);
  }
});

t.test('a key that occurs twice and too many headers are refused', async (t) => {
  const twice = encodeHeaders([
    [1, uint32Value(7)],
    [1, uint32Value(8)],
  ]);
  t.throws(() => decodeHeaders(twice), { message: 'a header occurs twice' });
  const many = (count: number) =>
    encodeHeaders(Array.from({ length: count }, (_, index) => [index, Buffer.alloc(0)] as const));
  t.equal(decodeHeaders(many(256)).size, 256);
  t.throws(() => decodeHeaders(many(257)), MalformedMessage);
});

t.test('single values', async (t) => {
  t.equal(textHeader(of(textValue('größer')), key), 'größer');
  t.equal(textHeader(none, key), undefined);
  t.equal(booleanHeader(of(booleanValue(true)), key), true);
  for (const value of ['', '00', '02', '0101']) t.equal(booleanHeader(of(hex(value)), key), false);
  t.equal(booleanHeader(none, key), false);
  t.equal(byteHeader(of(byteValue(200)), key), 200);
  t.equal(byteHeader(of(hex('')), key), undefined);
  t.equal(uint32Header(of(uint32Value(4_000_000_000)), key), 4_000_000_000);
  for (const value of ['', '010203', '0102030405']) {
    t.equal(uint32Header(of(hex(value)), key), undefined);
  }
});

t.test('lists and maps', async (t) => {
  t.strictSame(textListValue([]), hex(''));
  t.strictSame(textListValue(['a', 'bc']), hex('02000000 01000000 61 02000000 6263'));
  t.strictSame(textListHeader(none, key), []);
  t.strictSame(bytesMapHeader(none, key), new Map());
  const map = new Map([[1003, hex('0aff')]]);
  t.strictSame(bytesMapValue(map), hex('01000000 eb030000 02000000 0aff'));
  t.strictSame(textMapValue(new Map([['a', 'b']])), hex('01000000 01000000 61 01000000 62'));
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 128 }), (texts) => {
      return textListHeader(of(textListValue(texts)), key).join('\n') === texts.join('\n');
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string(), { maxKeys: 128 }), (texts) => {
      const entries = Object.entries(texts);
      const read = [...textMapHeader(of(textMapValue(new Map(entries))), key)];
      return JSON.stringify(read) === JSON.stringify(entries);
    }),
  );
});

t.test('lists and maps whose lengths do not add up are refused', async (t) => {
  const list = textListValue(['a', 'bc', '']);
  const bytesMap = bytesMapValue(
    new Map([
      [1, hex('0102')],
      [2, hex('')],
    ]),
  );
  const textMap = textMapValue(
    new Map([
      ['a', 'b'],
      ['c', ''],
    ]),
  );
  for (let cut = 1; cut < list.length; cut++) {
    t.throws(() => textListHeader(of(list.subarray(0, cut)), key), MalformedMessage);
  }
  for (let cut = 1; cut < bytesMap.length; cut++) {
    t.throws(() => bytesMapHeader(of(bytesMap.subarray(0, cut)), key), MalformedMessage);
  }
  for (let cut = 1; cut < textMap.length; cut++) {
    t.throws(() => textMapHeader(of(textMap.subarray(0, cut)), key), MalformedMessage);
  }
  for (const wrong of [
    '00000000 00', // a byte behind the last item
    '81000000', // 129 items
    'ffffffff',
    '01000000 ffffffff 61',
    `01000000 01200000 ${'61'.repeat(8193)}`, // an item of 8193 bytes
  ]) {
    t.throws(() => textListHeader(of(hex(wrong)), key), MalformedMessage);
    t.throws(() => bytesMapHeader(of(hex(wrong)), key), MalformedMessage);
  }
  const twice = hex('02000000 01000000 00000000 01000000 00000000');
  t.throws(() => bytesMapHeader(of(twice), key), MalformedMessage);
  const twiceText = hex('02000000 00000000 00000000 00000000 00000000');
  t.throws(() => textMapHeader(of(twiceText), key), MalformedMessage);
});

t.test('capabilities', async (t) => {
  t.strictSame(capabilitiesValue([1, 2, 3, 4, 6]), hex('5e'));
  t.strictSame(capabilitiesValue([6, 62, 1, 2, 4, 5]), hex('4000000000000076'));
  t.strictSame([...capabilitiesHeader(of(hex('4000000000000076')), key)], [1, 2, 4, 5, 6, 62]);
  t.strictSame([...capabilitiesHeader(none, key)], []);
  t.throws(() => capabilitiesHeader(of(Buffer.alloc(65)), key), MalformedMessage);
});

t.test('versions', async (t) => {
  const version = {
    version: 'v2.1.0',
    revision: 'abc123',
    buildDate: '2026-10-01 00:00:00',
    os: 'linux',
    arch: 'amd64',
  };
  const text = 'v2.1.0|abc123|2026-10-01 00:00:00|linux|amd64';
  t.strictSame(versionValue(version), Buffer.from(text));
  t.strictSame(versionHeader(of(Buffer.from(text)), key), version);
  for (const wrong of ['', 'a|b|c|d', 'a|b|c|d|e|f', `${'a'.repeat(600)}|b|c|d|e`]) {
    t.equal(versionHeader(of(Buffer.from(wrong)), key), undefined);
  }
  t.equal(versionHeader(none, key), undefined);
});

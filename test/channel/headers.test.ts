// The encodings of headers: round trips, wrong lengths, bounds.

import t from 'tap';
import { type Headers, MalformedMessage } from '../../src/channel/channel-api.ts';
import {
  booleanHeader,
  booleanValue,
  bytesMapHeader,
  bytesMapValue,
  capabilitiesHeader,
  capabilitiesValue,
  decodeHeaders,
  encodeHeaders,
  textHeader,
  textMapValue,
  textValue,
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
});

t.test('maps', async (t) => {
  t.strictSame(bytesMapValue(new Map()), hex(''));
  t.strictSame(bytesMapHeader(none, key), new Map());
  t.strictSame(bytesMapHeader(of(hex('')), key), new Map());
  const map = new Map([[1003, hex('0aff')]]);
  t.strictSame(bytesMapValue(map), hex('01000000 eb030000 02000000 0aff'));
  t.strictSame(textMapValue(new Map()), hex(''));
  t.strictSame(textMapValue(new Map([['a', 'bc']])), hex('01000000 01000000 61 02000000 6263'));
  const entry = fc.tuple(fc.nat(), fc.uint8Array({ maxLength: 50 }));
  fc.assert(
    fc.property(fc.uniqueArray(entry, { selector: ([number]) => number }), (entries) => {
      const written = bytesMapValue(new Map(entries));
      return bytesMapValue(bytesMapHeader(of(written), key)).equals(written);
    }),
  );
});

t.test('maps whose lengths do not add up are refused', async (t) => {
  const map = bytesMapValue(
    new Map([
      [1, hex('0102')],
      [2, hex('')],
    ]),
  );
  for (let cut = 1; cut < map.length; cut++) {
    t.throws(() => bytesMapHeader(of(map.subarray(0, cut)), key), MalformedMessage);
  }
  const entries = (count: number) =>
    bytesMapValue(new Map(Array.from({ length: count }, (_, number) => [number, hex('')])));
  t.equal(bytesMapHeader(of(entries(128)), key).size, 128);
  const long = (bytes: number) => bytesMapValue(new Map([[1, Buffer.alloc(bytes)]]));
  t.equal(bytesMapHeader(of(long(8192)), key).size, 1);
  for (const wrong of [
    hex('00000000 00'), // a byte behind the last entry
    hex('ffffffff'),
    hex('01000000 01000000 ffffffff 61'),
    hex('02000000 01000000 00000000 01000000 00000000'), // a key twice
    entries(129),
    long(8193),
  ]) {
    t.throws(() => bytesMapHeader(of(wrong), key), MalformedMessage);
  }
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

// Values of the peer as they are read, and every way in which one is refused.

import t, { type Test } from 'tap';
import type { Bucket } from '../../../src/migrate/bolt/bucket.ts';
import type { PeerEntity } from '../../../src/migrate/peer/entity.ts';
import { Entity } from '../../../src/migrate/peer/fields.ts';
import { SourceDamaged } from '../../../src/migrate/source-problem.ts';
import { type BoltValue, boltBucket } from '../bolt/bolt-writer.ts';
import * as peer from './database.ts';
import { networkOf, serviceOf } from './reading.ts';

type Reading = (entity: PeerEntity) => unknown;

const readings = {
  text: (entity) => entity.text('x'),
  flag: (entity) => entity.flag('x'),
  integer: (entity) => entity.integer('x'),
  time: (entity) => entity.time('x'),
  bytes: (entity) => entity.bytes('x'),
  numbered: (entity) => entity.numbered('x'),
  set: (entity) => entity.set('x'),
  map: (entity) => entity.map('x'),
  list: (entity) => entity.list('x'),
  below: (entity) => entity.below('x'),
} satisfies Readonly<Record<string, Reading>>;

/** Reading the field `x` of a service ends with a sentence that names it. */
function refused(t: Test, read: keyof typeof readings, value: BoltValue, rest: RegExp): void {
  let found: unknown;
  try {
    found = readings[read](serviceOf({ x: value }));
  } catch (error) {
    found = error;
  }
  if (!(found instanceof SourceDamaged)) {
    t.fail(`${read} of ${rest.source}: ${String(found)}`);
    return;
  }
  t.match(found.message, /^Field x(\.\S+)? of services s1 in the database .*\.$/);
  t.match(found.message, rest, `${read}: ${rest.source}`);
}

t.test('values of every type', async (t) => {
  const entity = serviceOf({
    text: peer.text('größe ✓ 😀'),
    empty: peer.text(''),
    yes: peer.flag(true),
    no: peer.flag(false),
    int: peer.int(-2_147_483_648),
    long: peer.long(Number.MAX_SAFE_INTEGER),
    least: peer.long(Number.MIN_SAFE_INTEGER),
    minus: peer.long(-1),
    bytes: peer.raw(Buffer.of(0xff, 0, 0x80)),
    set: peer.set(['b', 'a']),
    counted: peer.counted({ s2: peer.int(3), s3: peer.raw('id') }),
    map: peer.map({ a: peer.long(5), f: peer.float(0.5), n: peer.nil(), t: peer.flag(true) }),
    list: peer.list([peer.text('x'), peer.nil()]),
  });
  t.equal(entity.kind, 'services');
  t.equal(entity.id, 's1');
  t.equal(entity.text('text'), 'größe ✓ 😀');
  t.equal(entity.text('empty'), '');
  t.equal(entity.flag('yes'), true);
  t.equal(entity.flag('no'), false);
  t.equal(entity.integer('int'), -2_147_483_648);
  t.equal(entity.integer('long'), Number.MAX_SAFE_INTEGER);
  t.equal(entity.integer('least'), Number.MIN_SAFE_INTEGER);
  t.equal(entity.integer('minus'), -1);
  t.strictSame(entity.bytes('bytes'), Buffer.of(0xff, 0, 0x80));
  t.strictSame(entity.set('set'), ['a', 'b']);
  t.strictSame(entity.set('counted'), ['s2', 's3']);
  t.strictSame(entity.map('map'), { a: 5, f: 0.5, n: null, t: true });
  t.strictSame(entity.list('list'), ['x', null]);
});

t.test('fields that are absent, nil or empty', async (t) => {
  const unset: readonly peer.PeerValues[] = [{}, { x: peer.nil() }];
  for (const fields of unset) {
    const entity = serviceOf(fields);
    t.equal(entity.text('x'), undefined);
    t.equal(entity.flag('x'), false);
    t.equal(entity.integer('x'), undefined);
    t.equal(entity.time('x'), undefined);
    t.equal(entity.below('x'), undefined);
    t.strictSame(entity.set('x'), []);
    t.strictSame(entity.map('x'), {});
    t.strictSame(entity.list('x'), []);
    t.equal(entity.numbered('x').size, 0);
  }
  const empty = serviceOf({ x: boltBucket({}) });
  t.strictSame([empty.set('x'), empty.map('x'), empty.list('x')], [[], {}, []]);
  t.equal(serviceOf({}).bytes('x'), undefined);
  t.strictSame(serviceOf({ x: peer.raw('') }).bytes('x'), Buffer.alloc(0));
});

t.test('bytes by numbers', async (t) => {
  const data = boltBucket([
    [Buffer.of(0xe9, 3, 0, 0), Buffer.of(1, 2)],
    [Buffer.of(0, 0, 0, 0x80), Buffer.alloc(0)],
  ]);
  t.strictSame(
    [...serviceOf({ x: data }).numbered('x')],
    [
      [0x8000_0000, Buffer.alloc(0)],
      [1001, Buffer.of(1, 2)],
    ],
  );
  refused(t, 'numbered', boltBucket({ longer: peer.raw('x') }), /is not bytes under a number/);
  refused(t, 'numbered', boltBucket({ four: boltBucket({}) }), /is not bytes under a number/);
});

t.test('a value without a type byte, or with type 8', async (t) => {
  for (const read of ['text', 'flag', 'integer', 'time'] as const) {
    refused(t, read, peer.raw(''), /has an empty value, without a byte for its type/);
    refused(t, read, peer.raw(Buffer.of(8, 1)), /has the unknown type 8/);
    refused(t, read, peer.raw('plain text'), /has the unknown type 112/);
    refused(t, read, peer.raw(Buffer.of(0)), /has the unknown type 0/);
    refused(t, read, boltBucket({}), /is a bucket instead of/);
  }
  refused(t, 'map', peer.map({ a: peer.raw('') }), /^Field x\.a .* has an empty value/);
  refused(t, 'map', peer.map({ a: peer.raw(Buffer.of(8)) }), /^Field x\.a .* unknown type 8/);
  refused(t, 'set', boltBucket({ plain: peer.raw('') }), /has the unknown type 112/);
});

t.test('a value of another type or length', async (t) => {
  refused(t, 'text', peer.flag(true), /is a bool instead of a text/);
  refused(t, 'flag', peer.text('true'), /is a text instead of a bool/);
  refused(t, 'integer', peer.float(1), /is a float64 instead of an int64/);
  refused(t, 'time', peer.long(5), /is an int64 instead of a time/);
  refused(t, 'flag', peer.raw(Buffer.of(1)), /is a bool of 0 bytes instead of 1/);
  refused(t, 'flag', peer.raw(Buffer.of(1, 2)), /is a bool with the byte 2/);
  refused(t, 'integer', peer.raw(Buffer.of(2, 1, 1)), /is an int32 of 2 bytes instead of 4/);
  refused(t, 'integer', peer.raw(Buffer.of(3, 1)), /is an int64 of 1 bytes instead of 8/);
  refused(t, 'text', peer.raw(Buffer.of(7, 7)), /is nil instead of a text/);
  refused(t, 'map', peer.map({ a: peer.raw(Buffer.of(4)) }), /is a float64 of 0 bytes/);
  refused(t, 'map', peer.map({ a: peer.raw(Buffer.of(7, 1)) }), /is nil of 1 bytes instead of 0/);
  refused(t, 'bytes', boltBucket({}), /is a bucket instead of bytes/);
  for (const read of ['set', 'map', 'list', 'below', 'numbered'] as const) {
    refused(t, read, peer.text('x'), /is a single value instead of a bucket/);
  }
});

t.test('whole numbers that JavaScript does not hold', async (t) => {
  refused(t, 'integer', peer.long(2n ** 53n), /is 9007199254740992, but whole numbers are taken/);
  refused(t, 'integer', peer.long(-(2n ** 63n)), /is -9223372036854775808, but/);
  refused(t, 'map', peer.map({ big: peer.long(2n ** 62n) }), /^Field x\.big .* is 46116860/);
  for (const number of [Number.NaN, Number.POSITIVE_INFINITY]) {
    refused(t, 'map', peer.map({ a: peer.float(number) }), /which JSON does not have/);
  }
});

t.test('invalid UTF-8', async (t) => {
  for (const bytes of [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0x80]]) {
    refused(t, 'text', peer.raw(Buffer.of(5, ...bytes)), /is no valid UTF-8/);
    const key = Buffer.of(5, ...bytes);
    refused(t, 'set', boltBucket([[key, peer.raw('')]]), /is no valid UTF-8/);
    const name = Buffer.of(...bytes);
    refused(t, 'map', boltBucket([[name, peer.nil()]]), /is no valid UTF-8/);
  }
  t.equal(serviceOf({ x: peer.text('\ufffd \ufeff') }).text('x'), '\ufffd \ufeff', 'valid ones');
});

t.test('lists: their order beyond 256 members, and gaps', async (t) => {
  const members = Array.from({ length: 700 }, (_, index) => peer.int(index));
  t.strictSame(
    serviceOf({ x: peer.list(members) }).list('x'),
    members.map((_, index) => index),
  );
  const size = (count: number): [string, Buffer] => [peer.listSizeKey, peer.int(count)];
  const member = (index: number): [Buffer, Buffer] => [peer.int(index), peer.text('m')];
  const gap = boltBucket([member(0), member(2), size(3)]);
  refused(t, 'list', gap, /is a list of 3 members, but 2 are there, so it has a gap/);
  const behind = boltBucket([member(0), member(2), size(2)]);
  refused(t, 'list', behind, /is a list of 2 members with an index 2/);
  refused(t, 'list', boltBucket([member(-1), size(1)]), /with an index -1/);
  refused(t, 'list', boltBucket([member(0)]), /is a list without its length/);
  refused(t, 'map', boltBucket([['in', boltBucket([member(0)])]]), /^Field x\.in .*its length/);
  refused(t, 'list', boltBucket([size(-1)]), /is a list of -1 members, but 0 are there/);
  refused(t, 'list', boltBucket([member(0), size(2 ** 31 - 1)]), /a list of 2147483647 members/);
  refused(t, 'list', boltBucket([['four', peer.nil()], size(1)]), /with a key that is no index/);
  refused(t, 'list', boltBucket([[peer.listSizeKey, peer.text('1')]]), /is a text instead of an/);
  refused(t, 'list', boltBucket([[peer.listSizeKey, boltBucket({})]]), /without its length/);
});

t.test('a set, a map and a list that are one of the others', async (t) => {
  refused(t, 'map', peer.list([peer.nil()]), /is a list instead of a map/);
  refused(t, 'map', peer.list([]), /is a list instead of a map/);
  refused(t, 'list', peer.map({ a: peer.nil() }), /is a map or set instead of a list/);
  refused(t, 'list', peer.set(['a']), /is a map or set instead of a list/);
  refused(t, 'set', peer.map({ a: boltBucket({}) }), /is a map or list instead of a set/);
  refused(t, 'set', peer.list([peer.nil()]), /is an int32 instead of a text/);
});

t.test('times in other zones, before 1970, and with nanoseconds', async (t) => {
  const read = (value: Buffer) => serviceOf({ x: value }).time('x');
  const ms = Date.UTC(2026, 10, 24, 3, 11, 7, 123);
  for (const zoneMinutes of [-1, 0, 60, -480, 345, 32_767, -32_768]) {
    t.equal(read(peer.time(ms, { zoneMinutes })), ms, `zone ${zoneMinutes}`);
  }
  t.equal(read(peer.time(ms, { nanoseconds: 999_999 })), ms, 'what is finer is cut off');
  for (const text of [
    '1969-12-31T23:59:59.999Z',
    '1900-01-01T00:00:00.001Z',
    '0001-01-01T00:00:01Z',
  ]) {
    t.equal(read(peer.time(Date.parse(text))), Date.parse(text), text);
  }
  t.equal(read(peer.time(Date.parse('1969-12-31T23:59:59.998Z'), { nanoseconds: 5 })), -2);
  t.equal(read(peer.zeroTime()), undefined, 'a time that was never set');
  const seconds = Buffer.concat([peer.time(ms, { zoneMinutes: 9 }), Buffer.of(59)]);
  seconds.writeUInt8(2, 1);
  t.equal(read(seconds), ms, 'a zone with seconds');

  const version = peer.time(ms);
  version.writeUInt8(3, 1);
  refused(t, 'time', version, /is a time of the unknown version 3/);
  refused(t, 'time', peer.raw(Buffer.of(6)), /is a time of the unknown version none/);
  refused(t, 'time', peer.time(ms).subarray(0, 15), /is a time of 14 bytes instead of 15/);
  refused(t, 'time', peer.time(ms, { nanoseconds: 1_000_000_000 }), /with 1123000000 nanoseconds/);
  refused(t, 'time', peer.time(9e15), /is a time that is too far away/);
});

t.test('nested tags, maps and lists', async (t) => {
  const data = {
    a: [1, 'two', null, { x: 1.5, y: [[], {}, [true]] }],
    b: { c: { d: { e: 'deep' } } },
  };
  t.strictSame(serviceOf({ tags: peer.json(data) }).map('tags'), { ...data, a: [...data.a] });
  const list = serviceOf({ x: peer.json(data.a) }).list('x');
  t.strictSame(list, data.a);
  const timed = serviceOf({ x: peer.map({ a: peer.time(0), z: peer.zeroTime() }) });
  t.strictSame(timed.map('x'), { a: '1970-01-01T00:00:00.000Z', z: '0001-01-01T00:00:00.000Z' });
  refused(t, 'map', peer.json({ a: [{ b: Number.NaN }] }), /^Field x\.a\.0\.b of services s1/);
});

t.test('names with line breaks, ESC and 10,000 characters', async (t) => {
  const name = `a\r\n\u001b[31m${'x'.repeat(10_000)}`;
  t.equal(serviceOf({ name: peer.text(name) }).text('name'), name, 'as a value');
  const entity = serviceOf({ tags: peer.map({ [name]: peer.raw('') }) });
  t.throws(() => entity.map('tags'), {
    message: /^Field tags\.a\\u000d\\u000a\\u001b\[31mx{170,190}… of services s1 in the database/,
  });
  const kinds = { [`k\n${name}`]: { [name]: { x: peer.raw('') } } };
  const [odd] = networkOf({ kinds }).entities(`k\n${name}`);
  t.throws(() => odd?.text('x'), { message: /^Field x of k\\u000aa.{0,230}… in the database/ });
});

t.test('a key __proto__ is one like any other', async (t) => {
  const inner = boltBucket([['isAdmin', peer.flag(true)]]);
  const entity = serviceOf(
    Object.fromEntries([
      ['tags', boltBucket([['__proto__', inner]])],
      ['__proto__', peer.text('x')],
    ]),
  );
  const tags = entity.map('tags');
  t.strictSame(Object.getOwnPropertyNames(tags), ['__proto__']);
  t.equal(tags['isAdmin'], undefined);
  t.equal(Object.getPrototypeOf(tags), Object.prototype);
  t.equal(entity.text('__proto__'), 'x');
  t.equal(entity.text('constructor'), undefined);
});

t.test('a field that holds more than 64 MiB', async (t) => {
  /** A bucket with so many values, which say only that they are large. */
  const large = (count: number): Bucket => ({
    entries: () =>
      Array.from({ length: count }, (_, index) => ({
        key: peer.text(`${index}`),
        name: `${index}`,
        size: 8 * 1024 * 1024 - 16,
        value: peer.text('x'),
      })),
    value: () => undefined,
    bucket: () => undefined,
  });
  const root = (count: number): Bucket => ({
    entries: () => [{ key: Buffer.from('x'), name: 'x', size: 17, bucket: large(count) }],
    value: () => undefined,
    bucket: () => undefined,
  });
  const readers = ['map', 'set', 'below'] as const;
  for (const read of readers) {
    readings[read](new Entity('services', 's1', root(8)));
    t.throws(() => readings[read](new Entity('services', 's1', root(9))), {
      name: 'SourceDamaged',
      message: 'Field x of services s1 in the database holds more than 67108864 bytes.',
    });
  }
});

t.test('fields that nobody has read', async (t) => {
  const entity = serviceOf({
    a: peer.text('x'),
    b: peer.set(['x']),
    edge: boltBucket({ c: peer.nil(), d: boltBucket({ e: peer.nil(), f: peer.nil() }) }),
    passed: boltBucket({ g: peer.nil() }),
  });
  t.strictSame(entity.names(), ['a', 'b', 'edge', 'passed']);
  t.strictSame(entity.unread(), ['a', 'b', 'edge', 'passed'], 'names() notes nothing');
  entity.text('a');
  entity.set('b');
  entity.integer('absent');
  t.strictSame(entity.unread(), ['edge', 'passed']);
  const edge = entity.below('edge');
  t.strictSame(entity.unread(), ['edge.c', 'edge.d', 'passed']);
  t.equal(entity.below('edge'), edge, 'the same one');
  edge?.text('c');
  edge?.below('d')?.text('e');
  t.strictSame(entity.unread(), ['edge.d.f', 'passed']);
  entity.pass('passed', 'edge');
  t.strictSame(entity.unread(), [], 'with everything below them');
});

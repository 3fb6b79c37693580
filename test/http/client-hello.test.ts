// The first message of a TLS connection, in all the pieces it may come in.

import t from 'tap';
import { ClientHello, type HelloState } from '../../src/http/front/client-hello.ts';
import { inRecords, realHello } from './first-flight.ts';

const bytesMax = 16_384;

function fed(chunks: readonly Buffer[], max = bytesMax): HelloState[] {
  const hello = new ClientHello(max);
  return chunks.map((chunk) => hello.take(chunk));
}

function bytewise(bytes: Buffer): Buffer[] {
  return [...bytes].map((_, at) => bytes.subarray(at, at + 1));
}

t.test('a whole one, in one segment and byte by byte, in one record and in many', async (t) => {
  const hello = await realHello();
  for (const bytes of [16_384, 100, 5, 3, 1]) {
    const sent = inRecords(hello, bytes);
    t.same(fed([sent]), ['whole'], `records of ${bytes} bytes`);
    const states = fed(bytewise(sent));
    t.equal(states.pop(), 'whole');
    t.same([...new Set(states)], ['unfinished']);
  }
  t.same(fed([Buffer.concat([hello, Buffer.from('more')])]), ['whole'], 'with more behind it');
});

t.test('all bytes are kept', async (t) => {
  const sent = inRecords(await realHello(), 7);
  const hello = new ClientHello(bytesMax);
  for (const chunk of bytewise(sent)) hello.take(chunk);
  t.ok(hello.bytes.equals(sent));
});

t.test('anything else is refused with the first byte that shows it', async (t) => {
  const hello = await realHello();
  for (const [at, value, what] of [
    [0, 0x80, 'SSL 2'],
    [0, 23, 'a record of another type'],
    [1, 2, 'another version'],
    [5, 2, 'another message'],
  ] as const) {
    const sent = Buffer.from(hello);
    sent[at] = value;
    const states = fed(bytewise(sent.subarray(0, at + 1)));
    t.equal(states.pop(), 'refused', what);
    t.notOk(states.includes('refused'));
  }
  t.same(fed([Buffer.from('GET / HTTP/1.1\r\n\r\n')]), ['refused']);
  t.same(fed([Buffer.from([22, 3, 1, 0, 0])]), ['refused'], 'an empty record');
  t.same(fed([Buffer.from([22, 3, 1, 0x40, 1])]), ['refused'], 'a record that is too long');
  const second = Buffer.concat([inRecords(hello, 10).subarray(0, 15), Buffer.from([21])]);
  t.same(fed([second]), ['refused'], 'an alert in the middle');
});

t.test('one that is too long is refused', async (t) => {
  const declared = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0x40, 0]);
  t.same(fed([declared]), ['refused'], 'by the length it declares');
  const hello = await realHello();
  const sent = inRecords(hello, 1);
  const max = hello.length;
  t.same(fed([sent.subarray(0, max)], max), ['unfinished']);
  t.same(fed([sent.subarray(0, max + 1)], max), ['refused'], 'by the records it comes in');
});

// The bytes of a client that a TLS worker passes on, however they are split.

import t from 'tap';
import { faultOfBody, faultOfHead } from '../../src/http/front/framing-faults.ts';
import { RequestFraming } from '../../src/http/front/request-framing.ts';
import * as fc from '../properties.ts';
import { framingTable } from '../system/hostile/framing-table.ts';

const headBytesMax = 32 * 1024;

/** What is passed on of bytes that come in segments which end at `cuts`. */
function passed(bytes: Buffer, cuts: readonly number[] = []): string {
  const framing = new RequestFraming(headBytesMax);
  const ends = [...new Set(cuts.filter((cut) => cut < bytes.length))].sort((a, b) => a - b);
  let from = 0;
  let text = '';
  for (const end of [...ends, bytes.length]) {
    // A copy, as what is passed on may be changed in place.
    text += framing.take(Buffer.from(bytes.subarray(from, end))).toString('latin1');
    from = end;
  }
  return text;
}

const tableBytes = framingTable.map(({ raw }) => Buffer.from([raw].flat().join(''), 'latin1'));

t.test('the same bytes are passed on, however they are split', async () => {
  const bytes = fc.oneof(
    fc.constantFrom(...tableBytes),
    // Cases that follow each other, and cases with a byte that is another.
    fc.tuple(fc.constantFrom(...tableBytes), fc.constantFrom(...tableBytes)).map(Buffer.concat),
    fc
      .tuple(fc.constantFrom(...tableBytes), fc.nat(), fc.constantFrom(0, 9, 10, 13, 32, 48, 58))
      .map(([base, at, byte]) => {
        const changed = Buffer.from(base);
        changed[at % changed.length] = byte;
        return changed;
      }),
  );
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 30 });
  fc.assert(
    fc.property(bytes, cuts, (all, at) => passed(all, at) === passed(all)),
    { numRuns: 2000 },
  );
});

t.test('the same bytes are passed on one by one', async (t) => {
  for (const bytes of tableBytes.filter(({ length }) => length < 2000)) {
    const cuts = Array.from({ length: bytes.length }, (_, at) => at);
    t.equal(passed(bytes, cuts), passed(bytes));
  }
});

const head = 'POST /path HTTP/1.1\r\nHost: localhost\r\n';

t.test('requests that are valid pass unchanged', async () => {
  const chunk = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.boolean());
  const chunked = fc.array(chunk, { maxLength: 5 }).map((chunks) => {
    const parts = chunks.map(([data, isUpper]) => {
      const size = data.length.toString(16);
      const text = isUpper ? size.toUpperCase() : `0${size}`;
      return Buffer.concat([Buffer.from(`${text}\r\n`), data, Buffer.from('\r\n')]);
    });
    const start = Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    return Buffer.concat([start, ...parts, Buffer.from('0\r\n\r\n')]);
  });
  const counted = fc
    .uint8Array({ maxLength: 600 })
    .map((data) =>
      Buffer.concat([Buffer.from(`${head}Content-Length: ${data.length}\r\n\r\n`), data]),
    );
  const request = fc.oneof(chunked, counted, fc.constant(Buffer.from(`${head}\r\n`)));
  fc.assert(
    fc.property(
      fc.array(request, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat({ max: 2000 }), { maxLength: 20 }),
      (requests, cuts) => {
        const all = Buffer.concat(requests);
        return passed(all, cuts) === all.toString('latin1');
      },
    ),
  );
});

t.test('a chunk extension passes behind a space', async (t) => {
  const start = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  const extended = Buffer.from(`${start}3;a=b\r\nabc\r\n0 ;c\r\n\r\n`);
  t.equal(passed(extended), `${start}3 a=b\r\nabc\r\n0 ;c\r\n\r\n`);
});

t.test('a fault is passed on in place of its head, and nothing behind it', async (t) => {
  const text = passed(Buffer.from(`${head}\r\nGET / HTTP/1.1\r\n\r\n${head}\r\n`));
  t.ok(text.startsWith(`${head}\r\n`));
  const [method = '', path = ''] = text.slice(head.length + 2).split(' ');
  t.equal(faultOfHead(method, path), 'host');
  t.notMatch(text, 'GET');
});

t.test('a fault in chunks ends the body, on its chunk border', async (t) => {
  const start = `${head}Transfer-Encoding: chunked\r\n\r\n`;
  for (const [chunks, kept, fault] of [
    ['x\r\n', '', 'chunkSize'],
    ['3\r\nabcXX0\r\n\r\n', '3\r\nabc', 'chunkEnd'],
    ['3\r\nabc\r\n-1\r\n', '3\r\nabc', 'chunkSize'],
    ['3\r\nabc\r\n0\r\nX: y\r\n\r\n', '3\r\nabc', 'trailers'],
  ] as const) {
    const text = passed(Buffer.from(start + chunks));
    const size = (fault.length + 1).toString(16);
    const end = `${size}\r\n\xff${fault}\r\n0\r\n\r\n`;
    t.equal(text, `${start}${kept}${kept === '' ? '' : '\r\n'}${end}`);
    t.equal(faultOfBody(Buffer.from(`abc\xff${fault}`, 'latin1')), fault);
  }
  t.equal(faultOfBody(Buffer.from('abc')), undefined);
  t.equal(faultOfBody(Buffer.from('abc\xffnothing', 'latin1')), undefined);
});

t.test('a head may be as long as the bound, and no longer', async (t) => {
  const fill = (bytes: number) => {
    const start = `${head}X-A: `;
    return Buffer.from(`${start}${'a'.repeat(bytes - start.length - 4)}\r\n\r\n`);
  };
  t.equal(passed(fill(headBytesMax)).length, headBytesMax);
  for (const cuts of [[], [100], [headBytesMax], [headBytesMax - 1, headBytesMax]]) {
    t.match(passed(fill(headBytesMax + 1), cuts), 'MALFORMED /headBytes ');
  }
});

t.test('behind an upgrade bytes pass as they are; until it nothing may be sent', async (t) => {
  const upgrade = Buffer.from(
    'GET /stream HTTP/1.1\r\nHost: localhost\r\nUpgrade: WebSocket\r\n\r\n',
  );
  const frames = Buffer.from('\x82\x05\r\n\0\xff\n', 'latin1');
  const framing = new RequestFraming(headBytesMax);
  t.equal(framing.take(upgrade), upgrade);
  t.equal(framing.awaitsUpgrade, true);
  framing.answered(Buffer.from('HTTP/1.1 101 Switching Protocols\r\n'));
  t.equal(framing.take(frames), frames);

  const refused = new RequestFraming(headBytesMax);
  refused.take(upgrade);
  refused.answered(Buffer.from('HTTP/1.1 401 Unauthorized\r\n'));
  t.match(refused.take(frames).toString('latin1'), /^$|MALFORMED/);
  t.match(refused.take(Buffer.from('\n')).toString('latin1'), /^$|MALFORMED/);

  const early = new RequestFraming(headBytesMax);
  early.take(upgrade);
  t.match(early.take(frames).toString('latin1'), 'MALFORMED /earlyBytes ');
});

t.test('a head that has begun is told from one that has not', async (t) => {
  const framing = new RequestFraming(headBytesMax);
  t.equal(framing.isBetweenRequests, true);
  t.equal(framing.isInHead, false);
  t.equal(framing.take(Buffer.from('GET / HT')).length, 0);
  t.equal(framing.isBetweenRequests, false);
  t.equal(framing.isInHead, true);
  framing.take(Buffer.from('TP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n'));
  t.equal(framing.isBetweenRequests, false);
  t.equal(framing.isInHead, false);
  framing.take(Buffer.from('ab'));
  t.equal(framing.isBetweenRequests, true);
});

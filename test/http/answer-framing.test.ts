// The end of an answer is found, however its bytes are split.

import t from 'tap';
import { AnswerFraming, MalformedAnswer } from '../../src/http/front/cluster/answer-framing.ts';
import * as fc from '../properties.ts';

const headBytesMax = 1024;

const chunkedBody = '4\r\nabcd\r\n00a\r\n0123456789\r\n0\r\n\r\n';

/** Whole answers: the request was a HEAD, the bytes, the status, and whether the server closes. */
const answers = [
  [false, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 200, false],
  [false, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', 200, false],
  [true, 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', 200, false],
  [true, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', 200, false],
  [false, `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunkedBody}`, 200, false],
  [false, 'HTTP/1.1 204 No Content\r\n\r\n', 204, false],
  [false, 'HTTP/1.1 304 Not Modified\r\nETag: "1"\r\n\r\n', 304, false],
  [false, 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 421 \r\ncontent-length:2\r\n\r\nno', 421, false],
  [false, 'HTTP/1.1 503 X\r\nConnection: close\r\nContent-Length: 1\r\n\r\n!', 503, true],
] as const;

t.test('the end of each answer is found, however it is split', async () => {
  const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...answers),
      cuts,
      async ([isHead, text, status, closes], at) => {
        const bytes = Buffer.from(text);
        const framing = new AnswerFraming(headBytesMax, isHead);
        const ends = [...new Set([...at.filter((cut) => cut < bytes.length), bytes.length])];
        let [from, passed] = [0, ''];
        for (const end of ends.sort((a, b) => a - b)) {
          t.notOk(framing.isOver && from > 0, `over only at the end: ${text}`);
          passed += framing.take(Buffer.from(bytes.subarray(from, end))).toString();
          from = end;
        }
        t.same(
          [passed, framing.status, framing.isOver, framing.closes],
          [text, status, true, closes],
        );
        t.throws(() => framing.take(Buffer.from('H')), MalformedAnswer);
      },
    ),
  );
});

t.test('an answer may end with its connection', async (t) => {
  const framing = new AnswerFraming(headBytesMax, false);
  const head = 'HTTP/1.1 431 Too Large\r\nConnection: close\r\n\r\n';
  t.equal(framing.take(Buffer.from(head)).toString(), head);
  t.equal(framing.take(Buffer.from('<h1>too large</h1>')).toString(), '<h1>too large</h1>');
  t.same([framing.status, framing.isOver, framing.closes], [431, false, true]);
});

t.test('what is no answer of ours is refused', async (t) => {
  const refused = [
    'HTTP/1.0 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nServer: x\r\n\r\n',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(headBytesMax)}`,
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n',
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(300)}`,
  ];
  for (const text of refused) {
    t.throws(() => new AnswerFraming(headBytesMax, false).take(Buffer.from(text)), MalformedAnswer);
  }
});

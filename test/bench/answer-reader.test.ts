// Reading answers: they are complete, however their bytes are split.

import t from 'tap';
import { AnswerReader } from '../../bench/load/answer-reader.ts';
import * as fc from '../properties.ts';

const body = '{"data":{}}';
const answer = Buffer.from(
  `HTTP/1.1 201 Created\r\nContent-Length: ${body.length}\r\nx: y\r\n\r\n${body}`,
);

t.test('gives status and body however the bytes arrive', async (t) => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sizes) => {
      const taken: [number, string][] = [];
      const reader = new AnswerReader((status, bytes, bodyOffset) => {
        taken.push([status, bytes.toString('utf8', bodyOffset)]);
      });
      for (let round = 0; round < 2; round++) {
        for (let at = 0, i = 0; at < answer.length; i++) {
          const end = Math.min(answer.length, at + (sizes[i % sizes.length] ?? 1));
          const chunk = Buffer.from(answer.subarray(at, end));
          reader.push(chunk);
          // Whoever read it may use the memory again.
          chunk.fill(0);
          at = end;
        }
      }
      t.same(taken, [
        [201, body],
        [201, body],
      ]);
    }),
  );
});

t.test('refuses bytes that are no answer of a known form', async (t) => {
  const push = (text: string) => () => new AnswerReader(() => undefined).push(Buffer.from(text));
  t.throws(push('SSH-2.0\r\n\r\n'), /no HTTP answer/);
  t.throws(push('HTTP/1.1 200 OK\r\n\r\n'), /of unknown length/);
  t.throws(push(`${answer}${answer}`), /more came/);
});

t.test('chunks are put together however the bytes arrive', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
  const chunked = Buffer.from(`${head}5;x=y\r\n{"dat\r\n6\r\na":{}}\r\n0\r\n\r\n`);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (sizes) => {
      const taken: [number, string][] = [];
      const reader = new AnswerReader((status, bytes, bodyOffset) => {
        taken.push([status, bytes.toString('utf8', bodyOffset)]);
      });
      for (let round = 0; round < 2; round++) {
        for (let at = 0, i = 0; at < chunked.length; i++) {
          const end = Math.min(chunked.length, at + (sizes[i % sizes.length] ?? 1));
          reader.push(Buffer.from(chunked.subarray(at, end)));
          at = end;
        }
      }
      t.same(taken, [
        [200, body],
        [200, body],
      ]);
    }),
  );
});

t.test('an answer that has no body needs no length', async (t) => {
  const taken: number[] = [];
  const reader = new AnswerReader((status) => taken.push(status));
  reader.push(Buffer.from('HTTP/1.1 204 No Content\r\nx: y\r\n\r\n'));
  t.same(taken, [204]);
});

t.test('a chunk without a length is no answer', async (t) => {
  const reader = new AnswerReader(() => undefined);
  const bytes = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n';
  t.throws(() => reader.push(Buffer.from(bytes)), /chunk without a length/);
});

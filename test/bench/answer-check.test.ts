// The checks of answers: each rule once kept and once broken.

import t from 'tap';
import { AnswerCheck } from '../../bench/load/answer-check.ts';
import type { Expectation } from '../../bench/load/job.ts';

function check(expect: Expectation, ...bodies: string[]) {
  const checks = new AnswerCheck(expect, true);
  bodies.forEach((body, n) => {
    checks.take(n, 200, Buffer.from(`head${body}`), 4);
  });
  return checks.result();
}

t.test('ids: collected by request, each new', async (t) => {
  const expect = { status: 200, idAfter: '"./things/' };
  const good = check(expect, '{"h":"./things/a"}', '{"h":"./things/b"}');
  t.match(good, { wrong: 0, distinctIds: 2, ids: ['a', 'b'] });
  const twice = check(expect, '{"h":"./things/a"}', '{"h":"./things/a"}');
  t.match(twice, { wrong: 1, distinctIds: 1 });
  t.match(twice.wrongSamples[0], /id a came twice/);
  t.match(check(expect, '{}').wrongSamples[0], /without "\.\/things\//);
});

t.test('an answer without a link has its id in its data, where that is allowed', async (t) => {
  const expect = { status: 200, idAfter: '"./things/' };
  const bodies = ['{"data":{"h":"./things/a","id":"a"}}', '{"data":{"_links":null,"id":"b"}}'];
  const found = check({ ...expect, isIdInData: true }, ...bodies);
  t.match(found, { wrong: 0, distinctIds: 2, ids: ['a', 'b'] });
  t.equal(check(expect, ...bodies).wrong, 1);
  const others = ['{"data":{"id":""}}', '{"data":{"id":1}}', '{"data":null}', '{"id":"c"}', 'no'];
  t.equal(check({ ...expect, isIdInData: true }, ...others).wrong, others.length);
  t.equal(check({ ...expect, isIdInData: true }, '{"data":{"id":"b"}}', bodies[1] ?? '').wrong, 1);
});

t.test('status, length and content', async (t) => {
  t.match(check({ status: 201 }, '{}').wrongSamples[0], /status 200, not 201/);
  t.match(check({ status: 200, bodyBytesMin: 3 }, '{}').wrongSamples[0], /2 bytes, not 3/);
  t.match(check({ status: 200, includes: 'x' }, '{}').wrongSamples[0], /without x/);
  t.equal(check({ status: 200, includes: 'x', bodyBytesMin: 2 }, '{"x":1}').wrong, 0);
});

t.test('the first body is parsed whole', async (t) => {
  t.match(check({ status: 200 }, 'no').wrongSamples[0], /no JSON/);
  t.match(check({ status: 200, rows: 2 }, '{"data":[1]}').wrongSamples[0], /1 rows, not 2/);
  t.equal(check({ status: 200, rows: 1 }, '{"data":[1]}').wrong, 0);
});

t.test('a lost connection is wrong; only a few are described in words', async (t) => {
  const checks = new AnswerCheck({ status: 200 }, false);
  for (let i = 0; i < 10; i++) checks.broken('reset');
  const { wrong, wrongSamples, ids } = checks.result();
  t.equal(wrong, 10);
  t.equal(wrongSamples.length, 5);
  t.same(ids, []);
});

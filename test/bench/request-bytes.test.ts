// Request templates: their bytes, and which requests differ.

import t from 'tap';
import type { RequestTemplate } from '../../bench/load/job.ts';
import { compileRequest } from '../../bench/load/request-bytes.ts';

const template: RequestTemplate = {
  method: 'POST',
  path: '/things?of={{kind}}',
  headers: { 'x-token': '{{token}}' },
  body: '{"n":"{{n}}","ü":"{{kind}}"}',
  slots: {
    n: { kind: 'number', digits: 4 },
    kind: { kind: 'list', values: ['ab', 'cd'], every: 3 },
    token: { kind: 'list', values: ['t1', 't2', 't3'], every: 1 },
  },
};

t.test('fills its slots repeatedly', async (t) => {
  const bytes = compileRequest(template, 'example:1');
  const buffer = bytes.copy();
  bytes.fill(buffer, 4);
  t.equal(
    buffer.toString(),
    'POST /things?of=cd HTTP/1.1\r\nhost: example:1\r\nx-token: t2\r\ncontent-length: 22\r\n\r\n' +
      '{"n":"0004","ü":"cd"}',
  );
  bytes.fill(buffer, 0);
  t.match(buffer.toString(), '{"n":"0000","ü":"ab"}');
  t.not(bytes.copy(), buffer);
});

t.test('no body, no length', async (t) => {
  const bytes = compileRequest({ method: 'GET', path: '/', headers: {}, body: '', slots: {} }, 'h');
  t.equal(bytes.copy().toString(), 'GET / HTTP/1.1\r\nhost: h\r\n\r\n');
  t.equal(bytes.distinct, Number.POSITIVE_INFINITY);
});

t.test('lists that turn like the wheels of an odometer never repeat', async (t) => {
  const bytes = compileRequest(
    {
      ...template,
      slots: {
        token: { kind: 'list', values: ['a', 'b', 'c'], every: 1 },
        kind: { kind: 'list', values: ['x', 'y'], every: 3 },
        n: { kind: 'list', values: ['1', '2'], every: 6 },
      },
    },
    'h',
  );
  t.equal(bytes.distinct, 12);
  const buffer = bytes.copy();
  const seen = new Set<string>();
  for (let n = 0; n < 12; n++) {
    bytes.fill(buffer, n);
    seen.add(buffer.toString());
  }
  t.equal(seen.size, 12);
});

t.test('a list that may repeat has no end', async (t) => {
  const slots = { t: { kind: 'list', values: ['a'], every: 1, repeats: true } } as const;
  const bytes = compileRequest(
    { method: 'GET', path: '/{{t}}', headers: {}, body: '', slots },
    'h',
  );
  t.equal(bytes.distinct, Number.POSITIVE_INFINITY);
});

t.test('values of different lengths give requests of different lengths', async (t) => {
  const slots = { t: { kind: 'list', values: ['a', 'bb'], every: 1 } } as const;
  const bytes = compileRequest(
    { method: 'POST', path: '/{{t}}', headers: {}, body: '<{{t}}>', slots },
    'h',
  );
  const buffer = bytes.copy();
  t.match(bytes.fill(buffer, 0).toString(), /^POST \/a HTTP.*content-length: 3\r\n\r\n<a>$/s);
  t.match(bytes.fill(buffer, 1).toString(), /^POST \/bb HTTP.*content-length: 4\r\n\r\n<bb>$/s);
  t.equal(bytes.distinct, 2);
});

t.test('refuses a slot without values', async (t) => {
  for (const values of [[], ['a', '']]) {
    const slots = { t: { kind: 'list', values, every: 1 } } as const;
    const compile = (): unknown =>
      compileRequest({ method: 'GET', path: '/{{t}}', headers: {}, body: '', slots }, 'h');
    t.throws(compile, /slot t has nothing/);
  }
});

t.test('refuses an unknown slot', async (t) => {
  t.throws(() => compileRequest({ ...template, slots: {} }, 'h'), /has no slot n/);
});

// JWTs and private keys in texts from outside.

import t from 'tap';
import { withoutSecrets } from '../../src/errors/masked-text.ts';

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2ln-bmF0_dXJl';

t.test('JWTs are masked wherever they stand', (t) => {
  for (const [text, shown] of [
    ['no secret', 'no secret'],
    [jwt, '******'],
    [`the token ${jwt} is wrong`, 'the token ****** is wrong'],
    [`token_${jwt}`, 'token_******'],
    [`a-${jwt}`, 'a-******'],
    [`host.example.${jwt}.tail`, 'host.example.******.tail'],
    [`${jwt}.${jwt}`, '******.******'],
    [`"${jwt}","${jwt}"`, '"******","******"'],
    ['eyJ.is.short', '******'],
    ['eyJhbGciOiJFUzI1NiJ9.eyJzdWIi', 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIi'],
    ['eyJhbGciOiJFUzI1NiJ9..c2ln', 'eyJhbGciOiJFUzI1NiJ9..c2ln'],
    ['keyJar.of.names', 'keyJar.of.names'],
  ] as const) {
    t.equal(withoutSecrets(text), shown, text);
  }
  t.end();
});

t.test('private keys are masked, ended or not', (t) => {
  const begin = '-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n';
  t.equal(withoutSecrets(`a ${begin}-----END EC PRIVATE KEY----- b`), 'a ****** b');
  t.equal(withoutSecrets(`a ${begin}`), 'a ******');
  t.end();
});

t.test('no text takes longer than its length', (t) => {
  for (const [piece, bytes] of [
    // Read from each of its beginnings on, it would take longer than a test may.
    ['-eyJ', 2 ** 23],
    ['eyJ.', 2 ** 20],
    ['-----BEGIN PRIVATE KEY', 2 ** 20],
    ['.', 2 ** 20],
  ] as const) {
    const text = `eyJ PRIVATE KEY ${piece.repeat(bytes / piece.length)}`;
    t.type(withoutSecrets(text), 'string', piece);
  }
  t.end();
});

// Parsing of JWTs and of their claims.

import t from 'tap';
import { bearersOf } from '../../src/auth/external-jwt/candidates.ts';
import {
  identityClaim,
  isMeantFor,
  lifetimeOf,
  parseToken,
} from '../../src/auth/external-jwt/token.ts';
import { base64url, bearers } from './identity-provider.ts';

const foreign = (request: { header(name: string): string }) =>
  bearersOf(request, () => false).foreign;

const header = base64url({ alg: 'ES256' });
const payload = base64url({ sub: 'ü' });

t.test('a compact token in its parts', async (t) => {
  const text = `${header}.${payload}.AQID`;
  const token = parseToken(text, text.length);
  t.match(token, { header: { alg: 'ES256' }, claims: { sub: 'ü' } });
  t.equal(parseToken(text, text.length - 1), undefined, 'too long');
});

t.test('texts that are no tokens', async (t) => {
  const notUtf8 = Buffer.concat([Buffer.from('{"sub":"'), Buffer.from([0xff]), Buffer.from('"}')]);
  const texts = [
    '',
    '..',
    'opaque',
    `${header}.${payload}`,
    `${header}.${payload}.`,
    `${header}.${payload}.AQID.AQID`,
    `${header}.${payload}.AQ=`,
    `${header}.${payload}.AQ+/`,
    ` ${header}.${payload}.AQID`,
    `${header} .${payload}.AQID`,
    `${header}. ${payload}.AQID`,
    `${header}.${payload}. AQID`,
    `${header}.${payload}.AQID\n`,
    `${base64url('[]')}.${payload}.AQID`,
    `${base64url('null')}.${payload}.AQID`,
    `${header}.${base64url('"sub"')}.AQID`,
    `${header}.${base64url('{"sub":')}.AQID`,
    `${header}.${notUtf8.toString('base64url')}.AQID`,
  ];
  for (const text of texts) t.equal(parseToken(text, 8192), undefined, JSON.stringify(text));
});

t.test('the last of two members with the same name counts', async (t) => {
  const twice = base64url('{"sub":"alice","sub":"bob"}');
  t.same(parseToken(`${header}.${twice}.AQID`, 8192)?.claims, { sub: 'bob' });
});

t.test('a token of deeply nested brackets is parsed like any other', async (t) => {
  const depth = 12_000;
  const deep = base64url(`{"sub":${'['.repeat(depth)}${']'.repeat(depth)}}`);
  const token = parseToken(`${header}.${deep}.AQID`, 32_768);
  t.equal(identityClaim({}, token?.claims ?? {}), undefined);
  const claimsProperty = `/sub${'/0'.repeat(2000)}`;
  t.equal(identityClaim({ claimsProperty }, token?.claims ?? {}), undefined);
});

t.test('audiences', async (t) => {
  const cases: [unknown, boolean][] = [
    ['edge', true],
    [['other', 'edge'], true],
    ['Edge', false],
    ['edge2', false],
    [['other'], false],
    [[['edge']], false],
    [[], false],
    [{ edge: true }, false],
    [undefined, false],
    [null, false],
  ];
  for (const [aud, isMeant] of cases) {
    t.equal(isMeantFor('edge', { aud }), isMeant, `${aud}`);
    t.equal(isMeantFor(undefined, { aud }), aud === undefined, `${aud} for a signer without one`);
  }
});

t.test('lifetimes', async (t) => {
  const cases: [Record<string, unknown>, object | undefined][] = [
    [{ exp: 10 }, { fromMs: 0, untilMs: 10_000 }],
    [
      { exp: 10.5, nbf: 3, iat: 4 },
      { fromMs: 4000, untilMs: 10_500 },
    ],
    [
      { exp: 10, nbf: 5, iat: 4 },
      { fromMs: 5000, untilMs: 10_000 },
    ],
    [{}, undefined],
    [{ exp: '10' }, undefined],
    [{ exp: null }, undefined],
    [{ exp: Number.POSITIVE_INFINITY }, undefined],
    [{ exp: 10, nbf: '1' }, undefined],
    [{ exp: 10, iat: null }, undefined],
  ];
  for (const [claims, lifetime] of cases) t.same(lifetimeOf(claims), lifetime);
});

t.test('the claim that identifies', async (t) => {
  const claims = {
    sub: 'alice',
    email: 'a@example.com',
    number: 7,
    empty: '',
    yes: true,
    '/sub': 'slash',
    '': 'nameless',
    'a/b': 'tilde one',
    'm~n': 'tilde zero',
    '~1': 'both',
    realm: { roles: ['first', 'second'], user: { id: 'nested' }, '': 'below' },
  };
  const cases: [string | undefined, string | undefined][] = [
    [undefined, 'alice'],
    ['', 'alice'],
    ['sub', 'alice'],
    ['/sub', 'alice'],
    ['//sub', undefined],
    ['/~1sub', 'slash'],
    ['/', 'nameless'],
    ['email', 'a@example.com'],
    ['a/b', 'tilde one'],
    ['/a~1b', 'tilde one'],
    ['/a/b', undefined],
    ['/m~0n', 'tilde zero'],
    ['/~01', 'both'],
    ['/realm/user/id', 'nested'],
    ['/realm/', 'below'],
    ['realm/user/id', undefined],
    ['/realm/roles/0', 'first'],
    ['/realm/roles/1', 'second'],
    ['/realm/roles/2', undefined],
    ['/realm/roles/01', undefined],
    ['/realm/roles/-', undefined],
    ['/realm/roles/length', undefined],
    ['/realm/roles', undefined],
    ['/realm', undefined],
    ['/sub/0', undefined],
    ['/sub/length', undefined],
    ['number', undefined],
    ['yes', undefined],
    ['empty', undefined],
    ['absent', undefined],
    ['constructor', undefined],
    ['/constructor/name', undefined],
    ['/__proto__/constructor/name', undefined],
  ];
  for (const [claimsProperty, claim] of cases) {
    t.equal(identityClaim({ claimsProperty }, claims), claim, `${claimsProperty}`);
  }
});

t.test('bearer values', async (t) => {
  const cases: [Record<string, string>, string[]][] = [
    [{}, []],
    [{ authorization: 'Bearer a' }, ['a']],
    [{ authorization: 'bearer a' }, ['a']],
    [{ authorization: '  BEARER   a  ' }, ['a']],
    [{ authorization: 'Bearer a, Bearer b,Bearer c' }, ['a', 'b', 'c']],
    [{ authorization: 'Bearer a, Bearer b, Bearer c, Bearer d' }, ['a', 'b', 'c']],
    [{ authorization: 'Basic eA==, Bearer a' }, ['a']],
    [{ authorization: 'Bearer' }, []],
    [{ authorization: 'Bearer ' }, []],
    [{ authorization: 'Bearer a b' }, []],
    [{ authorization: 'a' }, []],
    [{ authorization: 'XBearer a' }, []],
    [{ authorization: ',,,' }, []],
    [{ authentication: 'Bearer a' }, ['a']],
    [{ authorization: 'Bearer a', authentication: 'Bearer a, Bearer b' }, ['a', 'b']],
    [{ authorization: 'Bearer a,Bearer b,Bearer c', authentication: 'Bearer d' }, ['a', 'b', 'c']],
  ];
  for (const [headers, tokens] of cases) {
    const found = foreign({ header: (name) => headers[name] ?? '' });
    t.same(found, bearers(...tokens));
  }
  const spaces = `Bearer ${' '.repeat(30_000)}`;
  t.same(foreign({ header: () => spaces }), [], 'no time is lost on spaces');
});

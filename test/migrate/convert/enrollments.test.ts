// Enrollments of the peer: sealed tokens and JWTs, owners, and when they expire.

import t from 'tap';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { map, nil, type PeerValues, text, time } from '../peer/database.ts';
import { converted, edgeRouter, identity, nowMs, opened, remarksOn } from './converted.ts';

const token = '4a877d3b-fb9d-4fa6-bc2a-6f2f98414dde';

/** An enrollment has neither tags nor the usual times. */
const enrollment = (fields: PeerValues = {}): PeerValues => ({
  method: text('ott'),
  token: text(token),
  jwt: text('head.body.signature'),
  identity: text('me'),
  edgeRouter: nil(),
  transitRouter: nil(),
  caId: nil(),
  username: nil(),
  issuedAt: time(nowMs - 1000),
  expiresAt: time(nowMs + 1),
  ...fields,
});

t.test('token and JWT are sealed, and the token is found by its hash', (t) => {
  const { record, report } = converted({
    kinds: { identities: { me: identity('me') }, enrollments: { one: enrollment() } },
  });
  const found = record('enrollment', 'one');
  t.match(found, {
    method: 'ott',
    state: 'outstanding',
    identityId: 'me',
    routerId: undefined,
    caId: undefined,
    username: undefined,
    tokenHash: tokenHash(token),
    expiresAt: nowMs + 1,
    createdAt: nowMs - 1000,
    updatedAt: nowMs - 1000,
  });
  t.equal(opened(found?.['token'], 'enrollment/one/token').toString(), token);
  t.equal(opened(found?.['jwt'], 'enrollment/one/jwt').toString(), 'head.body.signature');
  t.same(remarksOn({ report }, 'enrollments', 'changed'), []);
  t.notMatch(JSON.stringify(report), token);
  t.end();
});

t.test('owners, user names and ends', (t) => {
  const next = (n: number) => ({ token: text(`token ${n}`) });
  const { record } = converted({
    kinds: {
      identities: { me: identity('me') },
      routers: {
        edge: edgeRouter('edge'),
        transit: { ...edgeRouter('transit'), edge: nil(), transitRouter: map({}) },
      },
      enrollments: {
        erott: enrollment({
          ...next(1),
          method: text('erott'),
          identity: nil(),
          edgeRouter: text('edge'),
        }),
        trott: enrollment({
          ...next(2),
          method: text('trott'),
          identity: nil(),
          transitRouter: text('transit'),
        }),
        updb: enrollment({ ...next(3), method: text('updb'), username: text('later') }),
        over: enrollment({ ...next(4), expiresAt: time(nowMs) }),
      },
    },
  });
  t.match(record('enrollment', 'erott'), { routerId: 'edge', identityId: undefined });
  t.match(record('enrollment', 'trott'), { routerId: 'transit' });
  t.match(record('enrollment', 'updb'), { username: 'later', identityId: 'me' });
  t.match(record('enrollment', 'over'), { state: 'expired' });
  t.end();
});

t.test('those that nobody could redeem are left out', (t) => {
  const { report } = converted({
    kinds: {
      identities: { me: identity('me') },
      enrollments: {
        a: enrollment({ identity: nil() }),
        b: enrollment({ method: text('magic') }),
        c: enrollment({ token: text('') }),
        d: enrollment({ jwt: nil() }),
        e: enrollment({ expiresAt: nil() }),
        f: enrollment({ method: text('ottca'), caId: text('gone') }),
        g: enrollment({ identity: text('gone') }),
      },
    },
  });
  t.same(remarksOn({ report }, 'enrollments', 'leftOut'), [
    'a: It belongs to no identity and to no router.',
    'b: Its method "magic" is not known.',
    'c: It has no token, or no JWT.',
    'd: It has no token, or no JWT.',
    'e: It does not say when it expires.',
    'f: Its caId names the ca "gone", which is not in the home.',
    'g: Its identityId names the identity "gone", which is not in the home.',
  ]);
  t.end();
});

// API sessions of the peer and their certificates: which of them go on, and in which state.

import t from 'tap';
import { tokenHash } from '../../../src/records/token-hash.ts';
import { entity, flag, int, type PeerValues, raw, set, text, time } from '../peer/database.ts';
import {
  converted,
  entityMs,
  identity,
  nowMs,
  opened,
  remarksOn,
  type TestOptions,
} from './converted.ts';

const minuteMs = 60_000;
const stoppedAtMs = nowMs - 60 * minuteMs;

/** An identity that was changed when the peer stopped. */
const last = identity('last', { updatedAt: time(stoppedAtMs) });

const session = (fields: PeerValues = {}) =>
  entity({
    token: text('2cd2f891-2741-4043-92c0-8a7b906d24e1'),
    identity: text('me'),
    authenticator: text('internal'),
    configTypes: set(['b', 'a']),
    ipAddress: text('192.0.2.1'),
    mfaRequired: flag(false),
    mfaComplete: flag(false),
    improperClientCertChain: flag(true),
    isCertExtendable: flag(true),
    lastActivityAt: time(stoppedAtMs - minuteMs),
    ...fields,
  });

const people = {
  last,
  me: identity('me'),
  strict: identity('strict', { authPolicyId: text('totp') }),
};

const totpPolicy = entity({
  name: text('totp'),
  'secondary.requireTotp': flag(true),
});

function convertedOf(
  apiSessions: Readonly<Record<string, PeerValues>>,
  options: TestOptions = {},
  kinds: Readonly<Record<string, Readonly<Record<string, PeerValues>>>> = {},
) {
  const all = { authPolicies: { totp: totpPolicy }, identities: people, apiSessions, ...kinds };
  return converted({ kinds: all }, options);
}

t.test('a live session goes on with its token', (t) => {
  const { record, report } = convertedOf({ cmwu4b19h0001ju7dbjfgypi4: session() });
  const found = record('apiSession', 'cmwu4b19h0001ju7dbjfgypi4');
  t.match(found, {
    state: 'full',
    identityId: 'me',
    authenticatorId: 'internal',
    tokenHash: tokenHash('2cd2f891-2741-4043-92c0-8a7b906d24e1'),
    configTypes: ['a', 'b'],
    ipAddress: '192.0.2.1',
    isMfaRequired: false,
    isMfaComplete: false,
    improperClientCertChain: true,
    mfaPassedAt: undefined,
    caId: undefined,
    jwt: undefined,
    // The network was down, and the session was not idle.
    lastActivityAt: nowMs,
  });
  const place = 'apiSession/cmwu4b19h0001ju7dbjfgypi4/token';
  t.equal(opened(found?.['token'], place).toString(), '2cd2f891-2741-4043-92c0-8a7b906d24e1');
  t.notMatch(JSON.stringify(report), '2cd2f891');
  t.end();
});

t.test('sessions that were idle, are being deleted, or have no token end', (t) => {
  const apiSessions = {
    a: session({ lastActivityAt: time(stoppedAtMs - 30 * minuteMs) }),
    b: session({ token: text('b'), lastActivityAt: time(stoppedAtMs - 30 * minuteMs + 1) }),
    c: session({ token: text('c') }),
    d: session({ token: text('') }),
    e: session({ token: text('e'), identity: text('gone') }),
    f: session({ token: text('f') }),
  };
  const { record, report } = convertedOf(
    apiSessions,
    {},
    {
      eventualEvents: {
        one: { type: text('ApiSessionDelete'), data: raw('c') },
        two: { type: text('ApiSessionDelete'), data: text('f') },
        three: { type: text('SessionDelete'), data: raw('b') },
      },
    },
  );
  t.match(record('apiSession', 'b'), { state: 'full' });
  t.same(remarksOn({ report }, 'apiSessions', 'leftOut'), [
    'a: It had been idle for too long when the peer stopped.',
    'c: The peer had begun to delete it.',
    'd: It has no token.',
    'e: Its identityId names the identity "gone", which is not in the home.',
    'f: The peer had begun to delete it.',
  ]);
  const dropped = convertedOf(apiSessions, { sessions: 'drop' });
  t.equal(dropped.records.filter(({ kind }) => kind === 'apiSession').length, 0);
  t.match(remarksOn(dropped, 'apiSessions', 'leftOut')[0], /log in again/);
  t.end();
});

t.test('the state says whether a second factor is owed', (t) => {
  const n = (token: string, fields: PeerValues) => session({ token: text(token), ...fields });
  const factor = { secret: text('ELK354EO3GGOQPBC'), recoveryCodes: set([]) };
  const { record } = convertedOf(
    {
      passed: n('1', { mfaRequired: flag(true), mfaComplete: flag(true) }),
      owing: n('2', { mfaRequired: flag(true) }),
      strict: n('3', { identity: text('strict') }),
      strictPassed: n('4', { identity: text('strict'), mfaComplete: flag(true) }),
      removed: n('5', { identity: text('other'), mfaRequired: flag(true) }),
      signed: n('6', { identity: text('signed'), mfaComplete: flag(true) }),
    },
    {},
    {
      externalJwtSigners: { idp: entity({ name: text('idp'), issuer: text('idp') }) },
      authPolicies: {
        totp: totpPolicy,
        jwt: entity({
          name: text('jwt'),
          'secondary.requireExtJwtSigner': text('idp'),
        }),
      },
      identities: {
        ...people,
        other: identity('other'),
        signed: identity('signed', { authPolicyId: text('jwt') }),
      },
      mfas: { mfa: entity({ identity: text('me'), isVerified: flag(true), ...factor }) },
    },
  );
  t.match(record('apiSession', 'passed'), {
    state: 'full',
    isMfaComplete: true,
    mfaPassedAt: entityMs,
  });
  t.match(record('apiSession', 'owing'), { state: 'partial', mfaPassedAt: undefined });
  t.match(record('apiSession', 'strict'), { state: 'partial' });
  t.match(record('apiSession', 'strictPassed'), { state: 'full' });
  t.match(record('apiSession', 'removed'), { state: 'full' }, 'its second factor was removed');
  t.match(record('apiSession', 'signed'), { state: 'partial' }, 'a token is owed at each request');
  t.end();
});

t.test('certificates of sessions', (t) => {
  const certificate = (fields: PeerValues = {}) =>
    entity({
      apiSession: text('s'),
      subject: text('CN=me'),
      fingerprint: text('AB'),
      pem: text('PEM'),
      validAfter: time(1000),
      validBefore: time(2000),
      ...fields,
    });
  const { record, report } = convertedOf(
    {
      s: session({ authenticator: text('cert') }),
      gone: session({ token: text('x'), lastActivityAt: time(0) }),
    },
    {},
    {
      authenticators: {
        cert: entity({
          method: text('cert'),
          identity: text('me'),
          certFingerprint: text('cd'),
          isIssuedByNetwork: flag(true),
        }),
      },
      apiSessionCertificates: {
        issued: certificate(),
        login: certificate({ fingerprint: text('CD') }),
        gone: certificate({ apiSession: text('gone') }),
        none: certificate({ fingerprint: text('') }),
      },
    },
  );
  t.match(record('sessionCertificate', 'issued'), {
    apiSessionId: 's',
    subject: 'CN=me',
    fingerprint: 'ab',
    certificate: 'PEM',
    validFrom: 1000,
    validTo: 2000,
    isIssued: true,
  });
  t.match(record('sessionCertificate', 'login'), {
    fingerprint: 'cd',
    certificate: undefined,
    isIssued: false,
  });
  t.same(remarksOn({ report }, 'apiSessionCertificates', 'leftOut'), [
    'gone: Its API session is not kept.',
    'none: It has no fingerprint.',
  ]);
  t.end();
});

t.test('the peer stopped at the newest time in its database', (t) => {
  const at = (identities: Readonly<Record<string, PeerValues>>, others = {}) =>
    converted({ kinds: { identities, ...others } }).report.stopped?.atMs;
  t.equal(at({}), nowMs, 'no time at all');
  t.equal(at({ a: identity('a') }), entityMs);
  t.equal(at({ a: identity('a', { updatedAt: time(entityMs + 7) }) }), entityMs + 7);
  t.equal(
    at({ a: identity('a', { disabledUntil: time(nowMs - 1) }) }),
    entityMs,
    'the end of a period is no change',
  );
  t.equal(at({ a: identity('a', { updatedAt: time(nowMs + 7) }) }), nowMs, 'a clock was wrong');
  t.equal(at({ a: identity('a', { updatedAt: int(1) }) }), entityMs, 'named by its conversion');
  const sessions = { apiSessions: { s: session({ lastActivityAt: time(nowMs - 3) }) } };
  t.equal(at({}, sessions), nowMs - 3);
  t.equal(at({}, { sessions: { s: { createdAt: time(nowMs - 4) } } }), nowMs - 4);
  t.equal(at({}, { controllers: { s: { lastJoinedAt: time(nowMs - 5) } } }), nowMs - 5);
  t.end();
});

t.test('without a choice, the age decides whether API sessions are kept', (t) => {
  const kept = (ms: number, sessions: TestOptions['sessions']) => {
    const apiSessions = { s: session({ lastActivityAt: time(ms), updatedAt: time(ms) }) };
    const { record, report } = converted(
      { kinds: { identities: { me: identity('me') }, apiSessions } },
      { sessions },
    );
    const isKept = record('apiSession', 's') !== undefined;
    t.equal(report.stopped?.areSessionsKept, isKept);
    return isKept;
  };
  const dayMs = 24 * 60 * minuteMs;
  t.equal(kept(nowMs - dayMs, 'by-age'), true);
  t.equal(kept(nowMs - dayMs - 1, 'by-age'), false);
  t.equal(kept(nowMs - dayMs - 1, 'keep'), true);
  t.equal(kept(nowMs, 'drop'), false);
  t.end();
});
